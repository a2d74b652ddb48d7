"""Single letters and digits that look like others than the file says. Runs only inside the worker process.

A font draws a character the same way each time, so each glyph of a document is rendered once, where it first occurs. If it is
clearly the ink of another letter or digit, it is rendered again at every place where it occurs, in another size, and words that
fail twice are not the words on the page.
"""

import ctypes
import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from string import ascii_letters, digits

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from numpy.typing import NDArray

from methodlens.papers.pdf.fast_calls import address, fast_call
from methodlens.papers.pdf.glyphs import Column, Glyphs, View, size_of
from methodlens.papers.pdf.letterforms import MODELS, Shape, grey, likeness, lookalikes, shape_of
from methodlens.papers.pdf.objects import Objects

_SHARE = 0.3  # of the letters of a word that must be others, unless one is sure
_PARTS, _DIGIT_PARTS = 50, 250  # of the height of a font: glyphs of one character whose ink differs by less are the same
_SCALE, _PIXELS, _MAX_PIXELS = 4.0, 30, 12_000_000  # per point, of a page; the height of a glyph rendered alone; of a page
_AGAIN = 1.6  # times as large when rendered again
_BAND, _MANY = 60.0, 4  # points; so many glyphs of a band of the page are rendered faster together than each alone
_MAX_RATIO = 4  # of width and height
_MAX_TRIES = 3  # of a glyph that cannot be judged, such as one that others overlap
_MAX_CONFIRMED = 200  # glyphs of a page that are rendered again
_DIGITS, _LETTERS, _OTHERS = 1, 2, 3  # kinds of claims: Latin letters, and letters of other scripts
_LIKE, _MARGIN = np.array([0.0, 0.65, 0.65, 0.8]), 0.15  # by kind: so like another character, and so much less like its own
_SURE, _SURE_MARGIN = 0.8, 0.2  # the same for the only such letter of a word

_object_of, _font_of = fast_call(raw.FPDFText_GetTextObject), fast_call(raw.FPDFTextObj_GetFont)
_font_name, _font_data = fast_call(raw.FPDFFont_GetBaseFontName), fast_call(raw.FPDFFont_GetFontData)
_activate = fast_call(raw.FPDFPageObj_SetIsActive)

Rows = NDArray[np.intp]
Colour = tuple[int, int, int, int]
_WHITE, _GREY = (255, 255, 255, 255), (205, 205, 205, 255)  # on grey, both dark and white text can be seen without its surface


