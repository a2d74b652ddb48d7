"""Printed lines -> clean text, each character with its way back to the page.

Running heads are gone, columns stand one after the other, broken words and links are joined. A caption, table or footnote
that the page puts into the middle of a sentence comes after the paragraph, so the sentence stays whole.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from methodlens.papers.layout.columns import in_reading_order
from methodlens.papers.layout.headings import run_in
from methodlens.papers.layout.joining import hyphen_between, link_goes_on, runs_on
from methodlens.papers.layout.margins import without_margins
from methodlens.papers.layout.roles import Printed, Role, with_roles
from methodlens.papers.raw_page import RawLine, RawPage, RawWord
from methodlens.records import Line, Page, Word

_FOLDED = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
    | dict.fromkeys("\u00ad\u2010\u2011", "-")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", "")
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]")
_MATHEMATICAL = re.compile("[\U0001d400-\U0001d7ff]")  # letters in italics for formulas: 𝑥 is an x
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ENDED = (".", "!", "?", ":", ".”", ".)", '."', ";")


class Flow(NamedTuple):
    text: str
    pages: tuple[Page, ...]
    lines: tuple[Line, ...]
    headings: tuple[tuple[int, int], ...]
    """Spans of the headings."""


def flow(pages: Sequence[RawPage]) -> Flow:
    kept = [in_reading_order(page) for page in without_margins(pages)]
    printed = [one._replace(line=clean) for one in with_roles(kept) if (clean := _clean(one.line))]
    vocabulary = Counter(word.lower() for one in printed for word in _WORD.findall(one.line.text))
    builder = _Builder(vocabulary)
    for one, starts in _in_order(printed):
        builder.add(one, starts_paragraph=starts)
    sizes = tuple(Page(page.number, round(page.width, 1), round(page.height, 1)) for page in pages)
    return Flow("".join(builder.parts), sizes, tuple(builder.lines), tuple(builder.headings))


def _in_order(printed: Sequence[Printed]) -> Iterator[tuple[Printed, bool]]:
    """Each line, and whether it opens a paragraph. What floats waits until the paragraph around it has ended."""
    waiting: list[Printed] = []
    last: Printed | None = None
    for one in printed:
        if one.role.floats:
            waiting.append(one)
            continue
        starts = last is None or one.role is Role.HEADING or last.role is Role.HEADING or _starts_paragraph(last, one)
        if starts and one.role is Role.HEADING and last and last.role is Role.HEADING and _same_heading(last, one):
            starts = False
        if starts:
            yield from _floats(waiting)
            waiting = []
        yield one, starts
        last = one
    yield from _floats(waiting)


def _floats(waiting: Sequence[Printed]) -> Iterator[tuple[Printed, bool]]:
    before: Printed | None = None
    for one in waiting:
        same = (
            before is not None and before.role is one.role and one.role in (Role.CAPTION, Role.NOTE) and before.page == one.page
        )
        opens = one.role is Role.NOTE and one.line.text[:1].isdigit()
        yield one, not same or opens or (before is not None and _starts_paragraph(before, one))
        before = one


def _same_heading(last: Printed, one: Printed) -> bool:
    """A heading over two lines: the same type, close below, and the second not numbered."""
    gap = one.line.box[1] - last.line.box[3]
    return (
        last.page == one.page
        and last.line.size == one.line.size
        and gap < 0.5 * one.line.size
        and not one.line.text[:1].isdigit()
    )


def _starts_paragraph(last: Printed, one: Printed) -> bool:
    before, line = last.line, one.line
    if before.broken:
        return False
    ended = before.text.endswith(_ENDED)
    if one.page != last.page or line.box[1] < before.box[1] - line.size:  # the next page or column
        return ended and line.text[:1].isupper() and before.box[2] - before.box[0] < 0.7 * (line.box[2] - line.box[0])
    if not ended and line.text[:1].islower():
        return False
    gap = (line.box[1] + line.box[3] - before.box[1] - before.box[3]) / 2
    if gap > 1.9 * min(line.size, before.size) or abs(line.size - before.size) > 0.25 * before.size:
        return True
    indented = line.box[0] > before.box[0] + 0.6 * line.size and line.box[0] < before.box[2]
    return ended and (indented or before.box[2] < line.box[2] - 3 * line.size)


def _clean(line: RawLine) -> RawLine | None:
    """Its words with ligatures and odd characters folded; a hyphen at its end taken off and remembered."""
    words = [clean for word in line.words if (clean := _clean_word(word)).text]
    broken = line.broken
    if words and not broken and len(words[-1].text) > 1 and words[-1].text[-1] == "-" and words[-1].text[-2].isalpha():
        words[-1] = words[-1]._replace(text=words[-1].text[:-1])
        broken = True
    return line._replace(words=tuple(words), broken=broken) if words else None


def _clean_word(word: RawWord) -> RawWord:
    text = word.text
    if text.isascii() and text.isprintable():
        return word
    text = _MATHEMATICAL.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text.translate(_FOLDED))
    return word._replace(text="".join(_CONTROL.sub("", text).split()))


class _Builder:
    """Puts lines together and notes where each came to stand."""

    def __init__(self, vocabulary: Counter[str]) -> None:
        self.vocabulary = vocabulary
        self.parts: list[str] = []
        self.length = 0
        self.lines: list[Line] = []
        self.headings: list[tuple[int, int]] = []
        self.last: RawLine | None = None

    def add(self, one: Printed, *, starts_paragraph: bool) -> None:
        text = one.line.text
        if self.last:
            self._append(self._joint(self.last, text, starts_paragraph=starts_paragraph))
        start = self.length
        self._append(text)
        self.lines.append(_placed(one, start))
        if one.role is Role.HEADING and not starts_paragraph and self.headings and self.headings[-1][1] >= start - 1:
            self.headings[-1] = (self.headings[-1][0], self.length)
        elif one.role is Role.HEADING:
            self.headings.append((start, self.length))
        elif starts_paragraph and one.role is Role.BODY and (size := run_in(text)):
            self.headings.append((start, start + size))
        self.last = one.line

    def _joint(self, last: RawLine, text: str, *, starts_paragraph: bool) -> str:
        if starts_paragraph:
            return "-\n" if last.broken else "\n"
        if last.broken:
            return hyphen_between(last.text, text, self.vocabulary)
        return "" if link_goes_on(last.text, text) or runs_on(last.text, text) else " "

    def _append(self, part: str) -> None:
        self.parts.append(part)
        self.length += len(part)


def _placed(one: Printed, start: int) -> Line:
    words: list[Word] = []
    at = 0
    for word in one.line.words:
        words.append(Word(at, at + len(word.text), round(word.x0, 1), round(word.x1, 1)))
        at += len(word.text) + 1
    top, bottom = round(one.line.box[1], 1), round(one.line.box[3], 1)
    return Line(start, start + at - 1, one.page, top, bottom, tuple(words))
