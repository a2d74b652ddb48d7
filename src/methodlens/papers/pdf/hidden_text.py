"""Finds text that is in the file but not visible on the page. Runs only inside the worker process.

The pixels decide: a page with suspect text is rendered twice, with that text and without it. Text whose absence changes
nothing is hidden, unless an image shows the same text at that place (the text layer of a scan).
"""

import contextlib
import math
from collections.abc import Collection, Iterator
from itertools import groupby, repeat
from typing import Any

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from methodlens.papers.pdf.fast_calls import address, fast_call
from methodlens.papers.pdf.glyphs import Glyphs, size_of
from methodlens.papers.pdf.objects import COVERED, Objects, Suspect, state_of
from methodlens.papers.raw_page import Glyph
from methodlens.records import HiddenText

OFF_PAGE, TINY = "off the page", "tiny"

_TINY = 1.5  # points, of a character's box: a font size of about 1.2
_NARROW = 0.25  # points: compressed to a hairline
_VISIBLE = 16  # of 255: the least change of a pixel that makes a character visible
_INK = 40  # of 255: the contrast inside the box of a scanned letter
_WORD_SHARE = 0.8  # of the characters of a hidden word: a thin one may fall between two pixels
_MAX_PIXELS, _MAX_TEXT = 4_000_000, 1000  # of a rendered page; characters of a run

_object_of, _activate = fast_call(raw.FPDFText_GetTextObject), fast_call(raw.FPDFPageObj_SetIsActive)


def find(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, glyphs: Glyphs) -> dict[int, str]:
    """Why each hidden character is hidden, by its PDFium index. Nearly all pages have none, and most are not rendered."""
    reasons = dict(_misplaced(page, glyphs))
    objects = Objects(page)
    suspects = objects.suspects()
    if suspects or objects.too_many:
        owner = _owners(textpage, glyphs)
        texts = frozenset(owner.values())
        if objects.too_many:
            suspects = {key: Suspect(key, state_of(key)[1] or COVERED, True) for key in texts}
        doubtful = suspects.keys() - objects.echoed(suspects, texts)
        doubtful_glyphs = [(glyph, suspects[owner[glyph.number]]) for glyph in glyphs if owner.get(glyph.number) in doubtful]
        if doubtful_glyphs and size_of(page)[0]:
            with contextlib.suppress(pdfium.PdfiumError):  # without an image there is nothing to compare
                reasons = dict(_invisible(page, doubtful_glyphs, texts)) | reasons
    return _by_words(glyphs, reasons) if reasons else {}


def runs(page_number: int, glyphs: Glyphs, reasons: dict[int, str]) -> tuple[HiddenText, ...]:
    """Consecutive hidden characters as text with a box. `reasons` is the result of `find`."""
    hidden, last = list[HiddenText](), ""

    def why(glyph: Glyph) -> str:
        nonlocal last  # spaces and line ends belong to the character before them
        last = reasons.get(glyph.number, "" if any(glyph[2:]) else last)
        return last

    for reason, group in groupby(glyphs, key=why):
        run = list(group)
        if reason:
            text = " ".join("".join(glyph.char if glyph.char.isprintable() else " " for glyph in run).split())
            x0, top, x1, bottom = zip(*(glyph[2:] for glyph in run if any(glyph[2:])), strict=True)
            hidden.append(HiddenText(page_number, reason, text[:_MAX_TEXT], (min(x0), min(top), max(x1), max(bottom))))
    return tuple(hidden)


def _misplaced(page: pdfium.PdfPage, glyphs: Glyphs) -> Iterator[tuple[int, str]]:
    """Characters that are hidden because of their box alone."""
    width, height = size_of(page)
    x0, top, x1, bottom = glyphs.boxes.T
    across, down = x1 - x0, bottom - top
    off = (x1 <= 0) | (bottom <= 0) | (x0 >= width) | (top >= height)
    tiny = ((down < _TINY) | (across < _NARROW)) & ((down < _NARROW) | (across < _TINY))
    for why, where in ((OFF_PAGE, off), (TINY, tiny & ~off)):
        yield from ((number, why) for number in glyphs.numbers[where & glyphs.drawn].tolist())


