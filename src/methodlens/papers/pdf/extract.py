"""Opens PDFs and reads their characters as printed lines. Runs only inside the worker process: PDFium may crash on a bad file."""

import ctypes
import re
from collections.abc import Iterator

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from numpy.typing import NDArray

from methodlens.papers.pdf.glyphs import Glyphs, Unreadable, View
from methodlens.papers.raw_page import RawLine, RawWord
from methodlens.records import PaperStatus

_LINE_END = np.array([ord("\n"), ord("\r")], "<u4")
_BROKEN_WORD = np.array([0x02, 0xFFFE], "<u4")  # PDFium's codes for a hyphen at the end of a line
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], "<u4")
_BOLD = re.compile(r"bold|black|heavy|demi|medi\b|medium|cmb|sfb|ecb|[-,]bd|lmroman.*-b|\.bi?$", re.IGNORECASE)  # CMBX is LaTeX's
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl|sfti|[-,](?:it|bi|i)$|\.b?i$", re.IGNORECASE)
_ITALIC_FLAG = 1 << 6  # of a font's descriptor
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_SUPERSCRIPT = 0.85  # the largest height of a superscript, relative to its line


def open_document(data: bytes, *, max_pages: int) -> pdfium.PdfDocument:
    """Opens a document, with the empty password if it needs one. Raises Unreadable."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as err:
        # PDFium may report the error of the file before: only an encrypted file has an /Encrypt entry
        if getattr(err, "err_code", None) == raw.FPDF_ERR_PASSWORD and b"/Encrypt" in data:
            raise Unreadable(PaperStatus.ENCRYPTED, "it is encrypted; save a copy without a password") from err
        raise Unreadable(PaperStatus.MALFORMED, "it is not a PDF that can be opened; download it again") from err
    if is_cut_short(data):
        raise Unreadable(PaperStatus.MALFORMED, "its end is missing, and with it some of the text; download it again")
    if not len(document):
        raise Unreadable(PaperStatus.MALFORMED, "it has no pages; download it again")
    if len(document) > max_pages:
        too_long = f"it has {len(document)} pages, the limit is {max_pages}; raise papers.max_pages or split it"
        raise Unreadable(PaperStatus.TOO_BIG, too_long)
    return document


def is_cut_short(data: bytes) -> bool:
    """Whether the file ends without its index of objects. PDFium would still open it, and half a paper would be missed."""
    last = data.rfind(b"endobj")
    if max(data.rfind(b"startxref"), data.rfind(b"trailer")) > last:
        return False
    return b"/XRef" not in data[max(0, data.rfind(b" obj", 0, max(0, last))) :]


def open_pages(document: pdfium.PdfDocument, numbers: range | None = None) -> Iterator[tuple[int, pdfium.PdfPage | None]]:
    """These pages or all, numbered from 1; None for a page that PDFium cannot load."""
    for number in numbers or range(1, len(document) + 1):
        try:
            page = document[number - 1]
        except pdfium.PdfiumError:
            yield number, None
            continue
        yield number, page
        page.close()


def lines(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, glyphs: Glyphs) -> list[RawLine]:
    """The glyphs as printed lines, in the order in which the file draws them."""
    if not glyphs.drawn.any():
        return []
    ends = np.isin(glyphs.codes, _LINE_END)
    hyphens = [at for at in np.flatnonzero(np.isin(glyphs.codes, _BROKEN_WORD)) if _is_hyphen(textpage, int(glyphs.numbers[at]))]
    ends[hyphens] = True
    live = np.flatnonzero(glyphs.drawn & ~ends)
    if not live.size:
        return []
    segment = _segments(glyphs, ends, live)
    firsts, lasts = _words(segment, glyphs.drawn & ~ends & ~np.isin(glyphs.codes, _SPACES))
    page_lines = _Lines(glyphs, live, _Style(textpage, View(page)))
    # each line has a range of drawn glyphs and a range of words
    numbers, start = np.unique(segment[live], return_index=True)
    bounds = [*start.tolist(), live.size]
    of_word = segment[firsts]
    first_word, last_word = np.searchsorted(of_word, numbers), np.searchsorted(of_word, numbers, side="right")
    words = list(zip(firsts.tolist(), lasts.tolist(), strict=True))
    broken = set(segment[hyphens].tolist())
    return [
        page_lines.line(bounds[index], bounds[index + 1], words[low:high], broken=number in broken)
        for index, (number, low, high) in enumerate(zip(numbers.tolist(), first_word.tolist(), last_word.tolist(), strict=True))
        if high > low
    ]


def _is_hyphen(textpage: pdfium.PdfTextPage, number: int) -> bool:
    return bool(raw.FPDFText_IsHyphen(textpage.raw, number) == 1)


def _segments(glyphs: Glyphs, ends: NDArray[np.bool_], live: NDArray[np.intp]) -> NDArray[np.intp]:
    """The line number of each glyph. A line starts after a line end, and where PDFium missed one: at a glyph that is far
    above, below or to the left of the previous one."""
    x0, top, _, bottom = glyphs.boxes[live].T
    height = bottom - top
    tallest = np.maximum(np.maximum(height[:-1], height[1:]), 1.0)
    moved = (top[1:] != top[:-1]) | (x0[1:] < x0[:-1])
    far = (top[1:] > bottom[:-1]) | (bottom[1:] < top[:-1]) | (x0[1:] < x0[:-1] - 3 * tallest)
    begins = np.zeros(len(ends) + 1, np.intp)
    begins[1:] += ends
    after_end = np.cumsum(begins)[live]
    begins[live[1:][moved & far & (after_end[1:] == after_end[:-1])]] += 1
    return np.cumsum(begins)[:-1]


def _words(segment: NDArray[np.intp], inside: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The start and end of each word: runs of glyphs that are not spaces, split where a line ends."""
    joined = inside[1:] & inside[:-1] & (segment[1:] == segment[:-1])
    firsts = np.flatnonzero(inside & ~np.concatenate(([False], joined)))
    lasts = np.flatnonzero(inside & ~np.concatenate((joined, [False]))) + 1
    return firsts, lasts


