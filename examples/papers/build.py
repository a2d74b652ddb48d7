"""Set the fictional example papers as PDF.

Run it from any directory, with the packages it needs in the environment::

    python -m pip install reportlab pyphen pypdfium2 pillow
    python examples/papers/build.py              # all papers, beside this script
    python examples/papers/build.py rented-cpu   # only that one
    python examples/papers/build.py --out DIR    # somewhere else

Each ``sources/<name>.txt`` becomes ``<name>.pdf``: two justified and hyphenated columns, a running
header and a page number. The same sources and package versions give the same bytes. A source is

* a head of ``key: value`` lines (title, short, authors, affiliation, journal, issue, notice,
  abstract, keywords; ``scan: yes`` for pages that are pictures), continued on indented lines;
* then blocks parted by blank lines: ``# Heading``, ``## Subheading``, a table (a line beginning with
  ``Table N.`` and then rows whose cells are parted by ``|``), or a paragraph. Below ``# References``
  a paragraph is one entry. ``*word*`` is italic.
"""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import pypdfium2 as pdfium
import pyphen
from PIL import Image
from reportlab import rl_config
from reportlab.lib.colors import Color, black
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    FrameBreak,
    HRFlowable,
    KeepTogether,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

rl_config.useA85 = 0  # binary streams: a quarter smaller

HERE = Path(__file__).resolve().parent
PAGE_WIDTH, PAGE_HEIGHT = PAGE = (190 * mm, 262 * mm)
MARGIN = 17 * mm
GUTTER = 7 * mm
TOP = PAGE_HEIGHT - 21 * mm
BOTTOM = 20 * mm
TEXT_WIDTH = PAGE_WIDTH - 2 * MARGIN
COLUMN_WIDTH = (TEXT_WIDTH - GUTTER) / 2
ROOM_BELOW_HEADING = 26 * mm
SCAN_DPI = 110
SCAN_GREYS = 12
GREY = Color(0.35, 0.35, 0.35)

Head = dict[str, str]
_PATTERNS = pyphen.Pyphen(lang="en_US", left=3, right=3)


def hyphenate(word: str) -> Iterator[tuple[str, str]]:
    """Places where a word may be broken; names with inner capitals stay whole."""
    if word[1:].islower():
        yield from _PATTERNS.iterate(word)


_BODY = ParagraphStyle(
    "body",
    fontName="Times-Roman",
    fontSize=10,
    leading=12.3,
    alignment=TA_JUSTIFY,
    firstLineIndent=10,
    hyphenationLang=hyphenate,
    hyphenationMinWordLength=6,
    embeddedHyphenation=1,
    uriWasteReduce=0.4,
    allowWidows=0,
    allowOrphans=0,
)
_HEAD = ParagraphStyle(
    "heading", fontName="Times-Bold", fontSize=11.5, leading=14, spaceBefore=9, spaceAfter=3, alignment=TA_LEFT
)
STYLES: dict[str, ParagraphStyle] = {
    "body": _BODY,
    "first": ParagraphStyle("first", parent=_BODY, firstLineIndent=0),
    "reference": ParagraphStyle(
        "reference", parent=_BODY, fontSize=8.6, leading=10.4, leftIndent=10, firstLineIndent=-10, spaceAfter=2
    ),
    "heading": _HEAD,
    "subheading": ParagraphStyle(
        "subheading", parent=_HEAD, fontName="Times-BoldItalic", fontSize=10.2, leading=12.4, spaceBefore=6, spaceAfter=2
    ),
    "title": ParagraphStyle("title", fontName="Times-Bold", fontSize=18, leading=21.5, spaceAfter=6),
    "authors": ParagraphStyle("authors", fontName="Times-Roman", fontSize=11, leading=13.5, spaceAfter=2),
    "affiliation": ParagraphStyle("affiliation", fontName="Times-Italic", fontSize=8.8, leading=10.8, spaceAfter=4),
    "notice": ParagraphStyle("notice", fontName="Times-BoldItalic", fontSize=9, leading=11, spaceAfter=5),
    "abstract": ParagraphStyle("abstract", parent=_BODY, firstLineIndent=0, spaceBefore=4, spaceAfter=4),
    "caption": ParagraphStyle("caption", fontName="Times-Roman", fontSize=8.4, leading=10, spaceAfter=3),
    "cell": ParagraphStyle("cell", fontName="Times-Roman", fontSize=8.4, leading=9.8),
}