def _by_words(glyphs: Glyphs, reasons: dict[int, str]) -> dict[int, str]:
    """Only whole words. Punctuation belongs to the word before it: a full stop may well be tiny."""
    hidden, follows = dict[int, str](), False
    for word in (list(group) for drawn, group in groupby(glyphs, key=lambda glyph: any(glyph[2:])) if drawn):
        given = [reasons[glyph.number] for glyph in word if glyph.number in reasons]
        follows = len(given) >= _WORD_SHARE * len(word) and (follows or any(glyph.char.isalnum() for glyph in word))
        if follows:
            hidden |= dict.fromkeys((glyph.number for glyph in word), max(given, key=given.count))
    return hidden


def _owners(textpage: pdfium.PdfTextPage, glyphs: Glyphs) -> dict[int, int]:
    """The text object of each character."""
    drawn = glyphs.numbers[glyphs.drawn].tolist()
    objects = map(_object_of, repeat(address(textpage.raw)), drawn)
    return {number: key for number, key in zip(drawn, objects, strict=True) if key}


def _invisible(page: pdfium.PdfPage, doubtful: list[tuple[Glyph, Suspect]], texts: Collection[int]) -> Iterator[tuple[int, str]]:
    """Characters whose absence changes no pixel, with the reason."""
    width, height = size_of(page)
    scale = min(2.0, (_MAX_PIXELS / (max(1.0, width) * max(1.0, height))) ** 0.5)
    down, across = math.ceil(height * scale), math.ceil(width * scale)
    edges = [_pixels(glyph, scale, across, down) for glyph, _ in doubtful]
    left, top = min(edge[0] for edge in edges), min(edge[1] for edge in edges)
    right, bottom = max(edge[2] for edge in edges), max(edge[3] for edge in edges)
    # render only the area around the characters; pypdfium2 rounds up, hence the half pixels
    crop = [max(0.0, pixels - 0.5) / scale for pixels in (left, down - bottom, across - right, top)]

    def rendered(without: Collection[int]) -> Any:
        for key in without:
            _activate(key, False)
        try:
            return page.render(scale=scale, crop=crop, may_draw_forms=False).to_numpy()[..., :3]
        finally:
            for key in without:
                _activate(key, True)

    def part(pixels: Any, edge: tuple[int, int, int, int]) -> Any:
        return pixels[edge[1] - top : edge[3] - top, edge[0] - left : edge[2] - left]

    whole, rest = rendered(()), rendered({suspect.key for _, suspect in doubtful})
    changed = np.maximum(whole, rest) - np.minimum(whole, rest)
    invisible = [
        (*pair, edge) for pair, edge in zip(doubtful, edges, strict=True) if part(changed, edge).max(initial=0) < _VISIBLE
    ]
    textless = rendered(texts) if any(suspect.excused for _, suspect, _ in invisible) else changed
    for glyph, suspect, edge in invisible:
        ground = part(textless, edge)
        if not suspect.excused or int(ground.max(initial=0)) - int(ground.min(initial=255)) < _INK:
            yield glyph.number, suspect.why


def _pixels(glyph: Glyph, scale: float, across: int, down: int) -> tuple[int, int, int, int]:
    """The pixel range of a character's box: left, top, right, bottom (exclusive). At least one pixel, inside the page."""
    left, top = min(across - 1, max(0, int(glyph.x0 * scale))), min(down - 1, max(0, int(glyph.top * scale)))
    right, bottom = int(glyph.x1 * scale) + 1, int(glyph.bottom * scale) + 1
    return left, top, min(across, max(left + 1, right)), min(down, max(top + 1, bottom))