class _Lines:
    """Builds lines from columns kept as lists: slicing lists is faster than numpy for lines of sixty characters."""

    def __init__(self, glyphs: Glyphs, live: NDArray[np.intp], style: "_Style") -> None:
        self._text = glyphs.text
        self._numbers = glyphs.numbers[live].tolist()
        self._number_of = glyphs.numbers.tolist()
        self._x0, self._top, self._x1, self._bottom = glyphs.boxes.T.tolist()
        drawn = glyphs.boxes[live]
        self._left, self._head, self._right, self._foot = drawn.T.tolist()
        self._height = (drawn[:, 3] - drawn[:, 1]).tolist()
        self._style = style

    def line(self, low: int, high: int, words: list[tuple[int, int]], *, broken: bool) -> RawLine:
        """The line of the drawn glyphs from `low` to `high`. Its top and bottom are medians, because fonts for formulas have
        boxes four times as high as the line."""
        middle = (high - low) // 2
        size = sorted(self._height[low:high])[middle]
        head, foot = sorted(self._head[low:high])[middle], sorted(self._foot[low:high])[middle]
        font, bold, italic, upright = self._style.of(self._numbers[low])
        if not upright:  # rotated: its characters are below one another
            head, foot = min(self._head[low:high]), max(self._foot[low:high])
        box = (min(self._left[low:high]), head, max(self._right[low:high]), foot)
        lead = self._lead(font, low, high, words)
        printed = tuple([self._word(*word, size, foot) for word in words])
        return RawLine(printed, box, round(size, 1), broken, bold, upright, italic, font, lead)

    def _lead(self, font: str, low: int, high: int, words: list[tuple[int, int]]) -> int:
        """How many words at the start of the line are in its first font."""
        if self._style.font(self._numbers[high - 1]) == font:
            return len(words)
        first, last = 0, len(words) - 1  # the word where the font changes is after `first` and not after `last`
        while first < last:
            middle = (first + last + 1) // 2
            if self._style.font(self._number_of[words[middle][0]]) == font:
                first = middle
            else:
                last = middle - 1
        return first + 1

    def _word(self, first: int, last: int, size: float, foot: float) -> RawWord:
        text, x0, x1 = self._text[first:last], self._x0[first], self._x1[last - 1]
        if self._x0[last - 1] < x0:  # from right to left
            x0, x1 = min(self._x0[first:last]), max(self._x1[first:last])
        raised = self._raised(first, last, size, foot) if last - first > 1 else 0
        return RawWord(self._with_exponent(text, first, size, foot) if "10" in text else text, x0, x1, raised)

    def _raised(self, first: int, last: int, size: float, foot: float) -> int:
        """How many characters at the end of a word, before a comma, are a superscript."""
        last -= self._text[last - 1] in ",;"
        at = last
        while at > first and self._is_raised(at - 1, size, foot):
            at -= 1
        return last - at

    def _is_raised(self, at: int, size: float, foot: float) -> bool:
        bottom = self._bottom[at]
        return bool(bottom < foot - 0.1 * size and bottom - self._top[at] < _SUPERSCRIPT * size)

    def _with_exponent(self, text: str, first: int, size: float, foot: float) -> str:
        """Adds a ^ before a superscript of a power of ten: 10⁻⁴ would otherwise read 10-4."""
        at = text.find("10") + 2
        if at >= len(text) or text[at] not in "-−–+0123456789":
            return text
        raised = self._is_raised(first + at, size, foot) and not self._is_raised(first + at - 1, size, foot)
        return f"{text[:at]}^{text[at:]}" if raised else text


class _Style:
    """Font and direction of a character. Read only where a line or a font begins, because these calls are slow."""

    def __init__(self, textpage: pdfium.PdfTextPage, view: View) -> None:
        self._handle = textpage.raw
        self._view = view
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()

    def of(self, index: int) -> tuple[str, bool, bool, bool]:
        """The name of the font, and whether it is bold, italic and upright on the page."""
        font = self.font(index)
        bold = bool(_BOLD.search(font)) or raw.FPDFText_GetFontWeight(self._handle, index) >= 600
        italic = bool(_ITALIC.search(font)) or bool(self._flags.value & _ITALIC_FLAG)
        angle = raw.FPDFText_GetCharAngle(self._handle, index)
        return font, bold, italic, self._view.is_upright(angle)

    def font(self, index: int) -> str:
        """Without the tag of a subset ('ABCDEF+')."""
        raw.FPDFText_GetFontInfo(self._handle, index, self._name, len(self._name), self._flags)
        return _SUBSET.sub("", self._name.value.decode("latin-1"))