class GlyphClaims:
    """The glyphs of one document that are known to be what they claim, or something else."""

    def __init__(self) -> None:
        self._true, self._false = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._tries = Counter[int]()
        self._kinds = dict[int, int]()
        self._fonts = dict[tuple[bytes, int], int]()

    def false_words(
        self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, glyphs: Glyphs, ink: Column, objects: Objects
    ) -> Iterator[int]:
        """The characters of words with letters or digits that are drawn as others. `ink` is the box of each glyph's ink."""
        kinds = self._kinds_of(glyphs, ink)
        at = np.flatnonzero(kinds)
        if not at.size or not size_of(page)[0]:
            return
        keys = self._keys(textpage, glyphs, ink, kinds, at)
        every, first = np.unique(keys, return_index=True)
        new = np.sort(first[~np.isin(every, self._true) & ~np.isin(every, self._false)])
        images = _PageImages(page, textpage, objects.graphics)
        if new.size:
            other, same = _compared(glyphs, kinds, at[new], images.shapes(glyphs, ink, at[new]))
            wrong = np.flatnonzero(_is_other(kinds[at[new]], other, same))
            again = at[new[wrong]]
            wrong = wrong[_is_other(kinds[again], *_compared(glyphs, kinds, again, images.enlarged(glyphs, ink, again)))]
            self._false = np.union1d(self._false, keys[new[wrong]])
            unjudged = keys[new[other < 0]].tolist()
            self._tries.update(unjudged)
            given_up = [key for key in unjudged if self._tries[key] >= _MAX_TRIES]
            self._true = np.setdiff1d(
                np.union1d(self._true, np.array([*keys[new[other >= 0]].tolist(), *given_up], np.int64)), self._false
            )
        again = at[np.isin(keys, self._false)]
        if again.size:
            confirmed = again[:_MAX_CONFIRMED]
            other, same = np.ones(len(again)), np.zeros(len(again))  # the rest is as false as its glyphs were at first
            other[: len(confirmed)], same[: len(confirmed)] = _compared(
                glyphs, kinds, confirmed, images.enlarged(glyphs, ink, confirmed)
            )
            yield from _false_words(glyphs, kinds, again, other, same)

    def _kinds_of(self, glyphs: Glyphs, ink: Column) -> NDArray[np.int8]:
        """What each glyph claims to be; 0 for those without a rule, without ink, or that share their ink, such as ligatures, and
        for letters that are alone, as in formulas."""
        codes, where = np.unique(glyphs.codes, return_inverse=True)
        for code in codes.tolist():
            if code not in self._kinds:
                self._kinds[code] = _kind(chr(code))
        kinds = np.array([self._kinds[code] for code in codes.tolist()], np.int8)[where]
        shared = np.all(ink[1:] == ink[:-1], axis=1)
        kinds[1:][shared] = 0
        kinds[:-1][shared] = 0
        alone = ~glyphs.drawn[:-2] & ~glyphs.drawn[2:] & (kinds[1:-1] != _DIGITS)
        kinds[1:-1][alone] = 0
        kinds[~glyphs.drawn | (ink[:, 2] <= ink[:, 0]) | (ink[:, 3] <= ink[:, 1])] = 0
        return kinds

    def _keys(
        self, textpage: pdfium.PdfTextPage, glyphs: Glyphs, ink: Column, kinds: NDArray[np.int8], at: Rows
    ) -> NDArray[np.int64]:
        """One number per glyph of the document: its character, the size of its ink and, for digits, its place and font."""
        digit = kinds[at] == _DIGITS
        size = np.maximum(glyphs.boxes[at, 3] - glyphs.boxes[at, 1], 0.01) / np.where(digit, _DIGIT_PARTS, _PARTS)
        across, down = (np.minimum(np.rint((ink[at, side + 2] - ink[at, side]) / size), 1023) for side in (0, 1))
        keys: NDArray[np.int64] = (glyphs.codes[at].astype(np.int64) << 20) + (across * 1024 + down).astype(np.int64)
        fonts = [self._font(_object_of(address(textpage.raw), number)) for number in glyphs.numbers[at[digit]].tolist()]
        left, foot = (abs(np.rint((ink[at, side] - glyphs.boxes[at, side]) / size)).astype(np.int64) % 64 for side in (0, 3))
        keys[digit] += (left[digit] << 28) + (foot[digit] << 34) + (np.array(fonts, np.int64) << 42)
        return keys

    def _font(self, text: int) -> int:
        """Fonts have other addresses on each page, so they are told by their names and sizes."""
        font, name, size = _font_of(text) if text else 0, ctypes.create_string_buffer(128), ctypes.c_size_t()
        if font:
            _font_name(font, ctypes.addressof(name), len(name))
            _font_data(font, None, 0, ctypes.addressof(size))
        return self._fonts.setdefault((name.value, size.value), len(self._fonts))


def _kind(char: str) -> int:
    if lookalikes(char) is None:
        return 0
    return _DIGITS if char in digits else _LETTERS if char in ascii_letters else _OTHERS


def _compared(glyphs: Glyphs, kinds: NDArray[np.int8], at: Rows, shapes: Sequence[Shape | None]) -> tuple[Column, Column]:
    """How like each shape is to another character, and to the one it claims to be; -1 if it cannot be judged."""
    judged = np.array([shape is not None for shape in shapes], bool)
    other, same = np.full(len(at), -1.0), np.full(len(at), -1.0)
    if judged.any():
        alike = likeness([shape for shape in shapes if shape is not None])
        own = np.array([lookalikes(glyphs.text[index]) for index in at[judged].tolist()], bool)
        alike[np.ix_(kinds[at[judged]] == _DIGITS, range(len(digits), len(MODELS)))] = 0.0  # only compared with digits
        other[judged] = np.where(own, 0.0, alike).max(axis=1)
        same[judged] = np.where(own, alike, 0.0).max(axis=1)
    return other, same


def _is_other(kinds: NDArray[np.int8], other: Column, same: Column) -> NDArray[np.bool_]:
    return (other >= _LIKE[kinds]) & (other - same >= _MARGIN)


