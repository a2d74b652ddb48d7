"""Text that stands in the file but that nobody sees on the page. Runs only inside the worker process.

The pixels decide: a page with a suspicious state is drawn twice, with its suspicious text and without it. Text whose
absence changes nothing is hidden, unless it repeats what a picture shows at that place (the text layer of a scan).
"""

import contextlib
import ctypes
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from operator import sub
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from methodlens.papers.printed import Glyph
from methodlens.records import Box, HiddenText

OFF_PAGE, TINY, CLIPPED = "off the page", "tiny", "clipped away"
INVISIBLE, COVERED, NO_CONTRAST = "invisible", "covered", "no contrast with the page"

_TINY = 1.5  # points, of a character's box: a font of about 1.2
_NARROW = 0.25  # points: squeezed to a hairline
_LIGHT = 210  # of 255: text this light in every channel may be lost on the page
_SAME = 48  # of 255: text this near to the colour it stands on may be lost on it
_SEEN = 16  # of 255: what a character must change on the page to be seen
_INK = 40  # of 255: the contrast inside the box of a scanned letter
_WORD_SHARE = 0.8  # a word is hidden when so many of its characters are: a thin one may fall between two pixels
_MAX_OBJECTS, _MAX_OVERLAPS = 4000, 20_000  # beyond these, drawing the page is cheaper than understanding it
_MAX_DEPTH, _MAX_PIXELS, _MAX_TEXT = 5, 4_000_000, 1000  # forms within forms; of a drawn page; characters of a run

