"""What stands between two parts of a sentence: the lettering of a figure, a licence, the rest of a table, a box."""

from collections.abc import Sequence

from methodlens.papers.layout.roles import LayoutLine, Role
from methodlens.papers.raw_page import RawLine

_SMALLER = 0.92  # font size of small print, relative to the body
_LONGEST_RUN = 25  # lines
_PRINTED_WORDS = 6  # a shorter line of small print is the lettering of a figure
_ENDS = (".", "!", "?", ":", ";", ".”", ".)")
_LONGEST_BOX = 80  # lines
_FARTHEST = 400  # lines that a box is moved over


def with_interruptions(items: Sequence[LayoutLine], body: float) -> list[LayoutLine]:
    """The same lines; those that interrupt a sentence get a role that floats, so that the sentence stays whole."""
    lines = list(items)
    at = 0
    while at < len(lines):
        stop = _end_of_small_print(lines, at, body)
        if stop and _goes_on(lines, at, stop, body):
            lines[at:stop] = [_as_float(item) for item in lines[at:stop]]
        at = max(at + 1, stop)
    return lines


def with_boxes_moved(items: Sequence[LayoutLine]) -> list[LayoutLine]:
    """A box with a heading of its own ("Author Summary") that interrupts a sentence goes before the section around it.

    A box stands at the top of a column or page: the sentence breaks off before its heading and goes on, after a gap, below the
    last sentence of the box.
    """
    lines = list(items)
    section = 0  # where the headings of the section around the line begin
    for at, item in enumerate(lines):
        if item.role is not Role.HEADING or (at and lines[at - 1].role is Role.HEADING):
            continue
        stop = _end_of_box(lines, at) if at - section <= _FARTHEST else 0
        if stop:
            lines[section:stop] = [*lines[at:stop], *lines[section:at]]
            section += stop - at
        else:
            section = at
    return lines


def _end_of_box(lines: Sequence[LayoutLine], at: int) -> int:
    """The end of the box whose heading is here; 0 if this is no box."""
    before = next((item for item in reversed(lines[max(0, at - _LONGEST_RUN) : at]) if not item.role.floats), None)
    if before is None or before.role is not Role.BODY or before.line.text.endswith(_ENDS) or not _is_above(lines[at], before):
        return 0
    last, in_heading = lines[at], True
    for stop in range(at + 1, min(len(lines), at + _LONGEST_BOX)):
        item = lines[stop]
        if item.role.floats:
            continue
        if item.role is Role.HEADING and not in_heading:
            return 0
        in_heading = item.role is Role.HEADING
        if not in_heading and item.line.text[:1].islower() and last.line.text.endswith(_ENDS) and not _is_next_line(last, item):
            return 0 if last.role is Role.HEADING else stop
        last = item
    return 0


def _is_above(item: LayoutLine, before: LayoutLine) -> bool:
    """Whether a line is on the next page or in the next column."""
    return item.page != before.page or item.line.box[3] < before.line.box[1]


def _is_small(line: RawLine, body: float) -> bool:
    return line.upright and line.size < _SMALLER * body  # the size of a rotated line is the width of its letters


def _end_of_small_print(lines: Sequence[LayoutLine], at: int, body: float) -> int:
    """The end of the run of small lines that begins here, over lines that float; 0 if none does."""
    if lines[at].role is not Role.BODY or not _is_small(lines[at].line, body):
        return 0
    stop = at
    while stop < min(len(lines), at + _LONGEST_RUN) and (lines[stop].role.floats or _is_small(lines[stop].line, body)):
        if lines[stop].role is Role.HEADING:
            return 0
        stop += 1
    return stop


def _goes_on(lines: Sequence[LayoutLine], at: int, stop: int, body: float) -> bool:
    """Whether the sentence before the run goes on after it."""
    before = next((item for item in reversed(lines[max(0, at - _LONGEST_RUN) : at]) if not item.role.floats), None)
    after = lines[stop] if stop < len(lines) else None
    if before is None or after is None or before.role is not Role.BODY or after.role is not Role.BODY:
        return False
    if _is_small(before.line, body) or _is_small(after.line, body):
        return False
    if _is_next_line(before, lines[at]) or _is_next_line(lines[stop - 1], after):
        return False
    return (before.line.broken or not before.line.text.endswith(_ENDS)) and after.line.text[:1].islower()


def _is_next_line(before: LayoutLine, item: LayoutLine) -> bool:
    """Whether the line is where the next line of the paragraph is: a formula in a line makes it look small."""
    gap = item.line.box[1] - before.line.box[3]
    size = before.line.size
    same_line = abs(item.line.box[1] - before.line.box[1]) < 0.6 * size
    below = abs(item.line.box[0] - before.line.box[0]) < size and abs(gap) < 0.6 * size
    return item.page == before.page and (same_line or below)


def _as_float(item: LayoutLine) -> LayoutLine:
    if item.role.floats:
        return item
    return item._replace(role=Role.NOTE if len(item.line.words) >= _PRINTED_WORDS else Role.LETTERING)
