"""The text under the highlights that methodlens added to a PDF, read with PDFium from the corners of each highlight."""

from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

import numpy as np
import pikepdf
import pypdfium2 as pdfium

from methodlens.papers.pdf import hidden_text
from methodlens.papers.pdf.glyph_claims import GlyphClaims
from methodlens.papers.pdf.glyph_shapes import ink_of
from methodlens.papers.pdf.glyphs import Column, Glyphs, View, glyphs
from methodlens.papers.pdf.objects import Objects
from methodlens.records import Box


class Highlighted(NamedTuple):
    """`id` is the highlight's name in the file. Boxes are in points from the top left of the displayed page."""

    page: int
    id: str
    boxes: tuple[Box, ...]
    text: str


def highlighted(data: bytes) -> list[Highlighted]:
    """In the order of the file. A visible character counts if its centre is in the highlight; lines are joined by a space."""
    return list(_highlighted(data))


def _highlighted(data: bytes) -> Iterator[Highlighted]:
    document = pdfium.PdfDocument(data)
    with pikepdf.open(BytesIO(data)) as pdf:
        for number, annotated in enumerate(pdf.pages):
            marks = [mark for mark in annotated.obj.get("/Annots", ()) if str(mark.get("/NM", "")).startswith("methodlens-")]
            if not marks:
                continue
            page = document[number]
            view, visible = View(page), _visible(page)
            for mark in marks:
                values = np.array([float(value) for value in mark.QuadPoints]).reshape(-1, 4, 2)
                left, bottom = values.min(axis=1).T
                right, top = values.max(axis=1).T
                boxes = view.boxes(np.stack((left, top, right, bottom), axis=1))
                yield Highlighted(number + 1, str(mark.NM), tuple(map(tuple, boxes.tolist())), _text_under(visible, boxes))


def _visible(page: pdfium.PdfPage) -> Glyphs:
    textpage = page.get_textpage()
    every = glyphs(page, textpage)
    return every.without(hidden_text.find(page, textpage, every, ink_of(page, textpage, every), Objects(page), GlyphClaims()))


def _text_under(visible: Glyphs, boxes: Column) -> str:
    """Line by line. Lines may overlap, as with a formula: each character counts once."""
    x, y = visible.boxes[:, [0, 2]].mean(axis=1), visible.boxes[:, [1, 3]].mean(axis=1)
    left = visible.drawn.copy()
    lines: list[str] = []
    for x0, top, x1, bottom in boxes:
        inside = left & (x >= x0) & (x <= x1) & (y >= top) & (y <= bottom)
        left &= ~inside
        taken = inside | (np.roll(inside, 1) & ~visible.drawn)  # a space has no box: it follows its word
        lines.append("".join(char for char, take in zip(visible.text, taken.tolist(), strict=True) if take))
    return " ".join(" ".join(lines).split())
