"""Page images: valid PNGs of bounded size, with boxes where the text is."""

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pikepdf
import pypdfium2 as pdfium
import pytest
from PIL import Image

from methodlens.papers.pdf.render import STYLES, Pixels, grey_png, png, render
from methodlens.records import Box

BLACK_BAR = (100.0, 100.0, 200.0, 150.0)  # from the top left of an unrotated page of 400 x 600


@contextmanager
def page_with_a_bar(tmp_path: Path, *, rotate: int = 0, crop: Box | None = None) -> Iterator[pdfium.PdfPage]:
    from reportlab.pdfgen.canvas import Canvas

    path, changed = tmp_path / "plain.pdf", tmp_path / "changed.pdf"
    canvas = Canvas(str(path), pagesize=(400, 600), invariant=1)
    x0, y0, x1, y1 = BLACK_BAR
    canvas.rect(x0, 600 - y1, x1 - x0, y1 - y0, stroke=0, fill=1)
    canvas.save()
    with pikepdf.open(path) as document:
        document.pages[0].Rotate = rotate
        if crop:
            document.pages[0].CropBox = pikepdf.Array(crop)
        document.save(changed)
    with pdfium.PdfDocument(changed) as document:
        yield document[0]


def decoded(png: bytes) -> Pixels:
    return np.asarray(Image.open(io.BytesIO(png)))


def is_white(pixel: Pixels) -> bool:
    return bool((pixel == 255).all())


def test_a_page_is_a_png_of_its_size_times_the_scale(tmp_path: Path) -> None:
    with page_with_a_bar(tmp_path) as page:
        image = render(page, scale=1.5)
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", image[16:24]) == (600, 900)
    size = struct.unpack(">I", image[33:37])[0]
    assert len(zlib.decompress(image[41 : 41 + size])) == 900 * (1 + 3 * 600)
    pixels = decoded(image)
    assert pixels.shape == (900, 600, 3)
    assert is_white(pixels[10, 10])
    assert pixels[180, 220].tolist() == [0, 0, 0]


def test_a_png_keeps_every_pixel() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (37, 53, 3), dtype=np.uint8)
    assert (decoded(png(pixels)) == pixels).all()


@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_box_tints_the_page_and_leaves_black_text_black(tmp_path: Path, style: str) -> None:
    with page_with_a_bar(tmp_path) as page:
        pixels = decoded(render(page, scale=1, boxes=[((50, 90, 250, 160), style)]))
    assert not is_white(pixels[95, 60])
    assert pixels[125, 150].tolist() == [0, 0, 0]
    assert is_white(pixels[80, 60])
    assert is_white(pixels[125, 260])
    assert pixels[90, 150].tolist() == list(STYLES[style].colour)  # its outline


def test_a_quote_is_highlighted_more_strongly_than_a_passage(tmp_path: Path) -> None:
    boxes: list[tuple[Box, str]] = [
        ((10, 10, 50, 50), "quote"),
        ((60, 10, 90, 50), "passage"),
        ((100, 10, 150, 50), "passage-odd"),
    ]
    with page_with_a_bar(tmp_path) as page:
        pixels = decoded(render(page, scale=1, boxes=boxes)).astype(int)
    quote, passage, following = (765 - pixels[30, x].sum() for x in (30, 75, 125))
    assert quote > passage > 0
    assert quote > following > 0
    assert (pixels[30, 75] != pixels[30, 125]).any()


@pytest.mark.parametrize(
    ("rotate", "shape", "bar"),
    [
        (90, (400, 600), (450, 100, 500, 200)),
        (180, (600, 400), (200, 450, 300, 500)),
        (270, (400, 600), (100, 200, 150, 300)),
    ],
)
def test_boxes_are_placed_on_a_rotated_page_as_displayed(tmp_path: Path, rotate: int, shape: tuple[int, int], bar: Box) -> None:
    x0, y0, x1, y1 = bar
    with page_with_a_bar(tmp_path, rotate=rotate) as page:
        pixels = decoded(render(page, scale=1, boxes=[((x0 - 10, y0 - 10, x1 + 10, y1 + 10), "quote")]))
    assert pixels.shape[:2] == shape
    dark = np.argwhere(pixels.sum(axis=2) == 0)
    assert (dark.min(axis=0).tolist(), (dark.max(axis=0) + 1).tolist()) == ([y0, x0], [y1, x1])
    marked = np.argwhere(pixels.sum(axis=2) < 765)
    assert (marked.min(axis=0).tolist(), (marked.max(axis=0) + 1).tolist()) == ([y0 - 10, x0 - 10], [y1 + 10, x1 + 10])


def test_boxes_are_relative_to_the_corner_of_a_cropped_page(tmp_path: Path) -> None:
    with page_with_a_bar(tmp_path, crop=(80, 380, 380, 540)) as page:  # its top left is (80, 60) of the whole page
        pixels = decoded(render(page, scale=1, boxes=[((15, 35, 125, 95), "passage")]))
    assert pixels.shape[:2] == (160, 300)
    dark = np.argwhere(pixels.sum(axis=2) == 0)
    assert dark.min(axis=0).tolist() == [40, 20]
    marked = np.argwhere(pixels.sum(axis=2) < 765)
    assert marked.min(axis=0).tolist() == [35, 15]


def test_boxes_that_extend_beyond_the_page_are_cut_at_its_edge(tmp_path: Path) -> None:
    boxes: list[tuple[Box, str]] = [((-50, -50, 20, 20), "quote"), ((500, 700, 600, 800), "quote"), ((30, 30, 30, 30), "quote")]
    with page_with_a_bar(tmp_path) as page:
        pixels = decoded(render(page, scale=1, boxes=boxes))
    assert not is_white(pixels[5, 5])
    assert is_white(pixels[30, 30])
    assert is_white(pixels[599, 399])


def test_a_huge_page_stays_within_the_pixel_limit() -> None:
    document = pdfium.PdfDocument.new()
    image = render(document.new_page(14400, 14400), scale=4, boxes=[((0, 0, 14400, 7200), "quote")])
    width, height = struct.unpack(">II", image[16:24])
    assert 11_000_000 < width * height <= 12_100_000
    pixels = decoded(image)
    assert not is_white(pixels[height // 2 - 20, width // 2])
    assert is_white(pixels[height // 2 + 20, width // 2])


def test_a_grey_png_keeps_every_pixel_to_the_nearest_of_sixteen_shades() -> None:
    shades = np.arange(7 * 256, dtype=np.uint8).reshape(7, 256)[:, :255]  # an odd width leaves half a byte
    with Image.open(io.BytesIO(grey_png(shades))) as read:
        assert read.size == (255, 7)
        seen = np.asarray(read.convert("L")).astype(int)
    assert abs(seen - shades.astype(int)).max() <= 9
