"""Puts columns in reading order, also where the file draws them line by line across the page."""

from collections.abc import Sequence
from itertools import pairwise

from methodlens.papers.raw_page import RawLine, RawPage

_PROSE_WORDS = 4
_MIN_LINES = 8  # lines of prose on each side before a page counts as having two columns
_OVERLAP = 0.6  # share of their height that the cells of a row share


def in_reading_order(page: RawPage) -> RawPage:
    """PDFium's order is that of the file, and nearly always right. It is changed only where it alternates between columns."""
    lines = _split_at_gutter(page.lines)
    if _alternates(lines):
        lines = _column_by_column(lines)
    return page._replace(lines=_join_cells(lines))


def _middle(lines: Sequence[RawLine]) -> float:
    """The middle of the block of text, which need not be the middle of the page."""
    lefts = sorted(line.box[0] for line in lines)
    rights = sorted(line.box[2] for line in lines)
    return (lefts[len(lefts) // 20] + rights[-1 - len(rights) // 20]) / 2


def _side(line: RawLine, middle: float) -> str:
    """L for left, R for right, F for full width."""
    slack = 0.5 * line.size
    if line.box[2] < middle + slack:
        return "L"
    return "R" if line.box[0] > middle - slack else "F"


def _alternates(lines: Sequence[RawLine]) -> bool:
    prose = [line for line in lines if len(line.words) >= _PROSE_WORDS]
    if len(prose) < 2 * _MIN_LINES:
        return False
    middle = _middle(lines)
    sides = [_side(line, middle) for line in prose]
    smaller = min(sides.count("L"), sides.count("R"))
    if smaller < _MIN_LINES or sides.count("F") > 0.5 * smaller:  # a page with one column, whose lines are cut by formulas
        return False
    halves = [side for side in sides if side != "F"]
    return sum(a != b for a, b in pairwise(halves)) > 0.5 * smaller


def _column_by_column(lines: Sequence[RawLine]) -> list[RawLine]:
    """Full-width lines divide the page into bands; in each band the left column comes first."""
    middle = _middle(lines)
    ordered: list[RawLine] = []
    band: dict[str, list[RawLine]] = {"L": [], "R": []}
    for line in sorted(lines, key=lambda line: (round(line.box[1]), line.box[0])):
        side = _side(line, middle)
        if side == "F":
            ordered += [*band["L"], *band["R"], line]
            band = {"L": [], "R": []}
        else:
            band[side].append(line)
    return [*ordered, *band["L"], *band["R"]]


def _split_at_gutter(lines: list[RawLine]) -> list[RawLine]:
    """Splits lines that the file draws across both columns, at the gap that most of them have."""
    if len(lines) < _MIN_LINES:
        return lines
    middle = _middle(lines)
    cuts = {index: cut for index, line in enumerate(lines) if (cut := _gap_at(line, middle))}
    crossing = sum(line.box[0] < middle < line.box[2] for line in lines)
    if len(cuts) < _MIN_LINES or len(cuts) < 0.5 * crossing:
        return lines
    split: list[RawLine] = []
    for index, line in enumerate(lines):
        cut = cuts.get(index, 0)
        split += [_part(line, 0, cut), _part(line, cut, len(line.words))] if cut else [line]
    return split


def _gap_at(line: RawLine, middle: float) -> int:
    """The index of the word after a wide gap near the middle, with prose on both sides; 0 if there is none."""
    for index in range(_PROSE_WORDS - 1, len(line.words) - _PROSE_WORDS + 2):
        before, after = line.words[index - 1], line.words[index]
        if after.x0 - before.x1 > 1.2 * line.size and before.x1 < middle + 2 * line.size and after.x0 > middle - 2 * line.size:
            return index
    return 0


def _part(line: RawLine, first: int, last: int) -> RawLine:
    words = line.words[first:last]
    broken = line.broken and last == len(line.words)
    return line._replace(words=words, box=(words[0].x0, line.box[1], words[-1].x1, line.box[3]), broken=broken)


def _join_cells(lines: Sequence[RawLine]) -> list[RawLine]:
    """Joins consecutive short pieces at the same height, such as the cells of a table, to one line."""
    joined: list[RawLine] = []
    for line in lines:
        before = joined[-1] if joined else None
        if before and _same_row(before, line):
            box = (before.box[0], min(before.box[1], line.box[1]), line.box[2], max(before.box[3], line.box[3]))
            joined[-1] = before._replace(words=before.words + line.words, box=box, broken=line.broken)
        else:
            joined.append(line)
    return joined


def _same_row(before: RawLine, line: RawLine) -> bool:
    if before.broken or line.box[0] < before.box[2] - 1 or abs(before.size - line.size) > 0.3 * line.size:
        return False
    common = min(before.box[3], line.box[3]) - max(before.box[1], line.box[1])
    short = len(line.words) < _PROSE_WORDS + 2 or len(before.words) < _PROSE_WORDS + 2
    return short and common > _OVERLAP * min(before.box[3] - before.box[1], line.box[3] - line.box[1])