def _false_words(glyphs: Glyphs, kinds: NDArray[np.int8], at: Rows, other: Column, same: Column) -> Iterator[int]:
    """The glyphs of words with a false digit, a letter that is surely another, or several that are others."""
    word = np.cumsum(~glyphs.drawn, dtype=np.intp)
    wrong, words = _is_other(kinds[at], other, same), int(word[-1]) + 1
    clear = (other >= _SURE) & (other - same >= _SURE_MARGIN)
    sure = wrong & ((kinds[at] == _DIGITS) | (clear & (kinds[at] == _LETTERS)))
    others = np.bincount(word[at[wrong]], minlength=words)
    several = (others > 1) & (others >= _SHARE * np.bincount(word[kinds > 0], minlength=words))
    false = several | (np.bincount(word[at[sure]], minlength=words) > 0)
    yield from glyphs.numbers[false[word] & glyphs.drawn].tolist()


class _PageImages:
    """Renders glyphs of a page: many at once without the graphics, which take most of the time, or single ones."""

    def __init__(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, graphics: Collection[int]) -> None:
        self._page, self._textpage, self._graphics = page, textpage, graphics
        self._view = View(page)
        self._width, self._height = size_of(page)

    def shapes(self, glyphs: Glyphs, ink: Column, at: Rows) -> list[Shape | None]:
        upright = [self._is_upright(number) for number in glyphs.numbers[at].tolist()]
        found: list[Shape | None] = [None] * len(at)
        bands = np.where(upright, ink[at, 1] // _BAND, -1)
        with self._text_only():
            for band in np.unique(bands[bands >= 0]).tolist():
                rows = np.flatnonzero(bands == band).tolist()
                alone = len(rows) < _MANY
                seen = map(self._alone, ink[at[rows]], repeat(_PIXELS), repeat(_GREY)) if alone else self._in_band(ink[at[rows]])
                for row, shape in zip(rows, seen, strict=True):
                    found[row] = shape
        return found

    def _in_band(self, boxes: Column) -> Iterator[Shape | None]:
        """The glyphs in these boxes, rendered together."""
        scale = min(_SCALE, math.sqrt(_MAX_PIXELS / (self._width * self._height)))
        image, x0, y0 = self._part(boxes[:, 0].min(), boxes[:, 1].min(), boxes[:, 2].max(), boxes[:, 3].max(), scale, _GREY)
        for left, top, right, bottom in (scale * boxes).tolist():
            yield shape_of(image, left - x0, top - y0, right - x0, bottom - y0)

    @contextmanager
    def _text_only(self) -> Iterator[None]:
        for key in self._graphics:
            _activate(key, False)
        try:
            yield
        finally:
            for key in self._graphics:
                _activate(key, True)

    def enlarged(self, glyphs: Glyphs, ink: Column, at: Rows) -> list[Shape | None]:
        numbers = glyphs.numbers[at].tolist()
        return [
            self._alone(box, _AGAIN * _PIXELS, _WHITE) if self._is_upright(number) else None
            for number, box in zip(numbers, ink[at], strict=True)
        ]

    def _is_upright(self, number: int) -> bool:
        return self._view.is_upright(raw.FPDFText_GetCharAngle(self._textpage.raw, number))

    def _alone(self, box: Column, pixels: float, paper: Colour) -> Shape | None:
        """The glyph in this box with everything drawn around it, rendered so many pixels high."""
        left, top, right, bottom = box.tolist()
        scale = pixels / (bottom - top)
        if (right - left) * scale > _MAX_RATIO * pixels:
            return None
        image, x0, y0 = self._part(left, top, right, bottom, scale, paper)
        return shape_of(image, left * scale - x0, top * scale - y0, right * scale - x0, bottom * scale - y0)

    def _part(
        self, left: float, top: float, right: float, bottom: float, scale: float, paper: Colour
    ) -> tuple[NDArray[np.uint8], int, int]:
        """An image of part of the page with a margin, and the pixels to its left and above."""
        across, down = math.ceil(self._width * scale), math.ceil(self._height * scale)
        x0, y0 = max(0, int(left * scale) - 3), max(0, int(top * scale) - 3)
        x1, y1 = min(across, math.ceil(right * scale) + 3), min(down, math.ceil(bottom * scale) + 3)
        if x1 <= x0 or y1 <= y0:
            return np.zeros((0, 0), np.uint8), x0, y0
        # pypdfium2 rounds up, hence the half pixels
        cut = [max(0.0, edge - 0.5) / scale for edge in (x0, down - y1, across - x1, y0)]
        crop = (cut[0], cut[1], cut[2], cut[3])
        image = grey(self._page.render(scale=scale, crop=crop, grayscale=True, fill_color=paper, may_draw_forms=False))
        return image.copy(), x0, y0
