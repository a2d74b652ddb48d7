"""Who wrote a paper, when, under which title and DOI: from the PDF itself, and from the files beside it."""
