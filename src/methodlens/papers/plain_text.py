"""A Paper from plain text, such as the context of a transcript that is replayed."""

import hashlib
from collections.abc import Sequence

from methodlens.papers.layout.flow import Flow, flow
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import Paper

PARSER = "text-3"
_LINE_HEIGHT = 12.0
_PAGE_HEIGHT = 10_000.0


def from_text(blocks: Sequence[str], *, title: str = "") -> Paper:
    """Each block is a passage as printed: lines and hyphenated words are joined as for a PDF. No pages, no boxes."""
    digest = hashlib.sha256("\n\n".join(blocks).encode("utf-8", "replace")).hexdigest()
    return Paper(sha256=digest, parser=PARSER, title=title, text=flow_of(blocks).text)


def flow_of(blocks: Sequence[str]) -> Flow:
    """The same blocks as clean text with its headings."""
    lines: list[RawLine] = []
    top = _PAGE_HEIGHT / 2  # far from the margins, where lines may be taken for running heads
    for block in blocks:
        for text in block.splitlines():
            words = tuple(RawWord(word, 0.0, 100.0) for word in text.split())
            if words:
                lines.append(RawLine(words, (0.0, top, 100.0, top + _LINE_HEIGHT), _LINE_HEIGHT))
                top += _LINE_HEIGHT
        top += 3 * _LINE_HEIGHT  # a gap that flow() takes for a new paragraph
    return flow([RawPage(1, 100.0, 4 * max(top, _PAGE_HEIGHT), lines)])
