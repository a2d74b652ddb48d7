"""Typesets fictional papers: titles, author lists and headings in the fonts and positions that journals use."""

from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.enums import TA_CENTER, TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

SENTENCES = (
    "Snails cross the garden at night, when nobody counts them.",
    "A camera above the path saw each animal twice, and the network was asked to find the shells in the pictures.",
    "We compare its counts with those of two patient gardeners.",
    "They walked the path with a lamp every hour until the morning came and the last snail was gone.",
    "Rain fell on most evenings, and the grass was wet.",
    "Shells of three colours were kept apart, because the lamp hides the darkest of them between the stones.",
    "No animal was harmed.",
)
PROSE = " ".join(SENTENCES[:4]) + " "


def prose(start: int, count: int = 8) -> str:
    """Sentences in an order that depends on `start`: a line repeated on two pages would be taken for a running head."""
    return " ".join(SENTENCES[(start + number * (1 + start % 6)) % 7] for number in range(count))


def paragraph(text: str, size: float = 10, *, centred: bool = False, after: float = 4) -> Flowable:
    align = TA_CENTER if centred else TA_LEFT
    return Paragraph(
        text, ParagraphStyle("p", fontName="Times-Roman", fontSize=size, leading=1.25 * size, alignment=align, spaceAfter=after)
    )


def columns(cells: Sequence[Sequence[str]], size: float = 10) -> Flowable:
    """Blocks of lines side by side, as IEEE and ACM print authors."""
    rows = [[[paragraph(text, size, centred=True, after=0) for text in cell.split("\n")] for cell in row] for row in cells]
    return Table(rows)


def front_page(path: Path, *authors: Flowable | str, centred: bool = False, size: float = 11) -> Path:
    """A title, the authors, an abstract and a first section."""
    blocks = [block if isinstance(block, Flowable) else paragraph(block, size, centred=centred) for block in authors]
    return typeset(
        path,
        paragraph("<b>Counting garden snails at night with a small neural network</b>", 18, centred=centred, after=14),
        *blocks,
        Spacer(1, 14),
        paragraph("<b>Abstract</b>", 11),
        paragraph(2 * PROSE),
        paragraph("<b>Introduction</b>", 12),
        *[paragraph(3 * PROSE) for _ in range(3)],
    )


def typeset(path: Path, *blocks: Flowable) -> Path:
    SimpleDocTemplate(str(path), pagesize=A4, invariant=1).build(list(blocks))
    return path
