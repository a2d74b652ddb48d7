"""The cover: what the paper reports, question by question, with links to the quotes. Runs only inside the worker process.

It is set in Helvetica, which needs no font file and has the letters of Western Europe. Notes and outline have all letters.
"""

import ctypes
import unicodedata
from collections.abc import Sequence
from contextlib import closing

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from pikepdf import Array, Dictionary, Name, Pdf

from methodlens.reports.pdf.marks import Colour, PaperMarks, VerdictLine

A4 = (595.0, 842.0)
_MARGIN, _SWATCH = 48.0, 7.0
_TITLE, _BODY, _SMALL = 15.0, 9.5, 8.5
_BLACK, _GREY = (0.0, 0.0, 0.0), (0.35, 0.35, 0.35)
_SIMILAR = str.maketrans({"−": "-", "≥": ">=", "≤": "<=", "≈": "~", "→": "->", "∼": "~", "′": "'", "″": '"', "\u2010": "-"})
_REGULAR, _BOLD = "Regular", "Bold"
_FONTS = {_REGULAR: "Helvetica", _BOLD: "Helvetica-Bold"}


def cover_pages(
    pdf: Pdf, marks: PaperMarks, targets: Sequence[Array | None], *, size: tuple[float, float], notes: Sequence[str] = ()
) -> list[pikepdf.Page]:
    """Pages of this size, not yet inserted. `targets` are the destinations of the verdicts."""
    with closing(pdfium.PdfDocument.new()) as scratch:
        cover = _Cover(size, scratch)
        cover.text(marks.title, _TITLE, font=_BOLD)
        for line in (*marks.about, *notes):
            cover.text(line, _BODY, colour=_GREY)
        group = None
        for verdict, target in zip(marks.verdicts, targets, strict=True):
            if verdict.group and verdict.group != group:
                cover.space(_BODY)
                cover.keep_together(4)
                cover.text(verdict.group, _BODY + 1.5, font=_BOLD)
            group = verdict.group
            cover.verdict(verdict, target)
        return [page.made(pdf) for page in cover.pages]


class _CoverPage:
    def __init__(self, size: tuple[float, float]) -> None:
        self.size, self.drawing = size, bytearray()
        self.links: list[tuple[tuple[float, float, float, float], Array]] = []

    def show(self, text: str, x: float, y: float, *, size: float, font: str, colour: Colour) -> None:
        escaped = _encoded(text).replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
        red, green, blue = colour
        self.drawing += f"BT {red} {green} {blue} rg /{font} {size} Tf {x:.2f} {y:.2f} Td (".encode() + escaped + b") Tj ET\n"

    def swatch(self, x: float, y: float, colour: Colour) -> None:
        red, green, blue = colour
        self.drawing += f"{red:.4f} {green:.4f} {blue:.4f} rg {x:.2f} {y:.2f} {_SWATCH} {_SWATCH} re f\n".encode()

    def made(self, pdf: Pdf) -> pikepdf.Page:
        fonts = {
            f"/{name}": Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{base}"), Encoding=Name.WinAnsiEncoding)
            for name, base in _FONTS.items()
        }
        links = [
            Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array(list(rect)), Border=Array([0, 0, 0]), Dest=target)
            for rect, target in self.links
        ]
        page = Dictionary(
            Type=Name.Page,
            MediaBox=Array([0, 0, *self.size]),
            Resources=Dictionary(Font=Dictionary(fonts)),
            Contents=pikepdf.Stream(pdf, bytes(self.drawing)),
            Annots=Array(links),
        )
        return pikepdf.Page(pdf.make_indirect(page))


class _Cover:
    """Sets text from top to bottom, and continues on a new page where the last one is full."""

    def __init__(self, size: tuple[float, float], scratch: pdfium.PdfDocument) -> None:
        self._size, self._fonts = size, {}
        for name, base in _FONTS.items():
            self._fonts[name] = raw.FPDFText_LoadStandardFont(scratch.raw, base.encode())
        self.pages: list[_CoverPage] = []
        self._new_page()

    def _new_page(self) -> None:
        self.pages.append(_CoverPage(self._size))
        self._y = self._size[1] - _MARGIN

    def _next_line(self, size: float) -> tuple[_CoverPage, float]:
        self._y -= 1.3 * size
        if self._y < _MARGIN:
            self._new_page()
            self._y -= size
        return self.pages[-1], self._y

    def space(self, points: float) -> None:
        self._y -= points

    def keep_together(self, lines: int) -> None:
        """Start a new page if there is no room for this many lines."""
        if self._y - 1.3 * _BODY * lines < _MARGIN:
            self._new_page()

    def text(self, text: str, size: float, *, font: str = _REGULAR, colour: Colour = _BLACK, indent: float = 0.0) -> None:
        for line in self._wrapped(text, size, font, self._size[0] - 2 * _MARGIN - indent):
            page, y = self._next_line(size)
            page.show(line, _MARGIN + indent, y, size=size, font=font, colour=colour)

    def verdict(self, verdict: VerdictLine, target: Array | None) -> None:
        self.space(2)
        self.keep_together(3)
        page, y = self._next_line(_BODY)
        indent, right = _MARGIN + 2 * _SWATCH, self._size[0] - _MARGIN
        page.swatch(_MARGIN, y, verdict.colour)
        status = f"{verdict.status}, {verdict.pages}" if verdict.pages else verdict.status
        status = next(iter(self._wrapped(status, _BODY, _REGULAR, (right - indent) / 2)), "")
        start = right - self._width(status, _BODY, _REGULAR)
        title = next(iter(self._wrapped(verdict.title, _BODY, _BOLD, start - indent - _BODY)), "")
        page.show(title, indent, y, size=_BODY, font=_BOLD, colour=_BLACK)
        page.show(status, start, y, size=_BODY, font=_REGULAR, colour=_BLACK)
        if target is not None:
            page.links.append(((_MARGIN, y - 2, right, y + _BODY), target))
        self.text(verdict.answer, _SMALL, colour=_GREY, indent=2 * _SWATCH)

    def _wrapped(self, text: str, size: float, font: str, width: float) -> list[str]:
        lines: list[str] = []
        for word in _printable(text).split():
            if lines and self._width(f"{lines[-1]} {word}", size, font) <= width:
                lines[-1] += f" {word}"
                continue
            while len(word) > 1 and self._width(word, size, font) > width:  # a link or a file name
                fits = max(1, int(len(word) * width / self._width(word, size, font)) - 1)
                lines.append(word[:fits])
                word = word[fits:]
            lines.append(word)
        return lines

    def _width(self, text: str, size: float, font: str) -> float:
        width, total = ctypes.c_float(), 0.0
        for char in text:
            if raw.FPDFFont_GetGlyphWidth(self._fonts[font], ord(char), size, width):
                total += width.value
        return total


def _printable(text: str) -> str:
    """The text in the letters that the font has: other letters without their accents, or as a question mark.

    >>> _printable("Ōtsu ≥ 3 山")
    'Otsu >= 3 ?'
    """
    return _encoded(text).decode("cp1252")


def _encoded(text: str) -> bytes:
    return b"".join(_encoded_char(char) for char in text.translate(_SIMILAR))


def _encoded_char(char: str) -> bytes:
    for form in (char, unicodedata.normalize("NFKD", char)):
        if encoded := form.encode("cp1252", "ignore"):
            return encoded
    return b"" if unicodedata.combining(char) else b"?"
