"""PDFium's characters and boxes as printed lines. Runs only inside the worker process: PDFium may crash on a bad file."""

import ctypes
import math
import re
from collections.abc import Iterator, Sequence

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from methodlens.papers.printed import Glyph, RawLine, RawWord
from methodlens.records import Box, PaperStatus

_LINE_END = frozenset("\n\r")
_BLANK = frozenset("\t\n\r \xa0")
_BROKEN_WORD = frozenset("\x02\ufffe")  # PDFium's marks for a hyphen at the end of a line
_BOLD = re.compile(rb"bold|black|heavy|demi|medi\b|medium|cmb|sfb|ecb|[-,]bd|lmroman.*-b", re.IGNORECASE)  # CMBX is LaTeX's
_SUPERSCRIPT = 0.8  # a raised character is at most this much of its line's height


class Unreadable(Exception):
    """Inside the worker only: becomes the paper's status and reason."""

    def __init__(self, status: PaperStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def open_document(data: bytes, *, max_pages: int) -> pdfium.PdfDocument:
    """The document, tried with the empty password."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as err:
        if getattr(err, "err_code", None) == raw.FPDF_ERR_PASSWORD:
            raise Unreadable(PaperStatus.ENCRYPTED, "it is encrypted; save a copy without a password") from err
        raise Unreadable(PaperStatus.MALFORMED, "it is not a PDF that can be opened; fetch it again") from err
    if len(document) > max_pages:
        raise Unreadable(
            PaperStatus.TOO_BIG, f"it has {len(document)} pages, the limit is {max_pages}; raise papers.max_pages or split it"
        )
    return document


def open_pages(document: pdfium.PdfDocument) -> Iterator[tuple[int, pdfium.PdfPage | None]]:
    """Page by page, from 1; None for one that PDFium cannot load."""
    for index in range(len(document)):
        try:
            page = document[index]
        except pdfium.PdfiumError:
            yield index + 1, None
            continue
        yield index + 1, page
        page.close()


def glyphs(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> list[Glyph]:
    """Every character with its box. This loop is the hot one of the whole program: what can be looked up once is."""
    handle = textpage.raw
    view = _View(page)
    plain, dx, dy, to_view = view.is_plain, view.dx, view.dy, view.box
    rect = raw.FS_RECTF()
    pointer = ctypes.byref(rect)
    box_at = raw.FPDFText_GetLooseCharBox
    make = Glyph._make
    found: list[Glyph] = []
    for index, char in enumerate(_characters(textpage)):
        if not char:
            continue
        if char in _BLANK or not box_at(handle, index, pointer):
            found.append(make((index, char, 0.0, 0.0, 0.0, 0.0)))
        elif plain:
            found.append(make((index, char, rect.left + dx, dy - rect.top, rect.right + dx, dy - rect.bottom)))
        else:
            found.append(make((index, char, *to_view(rect.left, rect.top, rect.right, rect.bottom))))
    return found


def _characters(textpage: pdfium.PdfTextPage) -> Sequence[str]:
    """One for each of PDFium's indexes. In bulk where that gives as many; one by one where some have no Unicode value."""
    handle = textpage.raw
    count = raw.FPDFText_CountChars(handle)
    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(handle, 0, count, buffer)
    codes = buffer[:count] if written == count + 1 else [raw.FPDFText_GetUnicode(handle, index) for index in range(count)]
    if 0 not in codes and not any(0xD800 <= code <= 0xDFFF for code in codes):
        return "".join(map(chr, codes))
    return _decoded(codes)


def _decoded(codes: Sequence[int]) -> list[str]:
    """Two halves of a character beyond the first 65,536 become one and ''; what the font maps to nothing becomes �."""
    found: list[str] = []
    for index, code in enumerate(codes):
        after = codes[index + 1] if index + 1 < len(codes) else 0
        if 0xDC00 <= code <= 0xDFFF and index and 0xD800 <= codes[index - 1] <= 0xDBFF:
            found.append("")
        elif 0xD800 <= code <= 0xDBFF and 0xDC00 <= after <= 0xDFFF:
            found.append(chr(0x10000 + ((code - 0xD800) << 10) + (after - 0xDC00)))
        else:
            found.append(chr(code) if code and not 0xD800 <= code <= 0xDFFF else "\ufffd")
    return found


def lines(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, seen: Sequence[Glyph]) -> list[RawLine]:
    """The glyphs as printed lines, in PDFium's order, which is the order in which the file draws them."""
    style = _Style(textpage, _View(page))
    found: list[RawLine] = []
    current: list[Glyph] = []

    def finish(*, broken: bool = False) -> None:
        if line := _line(current, style, broken=broken):
            found.append(line)
        current.clear()

    last: Glyph | None = None
    for glyph in seen:
        char = glyph.char
        if char in _LINE_END:
            finish()
            last = None
        elif char in _BROKEN_WORD and raw.FPDFText_IsHyphen(textpage.raw, glyph.number):
            finish(broken=True)
            last = None
        elif not glyph.x1:
            current.append(glyph)
        else:
            if last and (glyph.top != last.top or glyph.x0 < last.x0) and _elsewhere(last, glyph):
                finish()
            current.append(glyph)
            last = glyph
    finish()
    return found


def _elsewhere(last: Glyph, glyph: Glyph) -> bool:
    """Above, below or well to the left of the last one: PDFium missed a line end."""
    height = max(last.bottom - last.top, glyph.bottom - glyph.top, 1.0)
    return glyph.top > last.bottom or glyph.bottom < last.top or glyph.x0 < last.x0 - 3 * height


def _line(seen: Sequence[Glyph], style: "_Style", *, broken: bool) -> RawLine | None:
    boxed = [glyph for glyph in seen if glyph.x1 or glyph.bottom]
    if not boxed:
        return None
    middle = len(boxed) // 2
    size = sorted([glyph.bottom - glyph.top for glyph in boxed])[middle]
    # the middle ones: fonts for formulas claim boxes four times as high as the line
    head = sorted([glyph.top for glyph in boxed])[middle]
    foot = sorted([glyph.bottom for glyph in boxed])[middle]
    words: list[RawWord] = []
    start = 0
    for end in [
        *(index for index, glyph in enumerate(seen) if glyph.char.isspace() or not (glyph.x1 or glyph.bottom)),
        len(seen),
    ]:
        if end > start:
            word = seen[start:end]
            words.append(RawWord(_word(word, size, foot), word[0].x0, word[-1].x1))
        start = end + 1
    if not words:
        return None
    box = (min([glyph.x0 for glyph in boxed]), head, max([glyph.x1 for glyph in boxed]), foot)
    bold, upright = style.of(boxed[0].number)
    return RawLine(tuple(words), box, round(size, 1), broken, bold, upright)


def _word(seen: Sequence[Glyph], size: float, foot: float) -> str:
    """Its text, with a ^ where a power of ten is set raised: 10⁻⁴ would read as 10-4."""
    text = "".join([glyph.char for glyph in seen])
    at = text.find("10") + 2
    if at < 2 or at >= len(text) or text[at] not in "-−–+0123456789":
        return text
    exponent = seen[at]
    raised = exponent.bottom - exponent.top < _SUPERSCRIPT * size and exponent.bottom < foot - 0.1 * size
    return f"{text[:at]}^{text[at:]}" if raised else text


class _Style:
    """Weight and direction of a character, asked once a line: PDFium answers these slowly."""

    def __init__(self, textpage: pdfium.PdfTextPage, view: "_View") -> None:
        self._handle = textpage.raw
        self._view = view
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()

    def of(self, index: int) -> tuple[bool, bool]:
        raw.FPDFText_GetFontInfo(self._handle, index, self._name, len(self._name), self._flags)
        bold = bool(_BOLD.search(self._name.value)) or raw.FPDFText_GetFontWeight(self._handle, index) >= 600
        angle = raw.FPDFText_GetCharAngle(self._handle, index)
        return bold, self._view.is_upright(angle)


class _View:
    """From PDF space (origin below left, before rotation and cropping) to what is displayed, origin above left."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        width, height = page.get_size()
        scale = 100  # PDFium gives whole device units
        size = (0, 0, int(width * scale), int(height * scale), 0)
        x, y = ctypes.c_int(), ctypes.c_int()

        def at(px: float, py: float) -> tuple[float, float]:
            raw.FPDF_PageToDevice(page.raw, *size, px, py, x, y)
            return x.value / scale, y.value / scale

        self.dx, self.dy = at(0, 0)
        right, up = at(1000, 0), at(0, 1000)
        self.a, self.b = (right[0] - self.dx) / 1000, (right[1] - self.dy) / 1000
        self.c, self.d = (up[0] - self.dx) / 1000, (up[1] - self.dy) / 1000

    @property
    def is_plain(self) -> bool:
        """Neither turned nor scaled: only the origin differs."""
        return abs(self.a - 1) < 1e-4 and abs(self.d + 1) < 1e-4 and abs(self.b) < 1e-4 and abs(self.c) < 1e-4

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        xa, ya = self.a * left + self.c * bottom + self.dx, self.b * left + self.d * bottom + self.dy
        xb, yb = self.a * right + self.c * top + self.dx, self.b * right + self.d * top + self.dy
        return (min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb))

    def is_upright(self, angle: float) -> bool:
        """Whether text set at this angle (radians, in PDF space) runs from left to right for whoever looks at the page."""
        return self.a * math.cos(angle) + self.c * math.sin(angle) > 0.9
