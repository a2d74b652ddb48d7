"""Columns read one after the other, also where the file draws them line by line across the page."""

from collections.abc import Sequence
from itertools import pairwise

from methodlens.papers.raw_page import RawLine, RawPage

_PROSE_WORDS = 4
_FEWEST = 8  # prose lines on each side before a page counts as having two columns
_OVERLAP = 0.6  # share of their height that the cells of a row have in common


def in_reading_order(page: RawPage) -> RawPage:
    """PDFium's order is the file's, and nearly always right. It is changed only where it runs to and fro between columns."""
    lines = _split_at_gutter(page.lines)
    if _runs_to_and_fro(lines):
        lines = _column_by_column(lines)
    return page._replace(lines=_rows_joined(lines))


def _middle(lines: Sequence[RawLine]) -> float:
    """The middle of the block of text, which need not be the middle of the page."""
    lefts = sorted(line.box[0] for line in lines)
    rights = sorted(line.box[2] for line in lines)
    return (lefts[len(lefts) // 20] + rights[-1 - len(rights) // 20]) / 2


def _side(line: RawLine, middle: float) -> str:
    """Left, Right, or both: Full."""
    slack = 0.5 * line.size
    if line.box[2] < middle + slack:
        return "L"
    return "R" if line.box[0] > middle - slack else "F"


def _runs_to_and_fro(lines: Sequence[RawLine]) -> bool:
    prose = [line for line in lines if len(line.words) >= _PROSE_WORDS]
    if len(prose) < 2 * _FEWEST:
        return False
    middle = _middle(lines)
    sides = [_side(line, middle) for line in prose]
    smaller = min(sides.count("L"), sides.count("R"))
    if smaller < _FEWEST or sides.count("F") > 0.5 * smaller:  # a page of one column, its lines cut by formulas
        return False
    halves = [side for side in sides if side != "F"]
    return sum(a != b for a, b in pairwise(halves)) > 0.5 * smaller


def _column_by_column(lines: Sequence[RawLine]) -> list[RawLine]:
    """Full-width lines cut the page into bands; in each band the left column comes before the right."""
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
    """Lines of both columns that the file draws as one are cut where most of them have their gap."""
    if len(lines) < _FEWEST:
        return lines
    middle = _middle(lines)
    cuts = {index: cut for index, line in enumerate(lines) if (cut := _gap_at(line, middle))}
    crossing = sum(line.box[0] < middle < line.box[2] for line in lines)
    if len(cuts) < _FEWEST or len(cuts) < 0.5 * crossing:
        return lines
    split: list[RawLine] = []
    for index, line in enumerate(lines):
        cut = cuts.get(index, 0)
        split += [_part(line, 0, cut), _part(line, cut, len(line.words))] if cut else [line]
    return split


def _gap_at(line: RawLine, middle: float) -> int:
    """The word after a wide gap near the middle, with prose on both sides of it; 0 if there is none."""
    for index in range(_PROSE_WORDS - 1, len(line.words) - _PROSE_WORDS + 2):
        before, after = line.words[index - 1], line.words[index]
        if after.x0 - before.x1 > 1.2 * line.size and before.x1 < middle + 2 * line.size and after.x0 > middle - 2 * line.size:
            return index
    return 0


def _part(line: RawLine, first: int, last: int) -> RawLine:
    words = line.words[first:last]
    broken = line.broken and last == len(line.words)
    return line._replace(words=words, box=(words[0].x0, line.box[1], words[-1].x1, line.box[3]), broken=broken)


def _rows_joined(lines: Sequence[RawLine]) -> list[RawLine]:
    """Cells that follow one another on the same height, the short ones of tables, become one line."""
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
