"""The characters of a page with their boxes. Runs only inside the worker process: PDFium may crash on a bad file.

This is the hottest code of the program. PDFium needs one call per character box, so the calls are made from one `map` that
writes into an array, and everything else works on whole columns.
"""

import ctypes
import math
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import repeat

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from numpy.typing import NDArray

from methodlens.papers.pdf.fast_calls import address, fast_call
from methodlens.papers.raw_page import UNMAPPED, Glyph
from methodlens.records import PaperStatus

FAR = 1e7  # points: the limit of PDFium's integers; larger coordinates and NaN are clipped to it
_SPACE = np.array([ord(char) for char in "\t\n\r \xa0"], "<u4")
_MAX_CHARS = 500_000  # per page: more is an attack or a mistake
_TALL, _FILLED = 2.0, 0.34  # times the median height of boxes; the share of its box that a font's largest letter fills
_RECT = ctypes.sizeof(raw.FS_RECTF)
_glyph = partial(tuple.__new__, Glyph)

_COMMON = np.zeros(0x100, bool)
_COMMON[[ord(char) for char in "abcdefghijklmnopqrstuvwxyz0123456789.,;:()[]-"]] = True

Column = NDArray[np.float64]

_loose_box = fast_call(raw.FPDFText_GetLooseCharBox)
_has_no_map = fast_call(raw.FPDFText_HasUnicodeMapError)


