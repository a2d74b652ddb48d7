"""Which tables and figures of a paper belong to its passages, and where they are on the page."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from methodlens.records import Box, Hit, Line, Page, Paper, Table

REVISION = 1
"""Increase it when the same paper gives other crops: cells of readers that see are then asked again."""
_NUMBER = r"(?:[A-Z]?\d{1,3}|[IVX]{1,5})\b"
_KIND = r"(?P<kind>(?i:Table|Tab\.|Figure|Fig\.?))"
_CAPTION = re.compile(rf"{_KIND}\s(?P<number>{_NUMBER})(?=\s?[.:|–—]|\s+[A-Z(]|\s*$)")  # not "Table 2 shows that ..."
_MENTION = re.compile(rf"\b{_KIND}s?\s(?P<number>{_NUMBER})")
_CAPTION_CHARS = 600
_MARGIN = 6.0  # points around a crop: rules and frames are outside the letters
_MIN_HEIGHT = 60.0  # of a figure, in points; a smaller gap holds no figure
_PROSE_WORDS = 8  # a line of text; labels inside a figure are shorter


class Crop(NamedTuple):
    """A part of a page with one table or figure. The label is "Table 2" or "Figure 3", whatever the paper writes."""

    label: str
    page: int
    box: Box
    caption: str


class _Caption(NamedTuple):
    label: str
    line: Line
    end: int
    """Where it ends in the paper's text."""


def relevant_crops(paper: Paper, context: Sequence[Hit], *, limit: int) -> list[Crop]:
    """The tables and figures that the passages contain or mention, those of the best passage first."""
    captions = {caption.label: caption for caption in reversed(list(_captions(paper)))}  # the first caption of a label
    wanted = dict.fromkeys(label for hit in context for label in _labels(hit, paper, captions.values()))
    pages = {page.number: page for page in paper.pages}
    known = [captions[label] for label in wanted if label in captions and captions[label].line.page in pages]
    return [_crop(caption, paper, pages) for caption in known[:limit]]


def _captions(paper: Paper) -> Iterator[_Caption]:
    for line in paper.lines:
        if match := _CAPTION.match(paper.text, line.start, line.end):
            end = paper.text.find("\n", line.end)
            yield _Caption(_label(match), line, min(len(paper.text) if end < 0 else end, line.start + _CAPTION_CHARS))


def _labels(hit: Hit, paper: Paper, captions: Iterable[_Caption]) -> Iterator[str]:
    """Of what the passage contains, then of what it mentions."""
    start, end = hit.passage.start, hit.passage.end
    yield from (_table_label(table) for table in paper.tables if table.start < end and start < table.end)
    yield from (caption.label for caption in captions if caption.line.start < end and start < caption.end)
    yield from (_label(match) for match in _MENTION.finditer(hit.passage.text))


def _label(match: re.Match[str]) -> str:
    kind = "Table" if match["kind"].lower().startswith("tab") else "Figure"
    return f"{kind} {match['number'].upper()}"


def _table_label(table: Table) -> str:
    match = _MENTION.match(table.label)
    return _label(match) if match else table.label


def _crop(caption: _Caption, paper: Paper, pages: dict[int, Page]) -> Crop:
    page = pages[caption.line.page]
    is_table = caption.label.startswith("Table")
    box = _table_box(caption, paper, page) if is_table else _figure_box(caption, paper, page)
    text = " ".join(paper.text[caption.line.start : caption.end].split())
    return Crop(caption.label, page.number, box or (0.0, 0.0, page.width, page.height), text)


def _table_box(caption: _Caption, paper: Paper, page: Page) -> Box | None:
    """From the caption to the last row. None if the table's text was not recognised, or is on another page."""
    table = next((table for table in paper.tables if _table_label(table) == caption.label), None)
    if table is None:
        return None
    rows = [line for line in paper.lines if line.start < table.end and table.start < line.end]
    if not rows or any(line.page != page.number for line in rows):
        return None
    return _around([*rows, *_lines_of(caption, paper)], page)


def _figure_box(caption: _Caption, paper: Paper, page: Page) -> Box | None:
    """The whole width from the line of text above the caption, or below it. None if neither leaves room for a figure."""
    own = _lines_of(caption, paper)
    left, top, right, bottom = _around(own, page)
    others = [
        line
        for line in paper.lines
        if line.page == page.number and line not in own and len(line.words) >= _PROSE_WORDS and _overlaps(line, left, right)
    ]
    above = max((line.bottom for line in others if line.bottom <= top + _MARGIN), default=0.0)
    if top - above >= _MIN_HEIGHT:
        return 0.0, above, page.width, bottom
    below = min((line.top for line in others if line.top >= bottom - _MARGIN), default=page.height)
    return (0.0, top, page.width, below) if below - bottom >= _MIN_HEIGHT else None


def _lines_of(caption: _Caption, paper: Paper) -> list[Line]:
    page = caption.line.page
    return [line for line in paper.lines if line.page == page and caption.line.start <= line.start < caption.end]


def _overlaps(line: Line, left: float, right: float) -> bool:
    return line.words[0].x0 < right and left < line.words[-1].x1


def _around(lines: Sequence[Line], page: Page) -> Box:
    words = [word for line in lines for word in line.words]
    return (
        max(0.0, min((word.x0 for word in words), default=0.0) - _MARGIN),
        max(0.0, min(line.top for line in lines) - _MARGIN),
        min(page.width, max((word.x1 for word in words), default=page.width) + _MARGIN),
        min(page.height, max(line.bottom for line in lines) + _MARGIN),
    )
