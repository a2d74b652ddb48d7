"""Other forms of a paper than PDF: JATS XML, HTML, LaTeX, DOCX, Markdown and plain text. Each becomes a Paper without pages."""
