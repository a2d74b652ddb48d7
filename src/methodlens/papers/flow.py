"""Printed lines -> clean text: running heads taken out, broken words joined, paragraphs apart, offsets to every line kept."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from methodlens.papers.extract import RawLine, RawPage
from methodlens.papers.headings import is_heading, run_in
from methodlens.records import Box, Line, Page

_FOLDED = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": "-", "\u200b": "", "\ufeff": ""}
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"[^\W_][^\s]*$")
_FIRST = re.compile(r"^[^\W_]+")
_MARGIN = 0.09  # running heads stand within this share of the page's height


class Flow(NamedTuple):
    text: str
    pages: tuple[Page, ...]
    lines: tuple[Line, ...]
    headings: tuple[tuple[int, int], ...]
    """Spans of the lines that look like headings."""


class _Printed(NamedTuple):
    text: str
    box: Box
    size: float
    broken: bool
    page: int


def flow(pages: Sequence[RawPage]) -> Flow:
    """The text of the pages in PDFium's order, with a span for every page and line."""
    printed = [line for page in pages for line in _body(page, _running_heads(pages))]
    sizes = Counter(line.size for line in printed for _ in range(len(line.text) // 10 + 1))
    body_size = sizes.most_common(1)[0][0] if sizes else 0.0
    vocabulary = Counter(word.lower() for line in printed for word in _WORD.findall(line.text))
    builder = _Builder(vocabulary)
    previous: _Printed | None = None
    for line in printed:
        heading = len(line.text) if is_heading(line.text, larger=line.size > 1.05 * body_size) else run_in(line.text)
        builder.add(
            line, starts_paragraph=bool(heading) or previous is None or _starts_paragraph(previous, line), heading=heading
        )
        previous = line if heading < len(line.text) else None
    return builder.finish(pages)


class _Builder:
    def __init__(self, vocabulary: Counter[str]) -> None:
        self.vocabulary = vocabulary
        self.parts: list[str] = []
        self.length = 0
        self.lines: list[Line] = []
        self.headings: list[tuple[int, int]] = []
        self.broken = False

    def add(self, line: _Printed, *, starts_paragraph: bool, heading: int) -> None:
        if self.parts:
            self._append(self._joint(line, starts_paragraph=starts_paragraph))
        start = self.length
        self._append(line.text)
        self.lines.append(Line(start, self.length, line.page, _rounded(line.box)))
        if heading:
            self.headings.append((start, start + heading))
        self.broken = line.broken

    def _joint(self, line: _Printed, *, starts_paragraph: bool) -> str:
        if self.broken:  # a word that goes on goes on, whatever the layout says
            return self._hyphen(self.parts[-1], line.text)
        return "\n" if starts_paragraph else " "

    def _hyphen(self, before: str, after: str) -> str:
        """'' when the hyphen was the printer's, '-' when it was the authors': what the rest of the paper does decides."""
        left, right = _LAST.search(before), _FIRST.match(after)
        if not left or not right:
            return "-"
        first, second = left[0].lower(), right[0].lower()
        if not right[0].islower() or any(char.isdigit() for char in first):
            return "-"
        joined, hyphened = self.vocabulary[first + second], self.vocabulary[f"{first}-{second}"]
        return "-" if hyphened > joined else ""

    def _append(self, part: str) -> None:
        self.parts.append(part)
        self.length += len(part)

    def finish(self, pages: Sequence[RawPage]) -> Flow:
        spans: list[Page] = []
        at = 0
        for page in pages:
            on_page = [line for line in self.lines[_first_on(self.lines, page.number) :] if line.page == page.number]
            start, end = (on_page[0].start, on_page[-1].end) if on_page else (at, at)
            spans.append(Page(page.number, round(page.width, 1), round(page.height, 1), start, end))
            at = end
        return Flow("".join(self.parts), tuple(spans), tuple(self.lines), tuple(self.headings))


def _first_on(lines: Sequence[Line], page: int) -> int:
    return next((index for index, line in enumerate(lines) if line.page >= page), len(lines))


def _rounded(box: Box) -> Box:
    x0, y0, x1, y1 = box
    return (round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1))


def _body(page: RawPage, running: frozenset[str]) -> Iterable[_Printed]:
    for line in page.lines:
        if _in_margin(line, page) and _mask(line.text) in running:
            continue
        text = " ".join(_CONTROL.sub(" ", line.text.translate(_FOLDED)).split())
        hyphen = text.endswith(("-", "‐")) and len(text) > 1 and text[-2].isalpha()
        text = text[:-1] if hyphen else text
        if text:
            yield _Printed(text, line.box, line.size, line.broken or hyphen, page.number)


def _running_heads(pages: Sequence[RawPage]) -> frozenset[str]:
    """Margin lines, numbers masked, that stand on at least a third of the pages (and on three, or on every page of two)."""
    on_pages: Counter[str] = Counter()
    for page in pages:
        on_pages.update({_mask(line.text) for line in page.lines if _in_margin(line, page)})
    least = max(min(3, len(pages)), len(pages) / 3, 2)
    return frozenset({text for text, count in on_pages.items() if count >= least} | {"#", "-#-", "page#", "#of#"})


def _in_margin(line: RawLine, page: RawPage) -> bool:
    return line.box[1] < _MARGIN * page.height or line.box[3] > (1 - _MARGIN) * page.height


def _mask(text: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\s+", "", text.lower()))


def _starts_paragraph(previous: _Printed, line: _Printed) -> bool:
    ended = previous.text.endswith((".", "!", "?", ":", ".”", ".)"))
    if line.page != previous.page or line.box[1] < previous.box[1] - line.size:  # the next page or column
        return ended and line.text[:1].isupper() and previous.box[2] - previous.box[0] < 0.7 * (line.box[2] - line.box[0])
    gap = (line.box[1] + line.box[3] - previous.box[1] - previous.box[3]) / 2
    if gap > 1.9 * min(line.size, previous.size) or abs(line.size - previous.size) > 0.25 * previous.size:
        return True
    indented = line.box[0] > previous.box[0] + 0.6 * line.size and line.box[0] < previous.box[2]
    return ended and (indented or previous.box[2] < line.box[2] - 3 * line.size)


def title_of(pages: Sequence[RawPage]) -> str:
    """The largest text in the upper half of the first page; a poor man's title that a later issue improves."""
    first = next((page for page in pages if page.lines), None)
    if first is None:
        return ""
    upper = [line for line in first.lines if line.box[1] < 0.5 * first.height and len(line.text) > 3]
    if not upper:
        return ""
    common = median(line.size for line in upper)
    # the masthead of a journal may be larger than the title, but is rarely longer than a few words
    for size in sorted({line.size for line in upper}, reverse=True):
        lines = [line for line in upper if abs(line.size - size) < 0.2]
        text = " ".join(_CONTROL.sub(" ", line.text.translate(_FOLDED)).strip() for line in _run(lines))
        if size >= common and len(text.split()) >= 4:
            return " ".join(text.split())[:300]
    return ""


def _run(lines: Sequence[RawLine]) -> list[RawLine]:
    """The first lines that follow one another closely."""
    run = list(lines[:1])
    for before, line in pairwise(lines):
        if line.box[1] - before.box[3] > before.size:
            break
        run.append(line)
    return run
