"""PDFium's characters and boxes as printed lines. Runs only inside the worker process: PDFium may crash on a bad file."""

import ctypes
from collections.abc import Iterator
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from methodlens.records import Box, PaperStatus

_LINE_END = frozenset((0x0A, 0x0D))
_BROKEN_WORD = frozenset((0x02, 0xFFFE))  # PDFium's marks for a hyphen at the end of a line
_PASSWORD, _FORMAT = raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_FORMAT


class RawLine(NamedTuple):
    """A printed line as PDFium gives it. `broken`: its last word goes on in the next line."""

    text: str
    box: Box
    size: float
    broken: bool


class RawPage(NamedTuple):
    number: int
    width: float
    height: float
    lines: list[RawLine]


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
        code = getattr(err, "err_code", None)
        if code == _PASSWORD:
            raise Unreadable(PaperStatus.ENCRYPTED, "it is encrypted; save a copy without a password") from err
        raise Unreadable(PaperStatus.MALFORMED, "it is not a PDF that can be opened; fetch it again") from err
    if len(document) > max_pages:
        raise Unreadable(
            PaperStatus.TOO_BIG, f"it has {len(document)} pages, the limit is {max_pages}; raise papers.max_pages or split it"
        )
    return document


def pages(document: pdfium.PdfDocument) -> Iterator[RawPage]:
    """Page by page; one that PDFium cannot load is passed over as empty."""
    for index in range(len(document)):
        try:
            page = document[index]
            textpage = page.get_textpage()
        except pdfium.PdfiumError:
            yield RawPage(index + 1, 0.0, 0.0, [])
            continue
        width, height = page.get_size()
        yield RawPage(index + 1, width, height, _lines(textpage, height))
        textpage.close()
        page.close()


def _lines(textpage: pdfium.PdfTextPage, height: float) -> list[RawLine]:
    handle = textpage.raw
    rect = raw.FS_RECTF()
    pointer = ctypes.byref(rect)
    unicode_at, box_at = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox  # looked up once: this loop is the hot one
    lines: list[RawLine] = []
    text: list[str] = []
    boxes: list[Box] = []

    def finish(*, broken: bool) -> None:
        if boxes and (joined := "".join(text).strip()):
            box = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
            heights = sorted(b[3] - b[1] for b in boxes)
            lines.append(RawLine(joined, box, round(heights[len(heights) // 2], 1), broken))
        text.clear()
        boxes.clear()

    for index in range(raw.FPDFText_CountChars(handle)):
        code = unicode_at(handle, index)
        if code in _LINE_END:
            finish(broken=False)
        elif code in _BROKEN_WORD:
            finish(broken=True)
        elif code:
            char = chr(code) if not 0xD800 <= code <= 0xDFFF else "\ufffd"
            text.append(char)
            if not char.isspace() and box_at(handle, index, pointer):
                boxes.append((rect.left, height - rect.top, rect.right, height - rect.bottom))
    finish(broken=False)
    return lines
