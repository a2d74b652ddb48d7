"""Text that a file gives in place of what it draws (`/ActualText`). Runs only inside the worker process.

Files use it for ligatures and for hyphens at the end of lines. PDFium returns it instead of the characters drawn, so a file can
show one sentence and say another. The page is read again without it, and where letters or digits differ, what is drawn counts.
"""

import ctypes
import unicodedata
from collections.abc import Sequence

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from methodlens.papers.pdf.fast_calls import address, fast_call
from methodlens.papers.pdf.glyphs import View
from methodlens.papers.pdf.objects import actual_text_marks, bounds
from methodlens.papers.pdf.text_quality import STRANGE_CHAR
from methodlens.records import Box, HiddenText

NOT_DRAWN = "ActualText that is not drawn"

_LIGATURE = 3  # characters: as many may replace a glyph without a character
_MAX_TEXT = 1000

_text = fast_call(raw.FPDFTextObj_GetText)
_remove = fast_call(raw.FPDFPageObj_RemoveMark)


def as_drawn(
    number: int, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, marked: Sequence[int]
) -> tuple[pdfium.PdfTextPage, tuple[HiddenText, ...]]:
    """The page's text as it is drawn, and what the file gives in its place. `marked` are the text objects with ActualText."""
    given = [_text_of(key, textpage) for key in marked]
    for key in marked:
        for mark in actual_text_marks(key):
            _remove(key, mark)
    without = page.get_textpage()
    drawn = [_text_of(key, without) for key in marked]
    false = [span for span in _spans(given) if not _agree(given[span.start], "".join(drawn[span.start : span.stop]))]
    if not false:
        without.close()
        return textpage, ()
    textpage.close()
    texts = [" ".join(given[span.start].split())[:_MAX_TEXT] for span in false]
    boxes = [_displayed(page, marked[span.start]) for span in false]
    return without, tuple(HiddenText(number, NOT_DRAWN, text, box) for text, box in zip(texts, boxes, strict=True))


def _spans(given: Sequence[str]) -> list[range]:
    """The objects of each span: PDFium gives its text to the first one, and none to the others."""
    starts = [index for index, text in enumerate(given) if text or index == 0]
    return [range(start, end) for start, end in zip(starts, [*starts[1:], len(given)], strict=True)]


def _agree(given: str, drawn: str) -> bool:
    """Whether both have the same letters and digits, or what is drawn is a glyph without a character, such as a ligature."""
    unnamed = all(STRANGE_CHAR.match(char) for char in drawn if not char.isspace())
    return _letters(given) == _letters(drawn) or (unnamed and len(given.strip()) <= _LIGATURE)


def _letters(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", text) if char.isalnum()).casefold()


def _text_of(key: int, textpage: pdfium.PdfTextPage) -> str:
    size = _text(key, address(textpage.raw), None, 0)
    buffer = ctypes.create_string_buffer(max(2, size))
    _text(key, address(textpage.raw), ctypes.addressof(buffer), size)
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace")


def _displayed(page: pdfium.PdfPage, key: int) -> Box:
    left, bottom, right, top = bounds(key)
    x0, y0, x1, y1 = View(page).boxes(np.array([[left, top, right, bottom]]))[0].tolist()
    return x0, y0, x1, y1