_UNSEEN_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_STROKE_MODES = (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_out_ints = (ctypes.c_int(), ctypes.c_int())  # PDFium's answers; made once, a page asks thousands of times
_out_colour = (ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint())
_out_edges = (ctypes.c_float(), ctypes.c_float(), ctypes.c_float(), ctypes.c_float())


class _Drawn(NamedTuple):
    """A text, or a surface that text may lie under or on, in drawing order. A picture has no one colour."""

    rank: int
    box: Box
    colour: tuple[int, ...] | None
    key: int = 0  # a text object's address
    why: str = ""  # what a text's own state gives away


class _Suspect(NamedTuple):
    key: int
    why: str
    excused: bool  # not hidden where a picture has ink, as behind the invisible text of a scan


def find(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, glyphs: Sequence[Glyph]) -> dict[int, str]:
    """Why nobody sees a character, by its PDFium index. Empty for nearly all pages; most are not drawn at all."""
    reasons = dict(_misplaced(page, glyphs))
    objects = _Objects(page)
    suspects = objects.suspects()
    if suspects or objects.too_many:
        handles, owner = _owners(textpage, glyphs)
        if objects.too_many:
            suspects = {key: _Suspect(key, _state(handle)[1] or COVERED, True) for key, handle in handles.items()}
        doubtful = suspects.keys() - objects.echoed(suspects, handles)
        asked = [(glyph, suspects[owner[glyph.number]]) for glyph in glyphs if owner.get(glyph.number) in doubtful]
        if asked:
            with contextlib.suppress(pdfium.PdfiumError):  # a page that cannot be drawn has nothing to compare
                reasons = dict(_unseen(page, asked, handles)) | reasons
    return _by_words(glyphs, reasons) if reasons else {}


def runs(page_number: int, glyphs: Sequence[Glyph], found: dict[int, str]) -> tuple[HiddenText, ...]:
    """Hidden characters that follow one another, as readable text with the box around them."""
    hidden, last = list[HiddenText](), ""

    def why(glyph: Glyph) -> str:
        nonlocal last  # blanks and line ends go with the character before them
        last = found.get(glyph.number, "" if any(glyph[2:]) else last)
        return last

    for reason, group in groupby(glyphs, key=why):
        run = list(group)
        if reason:
            text = " ".join("".join(glyph.char if glyph.char.isprintable() else " " for glyph in run).split())
            x0, top, x1, bottom = zip(*(glyph[2:] for glyph in run if any(glyph[2:])), strict=True)
            hidden.append(HiddenText(page_number, reason, text[:_MAX_TEXT], (min(x0), min(top), max(x1), max(bottom))))
    return tuple(hidden)


def _misplaced(page: pdfium.PdfPage, glyphs: Sequence[Glyph]) -> Iterator[tuple[int, str]]:
    """What its box alone gives away."""
    width, height = page.get_size()
    for index, _, x0, top, x1, bottom in glyphs:
        if x1 <= 0 or bottom <= 0 or x0 >= width or top >= height:
            if x0 or top or x1 or bottom:
                yield index, OFF_PAGE
        elif (bottom - top < _TINY or x1 - x0 < _NARROW) and (bottom - top < _NARROW or x1 - x0 < _TINY):
            yield index, TINY


def _by_words(glyphs: Sequence[Glyph], reasons: dict[int, str]) -> dict[int, str]:
    """Whole words only. Marks alone go with the word before them: a full stop may well be tiny."""
    found, follows = dict[int, str](), False
    for word in (list(group) for drawn, group in groupby(glyphs, key=lambda glyph: any(glyph[2:])) if drawn):
        said = [reasons[glyph.number] for glyph in word if glyph.number in reasons]
        follows = len(said) >= _WORD_SHARE * len(word) and (follows or any(glyph.char.isalnum() for glyph in word))
        if follows:
            found |= dict.fromkeys((glyph.number for glyph in word), max(said, key=said.count))
    return found


def _owners(textpage: pdfium.PdfTextPage, glyphs: Sequence[Glyph]) -> tuple[dict[int, Any], dict[int, int]]:
    """The text objects by address, and the object of each character."""
    handles, owner = dict[int, Any](), dict[int, int]()
    for glyph in glyphs:
        if any(glyph[2:]) and (handle := raw.FPDFText_GetTextObject(textpage.raw, glyph.number)):
            owner[glyph.number] = key = ctypes.addressof(handle.contents)
            handles[key] = handle
    return handles, owner


def _unseen(page: pdfium.PdfPage, asked: list[tuple[Glyph, _Suspect]], texts: dict[int, Any]) -> Iterator[tuple[int, str]]:
    width, height = page.get_size()
    scale = min(2.0, (_MAX_PIXELS / (max(1.0, width) * max(1.0, height))) ** 0.5)

    def drawn(without: Collection[int]) -> Any:
        for key in without:
            raw.FPDFPageObj_SetIsActive(texts[key], False)
        try:
            return page.render(scale=scale, may_draw_forms=False).to_numpy()[..., :3].astype("int16")
        finally:
            for key in without:
                raw.FPDFPageObj_SetIsActive(texts[key], True)

    def part(pixels: Any, glyph: Glyph) -> Any:
        left, top, right, bottom = (int(min(1e7, max(0.0, edge * scale))) for edge in glyph[2:])  # a box may be nonsense
        return pixels[top : bottom + 1, left : right + 1]

    changed = abs(drawn(()) - drawn({suspect.key for _, suspect in asked}))
    unseen = [(glyph, suspect) for glyph, suspect in asked if part(changed, glyph).max(initial=0) < _SEEN]
    bare = drawn(texts) if any(suspect.excused for _, suspect in unseen) else changed
    for glyph, suspect in unseen:
        if not suspect.excused or part(bare, glyph).max(initial=0) - part(bare, glyph).min(initial=255) < _INK:
            yield glyph.number, suspect.why


class _Objects:
    """The page's text and what is painted over or under it; forms are looked into."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self.texts, self.surfaces = list[_Drawn](), list[_Drawn]()
        self.rank, self.too_many = 0, False
        handle = page.raw
        self._walk(raw.FPDFPage_CountObjects(handle), lambda index: raw.FPDFPage_GetObject(handle, index), None, "")

    def suspects(self) -> dict[int, _Suspect]:
        import numpy as np

        found = {text.key: _Suspect(text.key, text.why, text.why == INVISIBLE) for text in self.texts if text.why}
        edges = np.array([text.box for text in self.texts], "float32").reshape(-1, 4).T[:, :, None]
        flats = np.array([surface.box for surface in self.surfaces], "float32").reshape(-1, 4).T[:, None, :]
        over = np.minimum(edges[2], flats[2]) - np.maximum(edges[0], flats[0]) > 1  # boxes that merely touch are everywhere
        over &= np.minimum(edges[3], flats[3]) - np.maximum(edges[1], flats[1]) > 1
        pairs = np.argwhere(over).tolist()
        self.too_many |= len(pairs) > _MAX_OVERLAPS
        for text, surface in ((self.texts[i], self.surfaces[j]) for i, j in pairs[:_MAX_OVERLAPS]):
            later = surface.rank > text.rank
            alike = surface.colour is None or max(map(abs, map(sub, text.colour or (), surface.colour))) < _SAME
            if text.why not in (INVISIBLE, CLIPPED) and (later or alike):
                _, why, excused = found.get(text.key, (0, NO_CONTRAST, False))
                found[text.key] = _Suspect(text.key, COVERED if later else why, excused or (later and surface.colour is None))
        return found

    def echoed(self, suspects: Collection[int], owned: Collection[int]) -> set[int]:
        """Suspects that stand twice at one place, as a shadow and its letters: PDFium's text keeps only the first."""
        dropped = [text.box for text in self.texts if text.key not in owned]
        doubtful = [text for text in self.texts if text.key in suspects]
        return {t.key for t in doubtful for box in dropped if max(map(abs, map(sub, t.box, box))) < 1.5}

    def _walk(self, count: int, at: Callable[[int], Any], place: pdfium.PdfMatrix | None, why: str, depth: int = 0) -> None:
        for index in range(count):
            self.rank += 1
            self.too_many |= self.rank > _MAX_OBJECTS
            if self.too_many:
                return
            handle = at(index)
            kind = raw.FPDFPageObj_GetType(handle)
            if kind == raw.FPDF_PAGEOBJ_FORM:
                if depth < _MAX_DEPTH:
                    self._enter(handle, place, why, depth + 1)
                continue
            raw.FPDFPageObj_GetBounds(handle, *_out_edges)
            own = (_out_edges[0].value, _out_edges[1].value, _out_edges[2].value, _out_edges[3].value)
            box = place.on_rect(*own) if place else own
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                colour, state = _state(handle)
                state = state or why or (CLIPPED if _clipped(handle, own) else "")
                self.texts.append(_Drawn(self.rank, box, colour, ctypes.addressof(handle.contents), state))
            elif box[2] - box[0] > 2 and box[3] - box[1] > 2:  # rules cover nothing
                if kind != raw.FPDF_PAGEOBJ_PATH:
                    self.surfaces.append(_Drawn(self.rank, box, None))
                elif raw.FPDFPath_GetDrawMode(handle, *_out_ints) and _out_ints[0].value and (fill := _colour(handle))[3] >= 128:
                    self.surfaces.append(_Drawn(self.rank, box, fill[:3]))

    def _enter(self, form: Any, place: pdfium.PdfMatrix | None, why: str, depth: int) -> None:
        own = raw.FS_MATRIX()
        raw.FPDFPageObj_GetMatrix(form, own)
        inner = pdfium.PdfMatrix.from_raw(own).multiply(place or pdfium.PdfMatrix())
        why = why or (INVISIBLE if _colour(form)[3] < 128 else "")
        self._walk(raw.FPDFFormObj_CountObjects(form), lambda k: raw.FPDFFormObj_GetObject(form, k), inner, why, depth)


def _colour(handle: Any, of: Any = raw.FPDFPageObj_GetFillColor) -> tuple[int, ...]:
    """Red, green, blue, alpha. A pattern has no one colour and counts as white: it must be looked at."""
    return tuple([part.value for part in _out_colour]) if of(handle, *_out_colour) else (255, 255, 255, 255)


def _state(handle: Any) -> tuple[tuple[int, ...], str]:
    """A text object's colour, and why nobody may see it."""
    mode = raw.FPDFTextObj_GetTextRenderMode(handle)
    *rgb, alpha = _colour(handle, raw.FPDFPageObj_GetStrokeColor if mode in _STROKE_MODES else raw.FPDFPageObj_GetFillColor)
    odd = mode in _UNSEEN_MODES or alpha < 128 or raw.FPDFPageObj_HasTransparency(handle) or _on_a_layer(handle)
    return tuple(rgb), INVISIBLE if odd else NO_CONTRAST if min(rgb) >= _LIGHT else ""


def _on_a_layer(handle: Any) -> bool:
    """In optional content, which may be switched off."""
    for index in range(raw.FPDFPageObj_CountMarks(handle)):
        name, length = (raw.FPDF_WCHAR * 4)(), ctypes.c_ulong()
        raw.FPDFPageObjMark_GetName(raw.FPDFPageObj_GetMark(handle, index), name, 8, length)
        if bytes(name)[: length.value] == b"O\0C\0\0\0":
            return True
    return False


def _clipped(handle: Any, box: Box) -> bool:
    """Some of it may lie outside its clipping paths, judged by their boxes."""
    path = raw.FPDFPageObj_GetClipPath(handle)
    x, y = _out_edges[:2]
    for index in range(raw.FPDFClipPath_CountPaths(path)):
        xs, ys = set[float](), set[float]()
        for k in range(min(64, raw.FPDFClipPath_CountPathSegments(path, index))):
            raw.FPDFPathSegment_GetPoint(raw.FPDFClipPath_GetPathSegment(path, index, k), x, y)
            xs.add(x.value)
            ys.add(y.value)
        if not xs or box[0] < min(xs) - 1 or box[1] < min(ys) - 1 or box[2] > max(xs) + 1 or box[3] > max(ys) + 1:
            return True
    return False
