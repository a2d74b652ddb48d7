"""Which files can be papers in another form than PDF, by their suffixes."""

JATS = (".xml", ".nxml")
HTML = (".html", ".htm", ".xhtml")
LATEX = (".tex",)
WORD = (".docx",)
MARKDOWN = (".md", ".markdown")
TEXT = (".txt",)
ZIPPED = (".zip",)
"""LaTeX source as arXiv and Overleaf pack it; only if it is named, never in a folder."""

FORM_SUFFIXES = (*JATS, *HTML, *LATEX, *WORD, *MARKDOWN, *TEXT, *ZIPPED)