def parse(text: str) -> tuple[Head, list[str]]:
    """Part a source into its head and its blocks."""
    head_text, _, rest = text.partition("\n\n")
    head: Head = {}
    key = ""
    for line in head_text.splitlines():
        if line[:1].isspace():
            head[key] += " " + line.strip()
        else:
            key, _, value = line.partition(":")
            head[key] = value.strip()
    return head, [block.strip() for block in re.split(r"\n\s*\n", rest) if block.strip()]


def inline(text: str) -> str:
    """Turn source text into reportlab's inline markup, on one line."""
    return re.sub(r"\*([^*\s][^*]*)\*", r"<i>\1</i>", escape(" ".join(text.split())))


def paragraph(text: str, style: str) -> Paragraph:
    """Set one paragraph."""
    return Paragraph(inline(text), STYLES[style])


def front(head: Head) -> list[Flowable]:
    """The full-width top of the first page."""
    rule = {"width": "100%", "thickness": 0.6, "color": black, "spaceBefore": 0, "spaceAfter": 0}
    abstract = Paragraph(f"<b>Abstract.</b> {inline(head['abstract'])}", STYLES["abstract"])
    keywords = Paragraph(f"<b>Keywords:</b> {inline(head['keywords'])}", STYLES["caption"])
    top: list[Flowable] = [paragraph(head[key], key) for key in ("title", "authors", "affiliation", "notice")]
    return [*top, HRFlowable(**rule), abstract, keywords, HRFlowable(**rule)]


def height(flowables: list[Flowable]) -> float:
    """Room that the flowables need when set over the full width."""
    return float(sum(f.wrap(TEXT_WIDTH, PAGE_HEIGHT)[1] + f.getSpaceBefore() + f.getSpaceAfter() for f in flowables))


def table(block: str) -> Flowable:
    """A numbered table with its caption above it."""
    lines = block.splitlines()
    first_row = next(number for number, line in enumerate(lines) if "|" in line)
    caption = re.sub(r"^(Table \d+\.)", r"<b>\1</b>", inline(" ".join(lines[:first_row])))
    rows = [[inline(cell) for cell in line.split("|")] for line in lines[first_row:]]
    longest = [max(len(row[column]) for row in rows) + 2 for column in range(len(rows[0]))]
    widths = [COLUMN_WIDTH * size / sum(longest) for size in longest]
    cells = [[Paragraph(f"<b>{c}</b>" if number == 0 else c, STYLES["cell"]) for c in row] for number, row in enumerate(rows)]
    grid = Table(cells, colWidths=widths)
    grid.setStyle(
        TableStyle(
            [
                ("LINEABOVE", (0, 0), (-1, 0), 0.8, black),
                ("LINEBELOW", (0, 0), (-1, 0), 0.4, black),
                ("LINEBELOW", (0, -1), (-1, -1), 0.8, black),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 2),
                ("RIGHTPADDING", (0, 0), (-1, -1), 2),
                ("TOPPADDING", (0, 0), (-1, -1), 1),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
            ]
        )
    )
    return KeepTogether([Spacer(1, 7), Paragraph(caption, STYLES["caption"]), grid, Spacer(1, 8)])


