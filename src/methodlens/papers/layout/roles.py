"""The role of each line: body text, heading, caption, table, footnote, or lettering of a figure."""

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from methodlens.papers.layout.headings import is_heading
from methodlens.papers.layout.joining import continues_link
from methodlens.papers.layout.table_grid import TableLine, is_value, segments
from methodlens.papers.raw_page import RawLine, RawPage

_CAPTION = re.compile(
    r"(?:Fig(?:ure|\.)?|FIG(?:URE|\.)?|Tab(?:le|\.)|TABLE|Scheme|Algorithm|Box|Plate)"
    r"\.?\s*(?:[A-Z]?\.?\d+[a-z]?|[IVX]{1,5})\b(.*)"
)
_REFERS = re.compile(r"(?:\b(?:and|as|both|by|from|in|of|on|or|see|than|that|the|to|with)|[(,;&])$", re.IGNORECASE)
_DIGITS = frozenset("0123456789")
_SAME_GAP = 0.1  # of the font size: gaps of a justified line differ by less
_NOTE = re.compile(r"(?:\d{1,2}|[*†‡§¶#∗⁎])\s*[A-Za-z(“\"]|https?://|\d{1,2}\. .{0,40}https?://")


class Role(StrEnum):
    BODY = "body"
    HEADING = "heading"
    CAPTION = "caption"
    TABLE = "table"
    NOTE = "note"
    LETTERING = "lettering"

    @property
    def floats(self) -> bool:
        """Whether it may interrupt a sentence of the body."""
        return self not in (Role.BODY, Role.HEADING)


class LayoutLine(NamedTuple):
    line: RawLine
    page: int
    role: Role
    table: TableLine | None = None
    run_in: int = 0  # the length of a heading on the same line as its text


def body_size(pages: Sequence[RawPage]) -> float:
    """The most common font size."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[round(2 * line.size) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def with_roles(pages: Sequence[RawPage]) -> list[LayoutLine]:
    """Every line with its role, in reading order."""
    body = body_size(pages)
    lines: list[LayoutLine] = []
    prose = ""
    for page in pages:
        previous: LayoutLine | None = None
        for line in page.lines:
            previous = LayoutLine(line, page.number, _role(line, page, body, previous, prose))
            lines.append(previous)
            prose = line.text if previous.role is Role.BODY else prose
    return lines


def starts_caption(text: str) -> bool:
    return _CAPTION.match(text) is not None


def _role(line: RawLine, page: RawPage, body: float, previous: LayoutLine | None, prose: str) -> Role:
    """`prose` is the last line of the body, perhaps on the page before."""
    text = line.text
    follows = previous is not None and _follows(previous.line, line)
    in_body_font = abs(line.size - body) < 0.04 * body
    if _is_caption(line, text, body, follows=follows) and not (in_body_font and not line.bold and _REFERS.search(prose)):
        return Role.CAPTION
    after = previous.role if previous and follows else None
    alike = previous is not None and abs(line.size - previous.line.size) < 0.06 * line.size
    if after is Role.CAPTION and previous and (alike or _is_label(previous.line.text)):
        if _is_row(line, in_table=True) or _is_first_row(previous.line, line):
            return Role.TABLE
        if not (previous.line.text.endswith(".") and line.size > 0.97 * body):
            return Role.CAPTION
    # the head of a table is often bold: in a table, only size or a number make a heading
    in_table = after in (Role.CAPTION, Role.TABLE) or _gaps(line) > 0
    bold = line.bold and line.lead in (0, len(line.words))  # not the first words of a sentence alone; 0 is unknown
    if is_heading(text, larger=line.size > 1.05 * body, bold=bold and not in_table):
        return Role.HEADING
    in_sentence = after is Role.BODY and alike and previous is not None and _continues(previous.line, line)
    if (_is_row(line, in_table=after is Role.TABLE) and not in_sentence) or (after is Role.TABLE and len(line.words) < 6):
        return Role.TABLE
    small = line.size < 0.93 * body
    goes_on = after is Role.BODY and alike  # the next line of a paragraph in smaller print, such as an abstract
    note = _NOTE.match(text) or after is Role.NOTE or (line.box[1] > 0.88 * page.height and not goes_on)
    if small and note and line.box[1] > 0.55 * page.height:
        return Role.NOTE
    if previous and follows and continues_link(previous.line.text, text):
        return previous.role  # links in another font must stay in one piece
    if small and alike and after in (Role.CAPTION, Role.TABLE):
        return after  # the notes below a table, a caption in two sizes
    if abs(line.size - body) > 0.12 * body and len(line.words) < 4 and not goes_on:
        return Role.LETTERING
    return Role.BODY


def _is_caption(line: RawLine, text: str, body: float, *, follows: bool) -> bool:
    """'Figure 3. The nets' is a caption; 'Figure 3 shows the nets' in the font of the body, inside a paragraph, is not."""
    match = _CAPTION.match(text)
    if not match:
        return False
    rest = match[1].strip()
    marked = not rest or rest[0] in ".:|–—-(" or line.bold
    if follows and abs(line.size - body) < 0.04 * body:
        return marked
    return marked or rest[:1].isupper() or line.size < 0.97 * body


def _is_label(text: str) -> bool:
    """Whether a caption is only "Table 2": its words follow in the next line, often in another size."""
    match = _CAPTION.match(text)
    return bool(match and match[1].strip(" .:") == "")


def _is_row(line: RawLine, *, in_table: bool) -> bool:
    """A row is mostly numbers or has wide gaps. Gaps alone count only inside a table, because justified lines have them too."""
    count = len(line.words)
    if count < 3:
        return False
    numbers = sum(not _DIGITS.isdisjoint(word.text) for word in line.words)
    if numbers >= 0.8 * count:
        return True
    gaps = _gaps(line)
    return gaps >= 2 and (numbers >= 0.3 * count or (in_table and gaps >= 0.4 * count))


def _continues(before: RawLine, line: RawLine) -> bool:
    """Whether a line goes on with the sentence of the line above and is as wide: justified lines in narrow columns have gaps."""
    edges = abs(line.box[0] - before.box[0]) < 0.5 * line.size and abs(line.box[2] - before.box[2]) < 0.5 * line.size
    return edges and line.text[:1].islower() and not before.text.endswith((".", ":", ";", "!", "?"))


def _is_first_row(caption: RawLine, line: RawLine) -> bool:
    """Whether the line below a line of a caption is the first row of a table, even if it has only two cells."""
    gaps = _gaps(line)
    if gaps > 1:
        return gaps >= 0.25 * len(line.words)
    set_apart = caption.text.endswith(".") or abs(line.box[0] - caption.box[0]) > line.size
    parts = segments(line)
    return gaps == 1 and (set_apart or is_value(parts[1].text)) and max(len(part.words) for part in parts) < 7


def _gaps(line: RawLine) -> int:
    """The number of wide gaps between words. A justified line has none: its gaps are all the same, unlike those of a table."""
    gaps = [after.x0 - before.x1 for before, after in pairwise(line.words)]
    if len(gaps) > 1 and max(gaps) - min(gaps) < _SAME_GAP * line.size:
        return 0
    return sum(gap > 0.9 * line.size for gap in gaps)


def _follows(before: RawLine, line: RawLine) -> bool:
    """Directly below, in the same column."""
    gap = line.box[1] - before.box[3]
    overlaps = line.box[0] < before.box[2] and before.box[0] < line.box[2]
    return overlaps and -0.8 * line.size < gap < 0.9 * line.size and line.box[1] > before.box[1]
