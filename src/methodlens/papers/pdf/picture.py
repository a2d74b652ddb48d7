"""A page as a PNG picture, with boxes marked on it as by a highlighter pen. Runs inside the worker."""

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

Pixels = NDArray[np.uint8]
"""Rows, columns, and red, green, blue."""


class _Ink(NamedTuple):
    colour: tuple[int, int, int]
    strength: float
    outline: int


# Okabe and Ito's colours, which stay apart for the colour-blind
STYLES = {
    "quote": _Ink((230, 159, 0), 0.6, outline=2),
    "passage": _Ink((86, 180, 233), 0.3, outline=1),
    "passage-odd": _Ink((0, 158, 115), 0.2, outline=1),
}
"""`passage` and `passage-odd` in turn tell neighbours apart."""


def render(page: pdfium.PdfPage, *, scale: float = 1.5, boxes: Sequence[tuple[Box, str]] = ()) -> bytes:
    """PNG bytes, `scale` pixels a point unless that is too many. Boxes are (box, style), in points from the top left.

    >>> render(page, boxes=[((72, 90, 310, 102), "quote")])  # doctest: +SKIP
    """
    width, height = page.get_size()
    scale = min(scale, math.sqrt(_MAX_PIXELS / max(width * height, 1)))
    bitmap = page.render(scale=scale, rev_byteorder=True)
    pixels: Pixels = bitmap.to_numpy()[..., :3].copy()
    bitmap.close()
    # the picture is rounded up to whole pixels
    across, down = pixels.shape[1] / width, pixels.shape[0] / height
    for (x0, y0, x1, y1), style in boxes:
        _mark(pixels, (x0 * across, y0 * down, x1 * across, y1 * down), STYLES[style])
    return png(pixels)


def _mark(pixels: Pixels, box: Box, ink: _Ink) -> None:
    """Multiplied, so that black text stays black."""
    rows, columns = pixels.shape[:2]
    left, right = _whole(box[0], box[2], columns)
    top, bottom = _whole(box[1], box[3], rows)
    area = pixels[top:bottom, left:right]
    if not area.size:
        return
    colour = np.array(ink.colour, dtype=np.float32)
    tint = 255 - ink.strength * (255 - colour)
    area[:] = (area * (tint / 255)).astype(np.uint8)
    edge = ink.outline
    for side in (area[:edge], area[-edge:], area[:, :edge], area[:, -edge:]):
        side[:] = ink.colour


def _whole(start: float, end: float, limit: int) -> tuple[int, int]:
    return max(0, math.floor(start)), min(limit, math.ceil(end))


def png(pixels: Pixels) -> bytes:
    """Every row as its difference from the one above, which packs well where rows repeat."""
    height, width = pixels.shape[:2]
    rows = pixels.reshape(height, width * 3)
    filtered = np.empty((height, width * 3 + 1), dtype=np.uint8)
    filtered[:, 0] = 2  # PNG's filter "up"
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB, not interlaced
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
