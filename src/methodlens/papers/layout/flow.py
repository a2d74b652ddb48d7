"""Turns printed lines into clean text, where each character is mapped to its place on the page.

Running heads are removed, columns are put in order, and broken words and links are joined. A caption, table or footnote in
the middle of a sentence is moved after the paragraph, so that the sentence stays whole.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from methodlens.papers.layout.columns import in_reading_order
from methodlens.papers.layout.heading_styles import with_styled_headings
from methodlens.papers.layout.headings import run_in_heading
from methodlens.papers.layout.interruptions import with_boxes_moved, with_interruptions
from methodlens.papers.layout.joining import continues_link, continues_word, hyphen_between, needs_no_space
from methodlens.papers.layout.margins import without_margins
from methodlens.papers.layout.roles import LayoutLine, Role, body_size, with_roles
from methodlens.papers.layout.table_grid import FoundTable
from methodlens.papers.layout.tables import with_tables
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import Line, Page, Table, TableRow, Word

_FOLDED = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
    | dict.fromkeys("\u00ad\u2010\u2011", "-")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", "")
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]")
_ROOT = re.compile(r"(?:ffi){2,}")  # the bar of a root, which some fonts build of pieces in the place of a ligature
_MATHEMATICAL = re.compile("[\U0001d400-\U0001d7ff]")  # italic letters of formulas: 𝑥 becomes x
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MAX_LABEL = 6  # words
_SENTENCE_ENDS = (".", "!", "?", ":", ".”", ".)", '."', ";")


class Flow(NamedTuple):
    text: str
    pages: tuple[Page, ...]
    lines: tuple[Line, ...]
    headings: tuple[tuple[int, int], ...]
    """Spans of the headings."""
    tables: tuple[Table, ...] = ()


def flow(pages: Sequence[RawPage]) -> Flow:
    kept = [in_reading_order(page) for page in without_margins(pages)]
    lines = with_tables([item._replace(line=clean) for item in with_roles(kept) if (clean := _clean(item.line))])
    body = body_size(kept)
    printed = with_boxes_moved(with_interruptions(with_styled_headings(lines, body), body))
    builder = _Builder(_vocabulary(printed))
    for item, starts in _in_order(printed):
        builder.add(item, starts_paragraph=starts)
    sizes = tuple(Page(page.number, round(page.width, 1), round(page.height, 1)) for page in pages)
    return Flow("".join(builder.parts), sizes, tuple(builder.lines), tuple(builder.headings), tuple(builder.tables()))


def _vocabulary(printed: Sequence[LayoutLine]) -> Counter[str]:
    """How often the paper writes each word, not counting words broken at the end of a line.

    Also counts the first parts of compounds ("cross-").
    """
    words: Counter[str] = Counter()
    after_break = False
    for item in printed:
        written = _WORD.findall(item.line.text.lower())
        words.update(written[after_break : len(written) - item.line.broken])
        after_break = item.line.broken
    words.update([f"{word.partition('-')[0]}-" for word in words if "-" in word])
    return words


def _in_order(printed: Sequence[LayoutLine]) -> Iterator[tuple[LayoutLine, bool]]:
    """Each line, and whether it starts a paragraph. Floats are moved to the end of the paragraph around them."""
    waiting: list[LayoutLine] = []
    last: LayoutLine | None = None
    for item in printed:
        if item.role.floats:
            waiting.append(item)
            continue
        heading = item.role is Role.HEADING or item.run_in > 0
        starts = last is None or heading or last.role is Role.HEADING or _starts_paragraph(last, item)
        if starts and item.role is Role.HEADING and last and last.role is Role.HEADING and _same_heading(last, item):
            starts = False
        if starts:
            yield from _floats(waiting)
            waiting = []
        yield item, starts
        last = item
    yield from _floats(waiting)


def _floats(waiting: Sequence[LayoutLine]) -> Iterator[tuple[LayoutLine, bool]]:
    last: LayoutLine | None = None
    for item in waiting:
        same = last is not None and (last.role, last.page) == (item.role, item.page) and item.role in (Role.CAPTION, Role.NOTE)
        if item.table and last is not None and item.table == last.table:
            yield item, False  # the next line of the same row
            last = item
            continue
        starts_note = item.role is Role.NOTE and item.line.text[:1].isdigit()
        yield item, not same or starts_note or (last is not None and _starts_paragraph(last, item))
        last = item


def _same_heading(last: LayoutLine, item: LayoutLine) -> bool:
    """A heading over two lines: the same size, close together, and the second line not numbered."""
    gap = item.line.box[1] - last.line.box[3]
    same_style = last.page == item.page and last.line.size == item.line.size
    return same_style and gap < 0.5 * item.line.size and not item.line.text[:1].isdigit()


def _starts_paragraph(last: LayoutLine, item: LayoutLine) -> bool:
    before, line = last.line, item.line
    if before.broken:
        return False
    ended = before.text.endswith(_SENTENCE_ENDS)
    if _is_labelled(line) and (line.font != before.font or _is_labelled(before)):
        return True
    if item.page != last.page or line.box[1] < before.box[1] - line.size:  # the next page or column
        return ended and line.text[:1].isupper() and before.box[2] - before.box[0] < 0.7 * (line.box[2] - line.box[0])
    if not ended and line.text[:1].islower():
        return False
    gap = (line.box[1] + line.box[3] - before.box[1] - before.box[3]) / 2
    if gap > 1.9 * min(line.size, before.size) or abs(line.size - before.size) > 0.25 * before.size:
        return True
    indented = line.box[0] > before.box[0] + 0.6 * line.size and line.box[0] < before.box[2]
    return ended and (indented or before.box[2] < line.box[2] - 3 * line.size)


def _is_labelled(line: RawLine) -> bool:
    """Whether it begins with a label in a font of its own: "Conclusions: We found"."""
    return 0 < line.lead < len(line.words) and line.lead <= _MAX_LABEL and line.words[line.lead - 1].text.endswith(":")


def _clean(line: RawLine) -> RawLine | None:
    """The line with ligatures and unusual characters folded. A hyphen at its end is removed and sets `broken`."""
    words = [clean for word in line.words if (clean := _clean_word(word)).text]
    broken = line.broken
    if words and not broken and len(words[-1].text) > 1 and words[-1].text[-1] == "-" and words[-1].text[-2].isalpha():
        words[-1] = words[-1]._replace(text=words[-1].text[:-1])
        broken = True
    return line._replace(words=tuple(words), broken=broken) if words else None


def _clean_word(word: RawWord) -> RawWord:
    text = word.text
    if text.isascii() and text.isprintable() and "ffiffi" not in text:
        return word
    text = _MATHEMATICAL.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text.translate(_FOLDED))
    return word._replace(text="".join(_ROOT.sub("√", _CONTROL.sub("", text)).split()))


class _Builder:
    """Joins lines to a text and records the offsets of each line."""

    def __init__(self, vocabulary: Counter[str]) -> None:
        self.vocabulary = vocabulary
        self.parts: list[str] = []
        self.length = 0
        self.lines: list[Line] = []
        self.headings: list[tuple[int, int]] = []
        self._tables: dict[int, tuple[FoundTable, dict[int, tuple[int, int]]]] = {}
        self.last: RawLine | None = None

    def add(self, item: LayoutLine, *, starts_paragraph: bool) -> None:
        text = item.line.text
        if self.last:
            self._append(self._separator(self.last, text, starts_paragraph=starts_paragraph))
        start = self.length
        self._append(text)
        self.lines.append(_with_offsets(item, start))
        if item.role is Role.HEADING and not starts_paragraph and self.headings and self.headings[-1][1] >= start - 1:
            self.headings[-1] = (self.headings[-1][0], self.length)
        elif item.role is Role.HEADING:
            self.headings.append((start, self.length))
        elif starts_paragraph and item.role is Role.BODY and (size := item.run_in or run_in_heading(text)):
            self.headings.append((start, start + size))
        if item.table:
            _, spans = self._tables.setdefault(id(item.table.table), (item.table.table, {}))
            spans[item.table.row] = (spans.get(item.table.row, (start,))[0], self.length)
        self.last = item.line

    def tables(self) -> Iterator[Table]:
        for found, spans in self._tables.values():
            rows = [TableRow(*spans[number], row.cells) for number, row in enumerate(found.grid.rows)]
            start, end = min(first for first, _ in spans.values()), max(last for _, last in spans.values())
            yield Table(found.label, start, end, found.grid.heads, found.grid.header.cells, tuple(rows))

    def _separator(self, last: RawLine, text: str, *, starts_paragraph: bool) -> str:
        if starts_paragraph:
            return "-\n" if last.broken else "\n"
        if last.broken:
            return hyphen_between(last.text, text, self.vocabulary)
        if continues_link(last.text, text) or needs_no_space(last.text, text):
            return ""
        return "" if continues_word(last.text, text, self.vocabulary) else " "

    def _append(self, part: str) -> None:
        self.parts.append(part)
        self.length += len(part)


def _with_offsets(item: LayoutLine, start: int) -> Line:
    words: list[Word] = []
    at = 0
    for word in item.line.words:
        words.append(Word(at, at + len(word.text), round(word.x0, 1), round(word.x1, 1)))
        at += len(word.text) + 1
    top, bottom = round(item.line.box[1], 1), round(item.line.box[3], 1)
    return Line(start, start + at - 1, item.page, top, bottom, tuple(words))
