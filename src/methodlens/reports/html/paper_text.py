"""The text of a paper for a report, which shows it where a quote is on no page. The report's script escapes it."""

from methodlens.records import Paper
from methodlens.text.printable import encodable

TextSections = tuple[tuple[str, tuple[tuple[int, str], ...]], ...]
_MAX_CHARS = 600_000  # a report of many papers must still open; what is longer is a book


def paper_text(paper: Paper) -> TextSections:
    """Each section with its title and its paragraphs, each paragraph with its offset in the paper's text."""
    sections = []
    for section in paper.sections:
        if section.start > _MAX_CHARS:
            break
        begin = section.start + len(section.title) + 1 if section.title else section.start
        paragraphs = []
        for paragraph in paper.text[begin : section.end].split("\n"):
            if paragraph.strip():
                paragraphs.append((begin, encodable(paragraph)))
            begin += len(paragraph) + 1
        sections.append((encodable(section.title), tuple(paragraphs)))
    return tuple(sections)
