"""Title, authors, year and DOI: from the PDF itself, and from metadata files in its folder."""
