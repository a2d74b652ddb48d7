"""A Paper from plain text: what a transcript's context becomes when it is replayed."""

import hashlib
from collections.abc import Sequence

from methodlens.papers.extract import RawLine, RawPage
from methodlens.papers.flow import flow
from methodlens.records import Paper

PARSER = "text-1"
_LINE_HEIGHT = 12.0


def from_text(blocks: Sequence[str], *, title: str = "") -> Paper:
    """Each block is a passage as printed: lines are joined, words broken over lines mended, as for a PDF. One page, no boxes."""
    digest = hashlib.sha256("\n\n".join(blocks).encode("utf-8", "replace")).hexdigest()
    lines: list[RawLine] = []
    top = 0.0
    for block in blocks:
        for text in block.splitlines():
            if text.strip():
                lines.append(RawLine(text.strip(), (0.0, top, 100.0, top + _LINE_HEIGHT), _LINE_HEIGHT, broken=False))
                top += _LINE_HEIGHT
        top += 3 * _LINE_HEIGHT  # a gap that flow() takes for a new paragraph
    page = RawPage(1, 100.0, max(top * 10, 1.0), lines)  # no line stands in the margin of so tall a page
    page = page._replace(lines=[_below(line, top) for line in page.lines])
    clean = flow([page])
    return Paper(sha256=digest, parser=PARSER, title=title, text=clean.text, pages=clean.pages)


def _below(line: RawLine, offset: float) -> RawLine:
    x0, y0, x1, y1 = line.box
    return line._replace(box=(x0, y0 + offset, x1, y1 + offset))
