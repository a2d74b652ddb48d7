"""Finds the tables of a paper: below or above each caption "Table N", rows of aligned cells up to the next prose."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from methodlens.papers.layout.roles import LayoutLine, Role, starts_caption
from methodlens.papers.layout.table_grid import FoundTable, TableLine, grid, is_value, printed_rows, segments
from methodlens.papers.raw_page import RawLine
from methodlens.records import Box

_LABEL = re.compile(r"((?:Tab(?:le|\.)|TABLE)\s?(?:[A-Z]?\.?\d{1,3}[a-z]?|[IVX]{1,5}))(?![\w-])")
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){1,3}\.?|[IVX]{1,5}\.|[A-H]\.)\s*[A-Z]")
_FIRST_GAP = 3.5  # between a caption and its table, relative to the font size
_GAP = 2.2  # between the rows of a table
_MAX_CAPTIONS = 20  # on a page: a list of tables has more
_PROSE_WORDS = 7
_PROSE_WIDTH = 0.6  # of the column: a shorter line may be a cell
_SIDE_SLACK = 4.0  # points
_SMALLEST = 0.55  # font size of a table, relative to its caption: smaller letters are those of a figure


class _Caption(NamedTuple):
    label: str
    box: Box
    size: float


def with_tables(items: Sequence[LayoutLine]) -> list[LayoutLine]:
    """The lines in the same order, except that those of a table are joined to rows and come one row after the other."""
    pages = [list(lines) for _, lines in groupby(items, key=lambda item: item.page)]
    options = [[(caption, _below(caption, page), _above(caption, page)) for caption in _captions(page)] for page in pages]
    every = [option for page in options for option in page]
    only_below = sum(bool(below) and not above for _, below, above in every)
    only_above = sum(bool(above) and not below for _, below, above in every)
    placed: list[LayoutLine] = []
    for page, choices in zip(pages, options, strict=True):
        tables: list[tuple[list[LayoutLine], FoundTable]] = []
        taken: set[int] = set()
        for caption, below, above in choices:
            first, second = (above, below) if only_above > only_below else (below, above)
            lines = next((rows for rows in (first, second) if rows and taken.isdisjoint(map(id, rows))), None)
            cells = grid(printed_rows([item.line for item in lines])) if lines else None
            if lines and cells:
                taken.update(map(id, lines))
                tables.append((lines, FoundTable(caption.label, cells)))
        placed += _placed(page, tables)
    return placed


def _placed(page: Sequence[LayoutLine], tables: Sequence[tuple[list[LayoutLine], FoundTable]]) -> Iterator[LayoutLine]:
    """Each table comes where the first of its lines is."""
    at_line = {id(item): index for index, (lines, _) in enumerate(tables) for item in lines}
    done: set[int] = set()
    for item in page:
        index = at_line.get(id(item))
        if index is None:
            yield item
        elif index not in done:
            done.add(index)
            found = tables[index][1]
            for number, row in enumerate((found.grid.header, *found.grid.rows), -1):
                for line in row.lines:
                    yield LayoutLine(line, item.page, Role.TABLE, TableLine(found, number))


def _captions(page: Sequence[LayoutLine]) -> list[_Caption]:
    captions: list[_Caption] = []
    open_caption = False
    for item in page:
        match = _LABEL.match(item.line.text) if item.role is Role.CAPTION else None
        if match:
            captions.append(_Caption(match[1], item.line.box, item.line.size))
        elif open_caption and item.role is Role.CAPTION and not starts_caption(item.line.text):
            last = captions[-1]
            captions[-1] = last._replace(box=_union(last.box, item.line.box))
        open_caption = bool(match) or (open_caption and item.role is Role.CAPTION and not starts_caption(item.line.text))
    return captions if len(captions) <= _MAX_CAPTIONS else []


def _union(one: Box, other: Box) -> Box:
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))


def _below(caption: _Caption, page: Sequence[LayoutLine]) -> list[LayoutLine]:
    lines = [item for item in page if item.line.box[1] > caption.box[3] - 0.5 * caption.size]
    return _table_lines(caption, page, sorted(lines, key=lambda item: item.line.box[1]), 1)


def _above(caption: _Caption, page: Sequence[LayoutLine]) -> list[LayoutLine]:
    lines = [item for item in page if item.line.box[3] < caption.box[1] + 0.5 * caption.size]
    return _table_lines(caption, page, sorted(lines, key=lambda item: -item.line.box[3]), -1)


def _table_lines(caption: _Caption, page: Sequence[LayoutLine], lines: Sequence[LayoutLine], direction: int) -> list[LayoutLine]:
    """The lines of the table next to the caption, which are sorted away from it; empty if there is no table."""
    left, right = _bounds(caption, page, lines)
    table: list[LayoutLine] = []
    edge = caption.box[3] if direction > 0 else caption.box[1]
    for item in lines:
        box, size = item.line.box, item.line.size
        if box[2] < left or box[0] > right:
            continue
        gap = box[1] - edge if direction > 0 else edge - box[3]
        is_far = gap > (_GAP if table else _FIRST_GAP) * max(size, caption.size)
        is_wider = box[0] < left - _SIDE_SLACK or box[2] > right + _SIDE_SLACK
        if is_far or is_wider or _is_outside(item, right - left, caption.size):
            break
        table.append(item)
        edge = max(edge, box[3]) if direction > 0 else min(edge, box[1])
    table = _without_loose_ends(table)
    rows = printed_rows([item.line for item in table])
    return table if sum(len(segments(row)) > 1 for row in rows) > 1 else []


def _without_loose_ends(table: list[LayoutLine]) -> list[LayoutLine]:
    """Without the lines far above or below all rows with several cells, such as notes. A title may be just above them."""
    rows = printed_rows([item.line for item in table])
    several = [row for row in rows if len(segments(row)) > 1]
    if not several:
        return []
    size = several[0].size
    top, bottom = several[0].box[1] - size, several[-1].box[3] + 0.5 * size
    return [item for item in table if top < item.line.box[3] <= bottom]


def _bounds(caption: _Caption, page: Sequence[LayoutLine], lines: Sequence[LayoutLine]) -> tuple[float, float]:
    """The edges of the text column that the caption is in; of the whole page if the table is wider."""
    boxes = [item.line.box for item in page]
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    prose = [item.line for item in page if item.role is Role.BODY and len(item.line.words) >= _PROSE_WORDS]
    middle = (left + right) / 2
    crossing = sum(line.box[0] < middle < line.box[2] for line in prose)
    if not prose or crossing > 0.3 * len(prose) or caption.box[0] < middle - 12 < middle + 12 < caption.box[2]:
        return left, right
    on_left = (caption.box[0] + caption.box[2]) / 2 < middle
    half = (left, middle) if on_left else (middle, right)
    next_to = [item.line for item in lines[:3] if half[0] - _SIDE_SLACK <= item.line.box[0] <= half[1]]
    crosses = any(line.box[2] > middle + 12 and len(segments(line)) > 2 for line in next_to)
    return (left, right) if crosses and on_left else half


def _is_outside(item: LayoutLine, width: float, caption_size: float) -> bool:
    """Whether a line cannot be in the table: a caption, a numbered heading, or prose."""
    line = item.line
    if item.role in (Role.CAPTION, Role.NOTE) or (item.role is Role.HEADING and _NUMBERED.match(line.text)):
        return True
    return line.size < _SMALLEST * caption_size or _is_prose(line, width)


def _is_prose(line: RawLine, width: float) -> bool:
    parts = segments(line)
    longest = max(parts, key=lambda part: len(part.words))
    if any(is_value(part.text) and len(part.words) < _PROSE_WORDS for part in parts if part is not longest):
        return False
    return len(longest.words) >= _PROSE_WORDS and longest.x1 - longest.x0 > _PROSE_WIDTH * width
