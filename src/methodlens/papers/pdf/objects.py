"""The text objects of a page that may be hidden, judged by their state and by what is painted over or under them.

Runs only inside the worker process.
"""

import ctypes
from collections.abc import Callable, Collection, Sequence
from functools import partial
from operator import sub
from typing import Any, NamedTuple

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from numpy.typing import NDArray

from methodlens.papers.pdf.fast_calls import address, fast_call
from methodlens.records import Box

CLIPPED, INVISIBLE, COVERED, NO_CONTRAST = "clipped away", "invisible", "covered", "no contrast with the page"
EMPTY = "empty glyphs"

_LIGHT = 210  # of 255: text this light in every channel may be invisible on white
_SIMILAR = 48  # of 255: text this close to the colour under it may be invisible
_MAX_OBJECTS, _MAX_OVERLAPS = 4000, 20_000  # above these, rendering the page is cheaper than analysing it
_MAX_DEPTH = 5  # forms within forms

_UNSEEN_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_STROKE_MODES = (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)

# buffers for PDFium's results, and the addresses that it writes to
_ints, _colours, _edges, _length = (ctypes.c_int * 2)(), (ctypes.c_uint * 4)(), (ctypes.c_float * 4)(), ctypes.c_ulong()
_to_ints, _to_colours, _to_edges = (
    [ctypes.addressof(out) + at for at in range(0, ctypes.sizeof(out), 4)] for out in (_ints, _colours, _edges)
)
_to_length = ctypes.addressof(_length)
_actual_text = ctypes.create_string_buffer(b"ActualText")
# called for each object of a page
_object_at = fast_call(raw.FPDFPage_GetObject)
_inner_at = fast_call(raw.FPDFFormObj_GetObject)
_form_size = fast_call(raw.FPDFFormObj_CountObjects)
_kind = fast_call(raw.FPDFPageObj_GetType)
_bounds = fast_call(raw.FPDFPageObj_GetBounds)
_matrix = fast_call(raw.FPDFPageObj_GetMatrix)
_text_mode = fast_call(raw.FPDFTextObj_GetTextRenderMode)
_path_mode = fast_call(raw.FPDFPath_GetDrawMode)
_fill = fast_call(raw.FPDFPageObj_GetFillColor)
_stroke = fast_call(raw.FPDFPageObj_GetStrokeColor)
_transparent = fast_call(raw.FPDFPageObj_HasTransparency)
_marks = fast_call(raw.FPDFPageObj_CountMarks)
_mark = fast_call(raw.FPDFPageObj_GetMark)
_mark_name = fast_call(raw.FPDFPageObjMark_GetName)
_mark_value = fast_call(raw.FPDFPageObjMark_GetParamStringValue)
_font = fast_call(raw.FPDFTextObj_GetFont)
_font_data = fast_call(raw.FPDFFont_GetFontData)
_clip = fast_call(raw.FPDFPageObj_GetClipPath)
_clips = fast_call(raw.FPDFClipPath_CountPaths)
_corners = fast_call(raw.FPDFClipPath_CountPathSegments)
_corner = fast_call(raw.FPDFClipPath_GetPathSegment)
_point = fast_call(raw.FPDFPathSegment_GetPoint)


class _Drawn(NamedTuple):
    """A text, or a surface under or over text, in drawing order. An image has no single colour."""

    rank: int
    box: Box
    colour: tuple[int, ...] | None
    key: int = 0  # the address of a text object
    why: str = ""  # why the state of a text makes it suspect


class Suspect(NamedTuple):
    key: int
    why: str
    excused: bool  # not hidden where an image shows ink, as under the invisible text layer of a scan


