"""A plot as a PNG image, drawn by PDFium, which brings its own Helvetica: no fonts have to be installed.

The plot becomes a PDF page of a few drawing operators, which PDFium renders. Letters that Windows-1252 does not have are drawn
as question marks; SVG has no such limit.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

import pypdfium2 as pdfium

from methodlens.papers.pdf.render import render
from methodlens.reports.figures.style import attributes
from methodlens.reports.figures.text_width import ENCODING, text_width
from methodlens.reports.statistics.shapes import Plot, Shape, rect
from methodlens.text.printable import one_line

DPI = 600
_ROUND = 0.5523  # a quarter of a circle as a Bezier curve
_STEP = re.compile(r"([Mhvz])([-\d.]*)(?:,([-\d.]+))?")
_TURNED = re.compile(r"rotate\(-90 ")
_FONTS = {"normal": "F1", "bold": "F2"}

Looks = dict[str, str | float]


def png(plot: Plot, *, dpi: int = DPI) -> bytes:
    """`dpi` is lower for a plot that would otherwise have more than 12 million pixels."""
    document = pdfium.PdfDocument(pdf(plot))
    try:
        return render(document[0], scale=dpi / 72, physical=True)
    finally:
        document.close()


def unprintable(plot: Plot) -> bool:
    """Whether the plot has letters that a PNG shows as question marks."""
    return any(b"?" in _encoded(shape.text.replace("?", "")) for shape in plot.shapes)


def pdf(plot: Plot) -> bytes:
    """A PDF file with one page. Its fonts are not embedded, so it is only good for rendering."""
    page = (rect(0, 0, plot.width, plot.height, css="background"), *plot.shapes)
    content = "\n".join(
        # PDF measures from the bottom
        [f"1 0 0 -1 0 {plot.height:.2f} cm", *(operator for shape in page for operator in _operators(shape))]
    ).encode("latin-1")
    fonts = b"".join(
        b"/%s<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>" % (name.encode(), font)
        for name, font in zip(_FONTS.values(), (b"Helvetica", b"Helvetica-Bold"), strict=True)
    )
    box = f"[0 0 {plot.width:.2f} {plot.height:.2f}]".encode()
    return _file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox%s/Contents 4 0 R/Resources<</Font<<%s>>>>>>" % (box, fonts),
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    )


def _file(objects: Sequence[bytes]) -> bytes:
    parts, offsets, size = [b"%PDF-1.4\n"], [], 9
    for number, body in enumerate(objects, 1):
        offsets.append(size)
        parts.append(b"%d 0 obj%sendobj\n" % (number, body))
        size += len(parts[-1])
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    return b"".join(
        (
            *parts,
            b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table),
            b"trailer<</Size %d/Root 1 0 R>>startxref\n%d\n%%%%EOF" % (count, size),
        )
    )


def _operators(shape: Shape) -> Iterator[str]:
    looks = attributes(shape)
    if shape.tag == "text":
        yield from _text(shape.text, looks)
        return
    fill, stroke = (str(looks.get(name, "none")) for name in ("fill", "stroke"))
    if fill != "none":
        yield f"{_colour(fill)} rg"
    if stroke != "none":
        yield f"{_colour(stroke)} RG {looks['stroke-width']} w [{looks.get('stroke-dasharray', '')}] 0 d"
    yield from _outline(shape.tag, looks)
    yield {(True, True): "B", (True, False): "f", (False, True): "S", (False, False): "n"}[fill != "none", stroke != "none"]


def _outline(tag: str, looks: Looks) -> Iterator[str]:
    match tag:
        case "rect":
            yield "{x} {y} {width} {height} re".format(**looks)
        case "line":
            yield "{x1} {y1} m {x2} {y2} l".format(**looks)
        case "circle":
            yield _circle(*(float(looks[name]) for name in ("cx", "cy", "r")))
        case "polyline" | "polygon":
            places = str(looks["points"]).replace(",", " ").split(" ")
            pairs = [f"{x} {y}" for x, y in zip(places[::2], places[1::2], strict=True)]
            yield " ".join(f"{pair} {'l' if index else 'm'}" for index, pair in enumerate(pairs))
            if tag == "polygon":
                yield "h"
        case "path":
            yield from _path(str(looks["d"]))
        case _:
            raise ValueError(f"no operators for {tag}")


def _circle(x: float, y: float, r: float) -> str:
    c = r * _ROUND
    curves = (
        (x + r, y + c, x + c, y + r, x, y + r),
        (x - c, y + r, x - r, y + c, x - r, y),
        (x - r, y - c, x - c, y - r, x, y - r),
        (x + c, y - r, x + r, y - c, x + r, y),
    )
    return f"{x + r:.2f} {y:.2f} m " + " ".join(" ".join(f"{value:.2f}" for value in curve) + " c" for curve in curves)


def _path(description: str) -> Iterator[str]:
    """Only the steps that `axes.squares` uses: move, horizontal, vertical, close."""
    x = y = 0.0
    for step, first, second in _STEP.findall(description):
        match step:
            case "M":
                x, y = float(first), float(second)
                yield f"{x:.2f} {y:.2f} m"
            case "z":
                yield "h"
            case _:
                x, y = (x + float(first), y) if step == "h" else (x, y + float(first))
                yield f"{x:.2f} {y:.2f} l"


def _text(text: str, looks: Looks) -> Iterator[str]:
    size, weight = float(looks["font-size"]), str(looks.get("font-weight", "normal"))
    encoded = _encoded(text)
    width = text_width(encoded.decode(ENCODING), size, bold=weight == "bold")
    start = {"start": 0.0, "middle": width / 2, "end": width}[str(looks["text-anchor"])]
    x, y = float(looks["x"]), float(looks["y"])
    matrix = (
        f"0 -1 -1 0 {x:.2f} {y + start:.2f}"
        if _TURNED.match(str(looks.get("transform", "")))
        else f"1 0 0 -1 {x - start:.2f} {y:.2f}"
    )
    yield f"{_colour(str(looks['fill']))} rg BT /{_FONTS[weight]} {size} Tf {matrix} Tm <{encoded.hex()}> Tj ET"


def _encoded(text: str) -> bytes:
    """Accents and ligatures that Windows-1252 does not have are resolved first."""
    plain = one_line(text)
    try:
        return plain.encode(ENCODING)
    except UnicodeEncodeError:
        letters = (
            letter
            if _has(letter)
            else "".join(part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part))
            for letter in plain
        )
        return "".join(letters).encode(ENCODING, "replace")


def _has(letter: str) -> bool:
    return bool(letter.encode(ENCODING, "ignore"))


def _colour(code: str) -> str:
    return " ".join(f"{int(code[at : at + 2], 16) / 255:.3f}" for at in (1, 3, 5))