class Unreadable(Exception):
    """Raised inside the worker only, where it becomes the status and reason of the paper."""

    def __init__(self, status: PaperStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Glyphs:
    """The characters of a page as columns. A row of `boxes` is x0, top, x1, bottom; zeros for characters that PDFium inserts."""

    def __init__(self, numbers: NDArray[np.int64], text: str, boxes: Column) -> None:
        self.numbers = numbers
        self.text = text
        self.codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
        self.boxes = boxes
        self.drawn: NDArray[np.bool_] = np.any(boxes != 0, axis=1)

    def __iter__(self) -> Iterator[Glyph]:
        return map(_glyph, zip(self.numbers.tolist(), self.text, *self.boxes.T.tolist(), strict=True))

    def without(self, numbers: Collection[int]) -> "Glyphs":
        kept = ~np.isin(self.numbers, list(numbers))
        return Glyphs(self.numbers[kept], _text(self.codes[kept]), self.boxes[kept])


def glyphs(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> Glyphs:
    """Every character with its box on the displayed page."""
    chars = characters(textpage)
    boxes = np.zeros((len(chars), 4), np.float32)  # PDFium's order: left, top, right, bottom
    start = boxes.ctypes.data
    has_box = list(map(_loose_box, repeat(address(textpage.raw)), range(len(chars)), range(start, start + boxes.size * 4, _RECT)))
    _trim(textpage, boxes)
    placed = np.nan_to_num(View(page).boxes(boxes.astype(np.float64)), nan=-FAR, posinf=FAR, neginf=-FAR).clip(-FAR, FAR)
    placed[~np.array(has_box, bool)] = 0.0
    kept = np.arange(len(chars))
    if not isinstance(chars, str):
        kept = kept[[bool(char) for char in chars]]
    every = Glyphs(kept, _with_unmapped(textpage, kept, "".join(chars)), placed[kept])
    inserted = np.isin(every.codes, _SPACE)
    every.boxes[inserted], every.drawn[inserted] = 0.0, False
    return every


def _with_unmapped(textpage: pdfium.PdfTextPage, numbers: NDArray[np.int64], text: str) -> str:
    """The text, where glyphs without a name or map have a code of their own, from UNMAPPED on.

    PDFium returns the number of such a glyph in its font: '$' for the 36th, which may be a ligature. Only capitals and signs
    are checked, because these are rarer than small letters and enough to tell.
    """
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
    rare = np.flatnonzero((codes > ord(" ")) & (codes < 0x100) & ~_COMMON[np.minimum(codes, 0xFF)])
    if not rare.size:
        return text
    failed = list(map(_has_no_map, repeat(address(textpage.raw)), numbers[rare].tolist()))
    unmapped = rare[np.array(failed) == 1]
    if not unmapped.size:
        return text
    marked = codes.copy()
    marked[unmapped] += UNMAPPED
    return _text(marked)


def _trim(textpage: pdfium.PdfTextPage, boxes: NDArray[np.float32]) -> None:
    """Cuts the boxes of fonts for formulas, which claim five times the height of their letters, down to the ink and a margin.

    Checks boxes much higher than the median. If no letter with a box of that height fills a third of it, the font is wrong.
    (Letters of a large heading fill theirs.)
    """
    heights = np.round(boxes[:, 1] - boxes[:, 3], 1)
    drawn = heights[heights > 0]
    usual = float(np.median(drawn)) if len(drawn) else 0.0
    tall = np.flatnonzero(heights > _TALL * usual)
    if not len(tall) or not usual:
        return
    sides = [ctypes.c_double() for _ in range(4)]  # left, right, bottom, top
    inked = np.zeros((len(tall), 2))
    for row, number in enumerate(tall.tolist()):
        if raw.FPDFText_GetCharBox(textpage.raw, number, *sides):
            inked[row] = sides[3].value, sides[2].value
    filled = (inked[:, 0] - inked[:, 1]) / heights[tall]
    for height in np.unique(heights[tall]):
        these = heights[tall] == height
        if 0 < filled[these].max() < _FILLED:
            top, bottom = inked[these].T
            at = tall[these]
            boxes[at, 1] = np.minimum(boxes[at, 1], top + usual / 4)
            boxes[at, 3] = np.maximum(boxes[at, 3], bottom - usual / 4)


def characters(textpage: pdfium.PdfTextPage) -> str | list[str]:
    """One per PDFium index. Read in one call where possible; one by one where some have no Unicode value."""
    handle = textpage.raw
    count = max(0, raw.FPDFText_CountChars(handle))
    if count > _MAX_CHARS:
        raise Unreadable(PaperStatus.TOO_BIG, f"a page has {count} characters, the limit is {_MAX_CHARS}; remove that page")
    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(handle, 0, count, buffer)
    if written == count + 1:
        codes = np.ctypeslib.as_array(buffer)[:count].astype(np.uint32)
    else:
        codes = np.array([raw.FPDFText_GetUnicode(handle, index) for index in range(count)], np.uint32)
    if codes.all() and not np.any((codes >= 0xD800) & (codes <= 0xDFFF)):
        return _text(codes)
    return _decoded(codes.tolist())


def _text(codes: NDArray[np.uint32]) -> str:
    return bytes(codes.astype("<u4")).decode("utf-32-le")


def _decoded(codes: Sequence[int]) -> list[str]:
    """A surrogate pair becomes its character and ''; a code without a character becomes �."""
    chars: list[str] = []
    for index, code in enumerate(codes):
        after = codes[index + 1] if index + 1 < len(codes) else 0
        if 0xDC00 <= code <= 0xDFFF and index and 0xD800 <= codes[index - 1] <= 0xDBFF:
            chars.append("")
        elif 0xD800 <= code <= 0xDBFF and 0xDC00 <= after <= 0xDFFF:
            chars.append(chr(0x10000 + ((code - 0xD800) << 10) + (after - 0xDC00)))
        else:
            chars.append(chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd")
    return chars


def size_of(page: pdfium.PdfPage) -> tuple[float, float]:
    """Width and height as displayed; (0, 0) if either is invalid."""
    width, height = page.get_size()
    return (width, height) if 0 < width <= FAR and 0 < height <= FAR else (0.0, 0.0)


class View:
    """Maps PDF coordinates (origin bottom left, before rotation and cropping) to the displayed page (origin top left)."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        width, height = size_of(page)
        scale = 100  # PDFium returns integers
        size = (0, 0, max(1, int(width * scale)), max(1, int(height * scale)), 0)
        x, y = ctypes.c_int(), ctypes.c_int()

        def at(px: float, py: float) -> tuple[float, float]:
            raw.FPDF_PageToDevice(page.raw, *size, px, py, x, y)
            return x.value / scale, y.value / scale

        self.dx, self.dy = at(0, 0)
        right, up = at(1000, 0), at(0, 1000)
        self.a, self.b = (right[0] - self.dx) / 1000, (right[1] - self.dy) / 1000
        self.c, self.d = (up[0] - self.dx) / 1000, (up[1] - self.dy) / 1000

    @property
    def only_moves(self) -> bool:
        """Neither rotated nor scaled: only the origin differs."""
        return abs(self.a - 1) < 1e-4 and abs(self.d + 1) < 1e-4 and abs(self.b) < 1e-4 and abs(self.c) < 1e-4

    def boxes(self, rects: Column) -> Column:
        """Converts rows of left, top, right, bottom to rows of x0, top, x1, bottom on the displayed page."""
        left, top, right, bottom = rects.T
        if self.only_moves:
            return np.stack((left + self.dx, self.dy - top, right + self.dx, self.dy - bottom), axis=1)
        with np.errstate(all="ignore"):  # the coordinates may be invalid
            xa, ya = self.a * left + self.c * bottom + self.dx, self.b * left + self.d * bottom + self.dy
            xb, yb = self.a * right + self.c * top + self.dx, self.b * right + self.d * top + self.dy
        return np.stack((np.minimum(xa, xb), np.minimum(ya, yb), np.maximum(xa, xb), np.maximum(ya, yb)), axis=1)

    def is_upright(self, angle: float) -> bool:
        """Whether text at this angle (radians, in PDF coordinates) runs from left to right on the displayed page."""
        return self.a * math.cos(angle) + self.c * math.sin(angle) > 0.9
