"""A page as a PNG image, with boxes highlighted. Runs inside the worker process."""

import math
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray

from methodlens.records import Box

_MAX_PIXELS = 12_000_000
_POINTS_PER_METRE = 72 / 0.0254

Pixels = NDArray[np.uint8]
"""Rows, columns, RGB."""
Shades = NDArray[np.uint8]
"""Rows and columns, from 0 (black) to 255 (white)."""


class _Ink(NamedTuple):
    colour: tuple[int, int, int]
    strength: float
    outline: int


# colours by Okabe and Ito, which colour-blind people can distinguish
STYLES = {
    "quote": _Ink((230, 159, 0), 0.6, outline=2),
    "passage": _Ink((86, 180, 233), 0.3, outline=1),
    "passage-odd": _Ink((0, 158, 115), 0.2, outline=1),
}
"""`passage` and `passage-odd` alternate, so that neighbours differ."""


def render(
    page: pdfium.PdfPage,
    *,
    scale: float = 1.5,
    boxes: Sequence[tuple[Box, str]] = (),
    grey: bool = False,
    physical: bool = False,
    clip: Box | None = None,
) -> bytes:
    """PNG bytes at `scale` pixels per point, fewer for a very large page.

    Boxes are (box, style), in points from the top left. With `grey`, the image has a third of the size and no boxes; with
    `physical`, it says how large it is in print. `clip` is the part of the page to show.

    >>> render(page, boxes=[((72, 90, 310, 102), "quote")])  # doctest: +SKIP
    """
    width, height = page.get_size()
    scale = min(scale, math.sqrt(_MAX_PIXELS / max(width * height, 1)))
    if grey:
        bitmap = page.render(scale=scale, grayscale=True)
        shades: Shades = bitmap.to_numpy().copy()
        bitmap.close()
        return grey_png(_clipped(shades.reshape(shades.shape[:2]), clip, width, height))
    bitmap = page.render(scale=scale, rev_byteorder=True)
    pixels: Pixels = bitmap.to_numpy()[..., :3].copy()
    bitmap.close()
    # the image is rounded up to whole pixels
    across, down = pixels.shape[1] / width, pixels.shape[0] / height
    for (x0, y0, x1, y1), style in boxes:
        _highlight(pixels, (x0 * across, y0 * down, x1 * across, y1 * down), STYLES[style])
    pixels = _clipped(pixels, clip, width, height)
    return png(pixels, per_metre=round(scale * _POINTS_PER_METRE) if physical else 0)


def _clipped(pixels: NDArray[np.uint8], clip: Box | None, width: float, height: float) -> NDArray[np.uint8]:
    """The part of an image of a page of this size; all of it if the part is empty."""
    if clip is None:
        return pixels
    rows, columns = pixels.shape[:2]
    left, right = _pixel_range(clip[0] * columns / width, clip[2] * columns / width, columns)
    top, bottom = _pixel_range(clip[1] * rows / height, clip[3] * rows / height, rows)
    part = pixels[top:bottom, left:right]
    return np.ascontiguousarray(part) if part.size else pixels


def _highlight(pixels: Pixels, box: Box, ink: _Ink) -> None:
    """Multiplies the colours, so that black text stays black."""
    rows, columns = pixels.shape[:2]
    left, right = _pixel_range(box[0], box[2], columns)
    top, bottom = _pixel_range(box[1], box[3], rows)
    area = pixels[top:bottom, left:right]
    if not area.size:
        return
    colour = np.array(ink.colour, dtype=np.float32)
    tint = 255 - ink.strength * (255 - colour)
    area[:] = (area * (tint / 255)).astype(np.uint8)
    edge = ink.outline
    for side in (area[:edge], area[-edge:], area[:, :edge], area[:, -edge:]):
        side[:] = ink.colour


def _pixel_range(start: float, end: float, limit: int) -> tuple[int, int]:
    return max(0, math.floor(start)), min(limit, math.ceil(end))


def png(pixels: Pixels, *, per_metre: int = 0) -> bytes:
    """`per_metre`: how many pixels a metre has in print, 0 if that does not matter."""
    height, width = pixels.shape[:2]
    density = _chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)) if per_metre else b""
    return _encode(pixels.reshape(height, width * 3), width=width, bits=8, colour=2, density=density)


def grey_png(shades: Shades) -> bytes:
    """Sixteen shades, two pixels per byte: enough to read a page with its figures."""
    height, width = shades.shape
    even = np.full((height, width + width % 2), 15, dtype=np.uint8)
    even[:, :width] = (shades.astype(np.uint16) * 15 + 127) // 255
    packed: Shades = np.bitwise_or(even[:, 0::2] * np.uint8(16), even[:, 1::2])
    return _encode(packed, width=width, bits=4, colour=0)


def _encode(rows: NDArray[np.uint8], *, width: int, bits: int, colour: int, density: bytes = b"") -> bytes:
    """Stores each row as its difference from the row above, which compresses well where rows repeat."""
    height, length = rows.shape
    filtered = np.empty((height, length + 1), dtype=np.uint8)
    filtered[:, 0] = 2  # the PNG filter type "up"
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)  # not interlaced
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            density,
            _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
