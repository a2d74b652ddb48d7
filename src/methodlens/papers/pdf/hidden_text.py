"""Finds text that is in the file but not visible on the page. Runs only inside the worker process.

The pixels decide: a page with suspect text is rendered twice, with that text and without it. Text whose absence changes nothing,
or too little to be read, is hidden, unless an image shows the same text at that place (the text layer of a scan).
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
from methodlens.papers.pdf.glyph_claims import GlyphClaims
from methodlens.papers.pdf.glyph_shapes import OTHER_GLYPHS, drawn_otherwise
from methodlens.papers.pdf.glyphs import Column, Glyphs, size_of
from methodlens.papers.pdf.objects import COVERED, EMPTY, Objects, Suspect, state_of
from methodlens.papers.raw_page import UNMAPPED, Glyph
from methodlens.records import HiddenText

OFF_PAGE, TINY = "off the page", "tiny"

_TINY, _PAGE = 3.0, 595.0  # points, of a character's box (a font size of about 2.5), on a page of at least this height or width
_NARROW = 0.25  # points: compressed to a hairline
_VISIBLE = 16  # of 255: the least change of a pixel that makes a character visible
_LEGIBLE = 30  # of 255: the least change by some character of a text that can be read: grey of 0.88 on white
_INK = 40  # of 255: the contrast inside the box of a scanned letter
_WORD_SHARE = 0.8  # of the characters of a hidden word: a thin one may fall between two pixels
_MAX_PIXELS, _MAX_TEXT = 4_000_000, 1000  # of a rendered page; characters of a run

_object_of, _activate = fast_call(raw.FPDFText_GetTextObject), fast_call(raw.FPDFPageObj_SetIsActive)


def find(
    page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, glyphs: Glyphs, ink: Column, objects: Objects, claims: GlyphClaims
) -> dict[int, str]:
    """Why each hidden character is hidden, by its PDFium index. `ink` is that of `ink_of`, `claims` are those of the document."""
    reasons = dict[int, str]()
    with contextlib.suppress(pdfium.PdfiumError):  # without an image there is nothing to compare
        reasons = dict.fromkeys(claims.false_words(page, textpage, glyphs, ink, objects), OTHER_GLYPHS)
    reasons |= dict(drawn_otherwise(glyphs, ink)) | dict(_misplaced(page, glyphs))
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
                only_type3 = all(suspect.why == EMPTY for _, suspect in doubtful_glyphs)  # graphics take most of the time
                reasons = dict(_invisible(page, doubtful_glyphs, texts, objects.graphics if only_type3 else ())) | reasons
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
            text = " ".join("".join(_printable(glyph.char) for glyph in run).split())
            x0, top, x1, bottom = zip(*(glyph[2:] for glyph in run if any(glyph[2:])), strict=True)
            hidden.append(HiddenText(page_number, reason, text[:_MAX_TEXT], (min(x0), min(top), max(x1), max(bottom))))
    return tuple(hidden)


def _printable(char: str) -> str:
    known = chr(ord(char) - UNMAPPED) if ord(char) >= UNMAPPED else char
    return known if known.isprintable() else " "


def _misplaced(page: pdfium.PdfPage, glyphs: Glyphs) -> Iterator[tuple[int, str]]:
    """Characters that are hidden because of their box alone."""
    width, height = size_of(page)
    x0, top, x1, bottom = glyphs.boxes.T
    across, down = x1 - x0, bottom - top
    off = (x1 <= 0) | (bottom <= 0) | (x0 >= width) | (top >= height)
    least = _TINY * min(1.0, max(width, height) / _PAGE)
    tiny = ((down < least) | (across < _NARROW)) & ((down < _NARROW) | (across < least))
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


def _invisible(
    page: pdfium.PdfPage, doubtful: list[tuple[Glyph, Suspect]], texts: Collection[int], ignored: Collection[int]
) -> Iterator[tuple[int, str]]:
    """Characters whose absence changes no pixel, with the reason. The ignored objects are not rendered."""
    width, height = size_of(page)
    scale = min(2.0, (_MAX_PIXELS / (max(1.0, width) * max(1.0, height))) ** 0.5)
    down, across = math.ceil(height * scale), math.ceil(width * scale)
    edges = [_pixels(glyph, scale, across, down) for glyph, _ in doubtful]
    left, top = min(edge[0] for edge in edges), min(edge[1] for edge in edges)
    right, bottom = max(edge[2] for edge in edges), max(edge[3] for edge in edges)
    # render only the area around the characters; pypdfium2 rounds up, hence the half pixels
    crop = [max(0.0, pixels - 0.5) / scale for pixels in (left, down - bottom, across - right, top)]

    def rendered(without: Collection[int]) -> Any:
        for key in (*without, *ignored):
            _activate(key, False)
        try:
            return page.render(scale=scale, crop=crop, may_draw_forms=False).to_numpy()[..., :3]
        finally:
            for key in (*without, *ignored):
                _activate(key, True)

    def part(pixels: Any, edge: tuple[int, int, int, int]) -> Any:
        return pixels[edge[1] - top : edge[3] - top, edge[0] - left : edge[2] - left]

    whole, rest = rendered(()), rendered({suspect.key for _, suspect in doubtful})
    changed = np.maximum(whole, rest) - np.minimum(whole, rest)
    changes = [int(part(changed, edge).max(initial=0)) for edge in edges]
    strongest: dict[int, int] = {}
    for (_, suspect), change in zip(doubtful, changes, strict=True):
        strongest[suspect.key] = max(change, strongest.get(suspect.key, 0))
    invisible = [
        (*pair, edge)
        for pair, edge, change in zip(doubtful, edges, changes, strict=True)
        if change < _VISIBLE or strongest[pair[1].key] < _LEGIBLE
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