class Objects:
    """The text objects and surfaces of a page, including those inside form objects."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self.texts, self.surfaces = list[_Drawn](), list[_Drawn]()
        self.graphics = list[int]()
        """Paths, images and shadings."""
        self.replaced = list[int]()
        """Text objects with ActualText."""
        self._type3 = dict[int, bool]()
        self.rank = 0
        self.too_many = False
        self._walk(raw.FPDFPage_CountObjects(page.raw), partial(_object_at, address(page.raw)), None, "")

    def suspects(self) -> dict[int, Suspect]:
        suspects = {text.key: Suspect(text.key, text.why, text.why == INVISIBLE) for text in self.texts if text.why}
        edges, flats = _edges_of(self.texts)[:, :, None], _edges_of(self.surfaces)[:, None, :]
        over = np.minimum(edges[2], flats[2]) - np.maximum(edges[0], flats[0]) > 1  # touching boxes are common
        over &= np.minimum(edges[3], flats[3]) - np.maximum(edges[1], flats[1]) > 1
        self.too_many |= int(np.count_nonzero(over)) > _MAX_OVERLAPS
        pairs = [] if self.too_many else np.argwhere(over).tolist()
        for text, surface in ((self.texts[i], self.surfaces[j]) for i, j in pairs):
            later = surface.rank > text.rank
            alike = surface.colour is None or max(map(abs, map(sub, text.colour or (), surface.colour))) < _SIMILAR
            if text.why not in (INVISIBLE, CLIPPED) and (later or alike):
                _, why, excused = suspects.get(text.key, (0, NO_CONTRAST, False))
                suspects[text.key] = Suspect(text.key, COVERED if later else why, excused or (later and surface.colour is None))
        return suspects

    def echoed(self, suspects: Collection[int], owned: Collection[int]) -> set[int]:
        """Suspects drawn twice at one place, such as letters with a shadow: PDFium's text keeps only the first."""
        dropped = _edges_of([text for text in self.texts if text.key not in owned])
        doubtful = [text for text in self.texts if text.key in suspects]
        near = np.ones((len(doubtful), dropped.shape[1]), bool)
        for edge, others in zip(_edges_of(doubtful), dropped, strict=True):  # one edge at a time, to save memory
            near &= abs(edge[:, None] - others[None, :]) < 1.5
        return {doubtful[index].key for index in np.flatnonzero(near.any(axis=1))}

    def _walk(self, count: int, at: Callable[[int], Any], place: pdfium.PdfMatrix | None, why: str, depth: int = 0) -> None:
        for index in range(count):
            self.rank += 1
            self.too_many |= self.rank > _MAX_OBJECTS
            if self.too_many:
                return
            handle = at(index)
            kind = _kind(handle)
            if kind == raw.FPDF_PAGEOBJ_FORM:
                if depth < _MAX_DEPTH:
                    self._enter(handle, place, why, depth + 1)
                continue
            if kind != raw.FPDF_PAGEOBJ_TEXT:
                self.graphics.append(handle)
            own = bounds(handle)
            box = place.on_rect(*own) if place else own
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                colour, state = state_of(handle)
                state = state or why or (CLIPPED if _clipped(handle, own) else EMPTY if self._is_type3(handle) else "")
                self.texts.append(_Drawn(self.rank, box, colour, handle, state))
                if actual_text_marks(handle):
                    self.replaced.append(handle)
            elif box[2] - box[0] > 2 and box[3] - box[1] > 2:  # thin rules cover nothing
                if kind != raw.FPDF_PAGEOBJ_PATH:
                    self.surfaces.append(_Drawn(self.rank, box, None))
                elif _path_mode(handle, *_to_ints) and _ints[0] and (fill := _colour(handle))[3] >= 128:
                    self.surfaces.append(_Drawn(self.rank, box, fill[:3]))

    def _is_type3(self, text: int) -> bool:
        """Whether its glyphs are drawings, with boxes that need not be true: only their pixels show that they are not empty."""
        font = _font(text)
        if font not in self._type3:
            self._type3[font] = bool(_font_data(font, None, 0, _to_length)) and _length.value == 0
        return self._type3[font]

    def _enter(self, form: int, place: pdfium.PdfMatrix | None, why: str, depth: int) -> None:
        own = raw.FS_MATRIX()
        _matrix(form, ctypes.addressof(own))
        inner = pdfium.PdfMatrix.from_raw(own).multiply(place or pdfium.PdfMatrix())
        why = why or (INVISIBLE if _colour(form)[3] < 128 else "")
        self._walk(_form_size(form), partial(_inner_at, form), inner, why, depth)


def _edges_of(drawn: Sequence[_Drawn]) -> NDArray[np.float32]:
    """Four rows: left, bottom, right, top."""
    return np.array([item.box for item in drawn], np.float32).reshape(-1, 4).T


def _colour(handle: int, of: Callable[..., Any] = _fill) -> tuple[int, ...]:
    """RGBA. A pattern has no single colour and counts as white, which makes it suspect."""
    return tuple(_colours) if of(handle, *_to_colours) else (255, 255, 255, 255)


def state_of(handle: int) -> tuple[tuple[int, ...], str]:
    """The colour of a text object, and why it may be hidden."""
    mode = _text_mode(handle)
    *rgb, alpha = _colour(handle, _stroke if mode in _STROKE_MODES else _fill)
    odd = mode in _UNSEEN_MODES or alpha < 128 or _transparent(handle) or _on_a_layer(handle)
    return tuple(rgb), INVISIBLE if odd else NO_CONTRAST if min(rgb) >= _LIGHT else ""


def _on_a_layer(handle: int) -> bool:
    """Whether it is optional content, which may be switched off."""
    for index in range(_marks(handle)):
        name = (raw.FPDF_WCHAR * 4)()
        _mark_name(_mark(handle, index), ctypes.addressof(name), 8, _to_length)
        if bytes(name)[: _length.value] == b"O\0C\0\0\0":
            return True
    return False


def actual_text_marks(handle: int) -> list[int]:
    """The marks of a text object that give a text in place of what is drawn."""
    marks = (_mark(handle, index) for index in range(_marks(handle)))
    return [mark for mark in marks if _mark_value(mark, ctypes.addressof(_actual_text), None, 0, _to_length)]


def bounds(handle: int) -> Box:
    """Left, bottom, right and top in PDF coordinates; zeros if unknown."""
    return (_edges[0], _edges[1], _edges[2], _edges[3]) if _bounds(handle, *_to_edges) else (0.0, 0.0, 0.0, 0.0)


def _clipped(handle: int, box: Box) -> bool:
    """Whether part of it may be outside its clipping paths, judged by their boxes."""
    path = _clip(handle)
    for index in range(_clips(path)):
        xs, ys = set[float](), set[float]()
        for k in range(min(64, _corners(path, index))):
            _point(_corner(path, index, k), *_to_edges[:2])
            xs.add(_edges[0])
            ys.add(_edges[1])
        if not xs or box[0] < min(xs) - 1 or box[1] < min(ys) - 1 or box[2] > max(xs) + 1 or box[3] > max(ys) + 1:
            return True
    return False
