"""Which letter or digit a piece of ink looks like. Runs only inside the worker process.

The models are the letters of the standard faces that come with PDFium: with and without serifs, of one width, upright and
slanted, light and bold. Other fonts are like enough to tell most letters from one another. Letters that look alike in some font
(lookalikes.txt) are never told apart.
"""

import math
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from string import ascii_letters, digits
from typing import Any, NamedTuple

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from numpy.typing import NDArray

from methodlens.papers.pdf.glyphs import Column

MODELS = digits + ascii_letters
"""The characters that a shape is compared with."""

_STYLES = ("", "Bold", "Oblique", "BoldOblique")
_FACES = [f"{family}{'-' if style else ''}{style}" for family in ("Helvetica", "Courier") for style in _STYLES]
_FACES += ["Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"]
_SIDE = 16  # pixels of a shape, whatever its size on the page
_MODEL_SIZE, _MODEL_SCALE = 20, 2  # points; pixels per point
_MIN_PIXELS, _MIN_CONTRAST = 8, 40  # of a shape that can be judged: its longer side; of 255
_MAX_RATIO = 12  # of its sides
_OUTSIDE = 0.25  # of the pixels above and below a letter: with more ink the box is not that of the letter
_STRETCH = 0.3  # how much an unlike ratio of width and height counts


class Shape(NamedTuple):
    """The ink of a character: its pixels in a square, with mean 0 and norm 1, and the logarithm of its width over its height."""

    pixels: Column
    ratio: float


_NOTHING = Shape(np.zeros(_SIDE * _SIDE), 0.0)


def shape_of(image: NDArray[np.uint8], left: float, top: float, right: float, bottom: float) -> Shape | None:
    """The ink in a box of a grey image, given in pixels; None if there is too little to be judged."""
    if left < 0 or top < 0 or right > image.shape[1] or bottom > image.shape[0]:
        return None
    x0, y0, x1, y1 = int(left), int(top), math.ceil(right), math.ceil(bottom)
    inside = image[y0:y1, x0:x1].astype(np.float64)
    if min(inside.shape) < 2 or max(inside.shape) < _MIN_PIXELS or max(inside.shape) > _MAX_RATIO * min(inside.shape):
        return None
    around = np.concatenate((image[max(0, y0 - 2), x0:x1], image[min(len(image) - 1, y1 + 1), x0:x1])).astype(np.float64)
    ground = float(np.sort(around)[len(around) // 2])
    ink = abs(inside - ground)
    strongest = float(ink.max())
    if strongest < _MIN_CONTRAST or np.count_nonzero(abs(around - ground) > strongest / 2) > _OUTSIDE * len(around):
        return None  # no ink, or not in this box alone
    rows, columns = _weights(y1 - y0, *_quarters(top - y0, bottom - y0)), _weights(x1 - x0, *_quarters(left - x0, right - x0))
    pixels = (rows @ ink @ columns.T).ravel()
    pixels -= pixels.mean()
    norm = math.sqrt(pixels @ pixels)
    return Shape(pixels / norm, math.log((right - left) / (bottom - top))) if norm else None


def _quarters(start: float, end: float) -> tuple[int, int]:
    """In quarters of a pixel, so that the same weights are used often."""
    return round(4 * start), round(4 * end)


@lru_cache(maxsize=4096)
def _weights(length: int, start: int, end: int) -> Column:
    """Weights that turn the part of a row of pixels from `start` to `end` into the blurred row of a shape."""
    edges = np.linspace(start / 4, end / 4, _SIDE + 1)
    pixels = np.arange(length)
    covered = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    rows = np.maximum(covered, 0) * (4 * _SIDE / max(1, end - start))
    blurred: Column = 0.66 * rows
    blurred[1:] += 0.17 * rows[:-1]
    blurred[:-1] += 0.17 * rows[1:]
    return blurred


def likeness(shapes: list[Shape]) -> Column:
    """How much each shape is like each of MODELS: 1 is the same, 0 nothing in common."""
    pixels, ratios = _models()
    given = np.array([shape.pixels for shape in shapes], np.float32).reshape(-1, _SIDE * _SIDE)
    stretch = abs(np.array([shape.ratio for shape in shapes], np.float32)[:, None] - ratios)
    alike = given @ pixels.T - _STRETCH * stretch
    best: Column = alike.reshape(len(shapes), len(_FACES), len(MODELS)).max(axis=1).astype(np.float64)
    return best


@cache
def lookalikes(char: str) -> NDArray[np.bool_] | None:
    """Which of MODELS a character may look like; None if it has no shape of its own to judge."""
    plain = unicodedata.normalize("NFKD", char)
    base = plain if len(plain) == 1 else char
    if base not in MODELS and (
        unicodedata.category(base) not in ("Lu", "Ll", "Lo") or "LATIN" in unicodedata.name(base, "LATIN")
    ):
        return None
    alike = {base, base.swapcase()}
    alike |= {other for group in _groups() if base in group and (base not in MODELS or group <= set(MODELS)) for other in group}
    alike |= {other.swapcase() for other in alike}  # small capitals
    return np.array([model in alike for model in MODELS])


@cache
def _groups() -> tuple[frozenset[str], ...]:
    lines = files("methodlens.papers.pdf").joinpath("lookalikes.txt").read_text(encoding="utf-8").splitlines()
    return tuple(frozenset("".join(line.split())) for line in lines if line and not line.startswith("#"))


@cache
def _models() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Pixels and ratios of all faces, each with all of MODELS."""
    step = 1.4 * _MODEL_SIZE
    document = pdfium.PdfDocument.new()
    page = document.new_page(step * len(MODELS), step * len(_FACES))
    boxes: list[tuple[float, float, float, float]] = []
    for row, face in enumerate(_FACES):
        font = raw.FPDFText_LoadStandardFont(document.raw, face.encode())
        for column, char in enumerate(MODELS):
            boxes.append(_draw(document, page, font, char, step * column + step / 4, step * row + step / 4))
    page.gen_content()
    image = grey(page.render(scale=_MODEL_SCALE, grayscale=True))
    shapes = []
    for left, bottom, right, top in boxes:
        edges = (left, page.get_height() - top, right, page.get_height() - bottom)
        shapes.append(shape_of(image, *(_MODEL_SCALE * edge for edge in edges)) or _NOTHING)
    document.close()
    return np.array([shape.pixels for shape in shapes], np.float32), np.array([shape.ratio for shape in shapes], np.float32)


def _draw(document: Any, page: Any, font: Any, char: str, x: float, y: float) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a letter drawn at this place."""
    text = pdfium.PdfObject(raw.FPDFPageObj_CreateTextObj(document.raw, font, _MODEL_SIZE), pdf=document)
    buffer = (raw.FPDF_WCHAR * 2)(ord(char), 0)
    raw.FPDFText_SetText(text.raw, buffer)
    text.transform(pdfium.PdfMatrix().translate(x, y))
    page.insert_obj(text)
    left, bottom, right, top = text.get_bounds()
    return left, bottom, right, top


def grey(bitmap: pdfium.PdfBitmap) -> NDArray[np.uint8]:
    pixels: NDArray[np.uint8] = bitmap.to_numpy()
    return pixels[..., 0] if pixels.ndim == 3 else pixels
