"""From the lines of a table to its columns, header and rows, by the boxes of its words alone: rules are not needed."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from methodlens.papers.raw_page import RawLine, RawWord

_WIDE = 0.9  # a gap between cells, relative to the font size
_SAME_ROW = 0.45  # how far the middles of the cells of a row may differ, relative to the font size
_MAX_HEADER = 4  # rows
_JUMP = 1.3  # the distance below a header, relative to that between rows
_VALUE = re.compile(r"[<>~≈±+−–-]?\s?[.(]?\d|[-–—✓✗×]$|(?:n/?a|yes|no)$", re.IGNORECASE)
_NAMES = re.compile(  # in the header of a table that lists a name and its value in each row
    r"(?:hyper-?\s?)?(?:param|setting|config|option|item|name|component|attribute|property|descri|quantit|hardware|variable|specif)",
    re.IGNORECASE,
)


class Segment(NamedTuple):
    """Words of a line without a wide gap between them."""

    words: tuple[RawWord, ...]

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return self.words[-1].x1

    @property
    def text(self) -> str:
        return " ".join([word.text for word in self.words])


class GridRow(NamedTuple):
    """The printed lines of a row, and the text of each of its columns."""

    lines: tuple[RawLine, ...]
    cells: tuple[str, ...]


class Grid(NamedTuple):
    heads: int
    """How many columns name the row."""
    header: GridRow
    rows: tuple[GridRow, ...]


class FoundTable(NamedTuple):
    label: str
    grid: Grid


class TableLine(NamedTuple):
    """The table that a line belongs to, and the row, or -1 for the header."""

    table: FoundTable
    row: int


def printed_rows(lines: Sequence[RawLine]) -> list[RawLine]:
    """The lines at the same height joined, from top to bottom."""
    rows: list[RawLine] = []
    for line in sorted(map(_with_hyphen, lines), key=_middle):
        if rows and _middle(line) - _middle(rows[-1]) < _SAME_ROW * min(line.size, rows[-1].size):
            rows[-1] = _joined(rows[-1], line)
        else:
            rows.append(line)
    return rows


def segments(line: RawLine) -> list[Segment]:
    parts: list[list[RawWord]] = [[line.words[0]]]
    for before, word in pairwise(line.words):
        if word.x0 - before.x1 > _WIDE * line.size:
            parts.append([])
        parts[-1].append(word)
    return [Segment(tuple(part)) for part in parts]


def grid(rows: Sequence[RawLine]) -> Grid | None:
    """The table with these printed rows, or None if they do not have two columns in common."""
    columns = _columns(rows)
    if len(columns) < 2:
        return None
    header_size = _header_size(rows, columns)
    while 0 < header_size < min(_MAX_HEADER, len(rows) - 1) and _is_subtitle(_cells(rows[header_size], columns)):
        header_size += 1
    width = len(columns)
    header = [_header_cells(row, columns) for row in rows[:header_size]]
    titles = tuple(reduce(_appended, (cells[at] for cells in header), "") for at in range(width))
    body = _merged([GridRow((row,), _cells(row, columns)) for row in rows[header_size:]], width)
    if not body or _is_beside_prose(body):
        return None
    heads = _head_columns(body, width)
    return Grid(heads, GridRow(tuple(rows[:header_size]), titles), tuple(_with_group_names(body)))


def is_value(cell: str) -> bool:
    """
    >>> [is_value(cell) for cell in ("0.001", "1 × 10^-4", "Adam", "(12)", "-")]
    [True, True, False, True, True]
    """
    return bool(_VALUE.match(cell))


def _middle(line: RawLine) -> float:
    return (line.box[1] + line.box[3]) / 2


def _joined(row: RawLine, line: RawLine) -> RawLine:
    words = tuple(sorted((*row.words, *line.words), key=lambda word: word.x0))
    (left, top, right, bottom), (x0, y0, x1, y1) = row.box, line.box
    box = (min(left, x0), min(top, y0), max(right, x1), max(bottom, y1))
    return row._replace(words=words, box=box, bold=row.bold and line.bold)


def _with_hyphen(line: RawLine) -> RawLine:
    """A broken word of a cell goes on in the next line of the cell, which need not be the next line of the text."""
    if not line.broken:
        return line
    last = line.words[-1]
    return line._replace(words=(*line.words[:-1], last._replace(text=f"{last.text}-")), broken=False)


def _appended(cell: str, more: str) -> str:
    if cell.endswith("-") and more[:1].islower():
        return cell[:-1] + more
    return f"{cell} {more}" if cell and more else cell or more


# --- columns --------------------------------------------------------------------------------------------------------

_Column = tuple[float, float]


def _columns(rows: Sequence[RawLine]) -> list[_Column]:
    """The left and right edges of the columns, from the rows that have the usual number of cells."""
    parts = [segments(row) for row in rows]
    counts = Counter(map(len, parts))
    usual = max((count for count in counts if count > 1), key=lambda count: (counts[count] * count, count), default=0)
    if not usual:
        return []
    full = [row for row in parts if len(row) == usual]
    # a row may have as many cells as the others and still lack one: only rows whose cells overlap those of the last one count
    full = [
        row for row in full if all(cell.x0 < other.x1 and other.x0 < cell.x1 for cell, other in zip(row, full[-1], strict=True))
    ]
    columns = [(median(row[at].x0 for row in full), median(row[at].x1 for row in full)) for at in range(usual)]
    extra = [cell for row in parts for cell in row if not any(_overlap(cell, column) > 0 for column in columns)]
    return sorted([*columns, *_clusters(extra)])


def _clusters(cells: Sequence[Segment]) -> list[_Column]:
    """Further columns, which most rows lack: where at least two cells are below each other."""
    found: list[list[Segment]] = []
    for cell in sorted(cells, key=lambda cell: cell.x0):
        if found and cell.x0 < max(other.x1 for other in found[-1]):
            found[-1].append(cell)
        else:
            found.append([cell])
    return [(min(cell.x0 for cell in group), max(cell.x1 for cell in group)) for group in found if len(group) > 1]


def _overlap(part: Segment, column: _Column) -> float:
    return min(part.x1, column[1]) - max(part.x0, column[0])


def _nearest(part: Segment, columns: Sequence[_Column]) -> int:
    return max(range(len(columns)), key=lambda at: _overlap(part, columns[at]))


def _covered(part: Segment, columns: Sequence[_Column]) -> list[int]:
    """The columns whose middle the part covers."""
    return [at for at, (left, right) in enumerate(columns) if part.x0 <= (left + right) / 2 <= part.x1]


def _cells(row: RawLine, columns: Sequence[_Column]) -> tuple[str, ...]:
    cells: list[list[str]] = [[] for _ in columns]
    for part in segments(row):
        if len(_covered(part, columns)) > 1:  # narrow gaps
            for word in part.words:
                cells[_nearest(Segment((word,)), columns)].append(word.text)
        else:
            cells[_nearest(part, columns)].append(part.text)
    return tuple(" ".join(cell) for cell in cells)


def _header_cells(row: RawLine, columns: Sequence[_Column]) -> tuple[str, ...]:
    """As `_cells`, but a title over several columns counts for each of them."""
    cells: list[list[str]] = [[] for _ in columns]
    parts = segments(row)
    for part in parts:
        covered = _covered(part, columns)
        alone = len(parts) < len(columns)
        for at in covered if len(covered) > 1 and alone else [_nearest(part, columns)]:
            cells[at].append(part.text)
    return tuple(" ".join(cell) for cell in cells)


# --- rows -----------------------------------------------------------------------------------------------------------


def _header_size(rows: Sequence[RawLine], columns: Sequence[_Column]) -> int:
    """How many rows the header has: those above the first value, set apart by weight or distance, or named like a header."""
    cells = [_cells(row, columns) for row in rows]
    values = [any(map(is_value, row[1:])) for row in cells]
    above = values.index(True) if True in values else len(rows)
    limit = min(_MAX_HEADER, len(rows) - 1)
    bold = next((at for at, row in enumerate(rows) if not row.bold), len(rows))
    if 0 < bold <= limit:
        return bold
    steps = [_middle(after) - _middle(before) for before, after in pairwise(rows)]
    usual = median(steps[1:]) if len(steps) > 2 else 0.0
    jump = next((at for at in range(min(limit, above)) if len(steps) > 2 and steps[at] > _JUMP * usual), None)
    if jump is not None:
        return jump + 1
    if above == 0:
        return 0
    names_only = all(not any(row[1:]) for row in cells[1:above])
    if len(columns) > 2 or (above < len(rows) and names_only and len(rows) > 2) or _NAMES.match(cells[0][0]):
        return min(above, limit) if above < len(rows) and len(columns) > 2 else 1
    return 0


def _is_subtitle(cells: Sequence[str]) -> bool:
    """Whether a row below the header belongs to it: it names columns, not a row."""
    filled = list(filter(None, cells))
    return not cells[0] and len(filled) > 1 and 2 * sum(map(is_value, filled)) < len(filled)


def _merged(rows: Sequence[GridRow], width: int) -> list[GridRow]:
    """A line that continues the cells above it becomes part of their row."""
    merged: list[GridRow] = []
    for row in rows:
        filled = sum(map(bool, row.cells))
        named_value = any(map(is_value, row.cells)) and not all(is_value(cell) for cell in row.cells if cell)
        continues = not row.cells[0] and (width == 2 or (filled < max(2, width / 2) and not named_value))
        wraps = filled == 1 and row.cells[0][:1].islower()
        if merged and (continues or wraps):
            last = merged[-1]
            cells = tuple(_appended(cell, more) for cell, more in zip(last.cells, row.cells, strict=True))
            merged[-1] = GridRow(last.lines + row.lines, cells)
        else:
            merged.append(row)
    return merged


def _head_columns(rows: Sequence[GridRow], width: int) -> int:
    """Two columns name the row if both are words and the others are values."""

    def share(column: int) -> float:
        cells = [row.cells[column] for row in rows if row.cells[column]]
        return sum(map(is_value, cells)) / max(1, len(cells))

    others = [share(column) for column in range(2, width)]
    return 2 if others and min(others) > 0.6 and max(share(0), share(1)) < 0.3 else 1


def _is_beside_prose(rows: Sequence[GridRow]) -> bool:
    """Whether the first column is a paragraph that flows around the table."""
    names = [row.cells[0] for row in rows if row.cells[0].count(" ") > 2]
    return 2 * sum(name[0].islower() for name in names) >= len(rows)


def _with_group_names(rows: Sequence[GridRow]) -> list[GridRow]:
    """A name that is alone in its row is added to the rows of its group: those below it, or those around it if they have no
    name themselves. A name in the first of several rows counts for the others too."""
    alone = [row for row in rows if row.cells[0] and not any(row.cells[1:])]
    around = not any(row.cells[0] and any(row.cells[1:]) for row in rows)
    named: list[GridRow] = []
    lines: tuple[RawLine, ...] = ()
    group = last = ""
    for row in rows:
        if any(row.cells[1:]):
            last = row.cells[0] or last
            name = ", ".join(filter(None, (group, last)))
            if alone and around:
                name = min(alone, key=lambda other: abs(_height(other) - _height(row))).cells[0]
            named.append(GridRow(lines + row.lines, (name, *row.cells[1:])))
            lines = ()
        else:
            group, last = row.cells[0], ""
            lines += row.lines
    if not named:
        return list(rows)
    named[-1] = named[-1]._replace(lines=named[-1].lines + lines)
    return named


def _height(row: GridRow) -> float:
    return _middle(row.lines[0])