def body(blocks: list[str]) -> list[Flowable]:
    """The text in columns."""
    flowables: list[Flowable] = []
    style, references = "first", False
    for block in blocks:
        if block.startswith("#"):
            marks, _, words = block.partition(" ")
            references = words == "References"
            heading = paragraph(words, "heading" if marks == "#" else "subheading")
            flowables.extend([CondPageBreak(ROOM_BELOW_HEADING), heading])
            style = "first"
        elif re.match(r"Table \d+\.", block) and "|" in block:
            flowables.append(table(block))
        else:
            flowables.append(paragraph(block, "reference" if references else style))
            style = "body"
    return flowables


def furniture(head: Head, canvas: Canvas, number: int) -> None:
    """Draw the running header and the footer of one page."""
    canvas.saveState()
    canvas.setFont("Times-Italic", 8.5)
    canvas.setFillColor(GREY)
    canvas.setStrokeColor(GREY)
    canvas.setLineWidth(0.4)
    canvas.drawString(MARGIN, PAGE_HEIGHT - 14 * mm, head["short"])
    canvas.drawRightString(PAGE_WIDTH - MARGIN, PAGE_HEIGHT - 14 * mm, head["journal"])
    canvas.line(MARGIN, PAGE_HEIGHT - 16 * mm, PAGE_WIDTH - MARGIN, PAGE_HEIGHT - 16 * mm)
    canvas.setFont("Times-Roman", 8.5)
    canvas.drawString(MARGIN, 12 * mm, head["issue"])
    canvas.drawRightString(PAGE_WIDTH - MARGIN, 12 * mm, str(number))
    canvas.restoreState()


def typeset(head: Head, blocks: list[str]) -> bytes:
    """Set a paper as a PDF with a text layer."""
    bare = {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0}
    lead = height(front(head)) + 2

    def columns(top: float) -> list[Frame]:
        lefts = (MARGIN, MARGIN + COLUMN_WIDTH + GUTTER)
        return [Frame(left, BOTTOM, COLUMN_WIDTH, top - BOTTOM, **bare) for left in lefts]

    def on_page(canvas: Canvas, document: BaseDocTemplate) -> None:
        furniture(head, canvas, document.page)

    first = [Frame(MARGIN, TOP - lead, TEXT_WIDTH, lead, **bare), *columns(TOP - lead - 5 * mm)]
    target = io.BytesIO()
    document = BaseDocTemplate(
        target, pagesize=PAGE, invariant=1, title=head["title"], author=head["authors"], subject=head["notice"]
    )
    document.addPageTemplates([PageTemplate("first", first, onPage=on_page), PageTemplate("later", columns(TOP), onPage=on_page)])
    document.build([NextPageTemplate("later"), *front(head), FrameBreak(), *body(blocks)])
    return target.getvalue()


def scan(pdf: bytes) -> bytes:
    """Replace every page by a grey picture of it, slightly askew, with no text behind."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=PAGE, invariant=1)
    levels = [round(value * (SCAN_GREYS - 1) / 255) * 255 // (SCAN_GREYS - 1) for value in range(256)]
    for number, page in enumerate(pdfium.PdfDocument(pdf)):
        picture = page.render(scale=SCAN_DPI / 72, grayscale=True).to_pil().convert("L")
        askew = picture.rotate((0.35, -0.25)[number % 2], Image.Resampling.BICUBIC, fillcolor=255)
        canvas.drawImage(ImageReader(askew.point(levels)), 0, 0, PAGE_WIDTH, PAGE_HEIGHT)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def main() -> None:
    """Set the papers named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description="Set the fictional example papers as PDF.")
    parser.add_argument("names", nargs="*", help="papers to set (default: all)")
    parser.add_argument("--sources", type=Path, default=HERE / "sources", help="folder of the sources (default: sources)")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the PDF files (default: beside this script)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for source in sorted(options.sources.glob("*.txt")):
        if options.names and source.stem not in options.names:
            continue
        head, blocks = parse(source.read_text(encoding="utf-8"))
        pdf = typeset(head, blocks)
        if head.get("scan") == "yes":
            pdf = scan(pdf)
        (options.out / f"{source.stem}.pdf").write_bytes(pdf)
        print(f"{source.stem}.pdf: {len(pdf) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
