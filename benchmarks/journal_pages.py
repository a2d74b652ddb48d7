"""Fictional papers in the layouts of many journals, each with the authors and headings that a reader should find."""

# ruff: noqa: E501 - each layout is one line, so that they can be compared

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from reportlab.lib.enums import TA_CENTER, TA_LEFT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, NextPageTemplate, PageTemplate, Paragraph, Spacer, Table

from tests.papers.typeset import prose

_NAMES = (
    "Ada Moss",
    "Bruno K. Fern",
    "Chloé de Lichen",
    "Dag Østby",
    "Eva-Marie Reed",
    "F. A. Sedge",
    "Yi-Ling Xu",
    "João da Silva Ramos",
    "Siv O’Dell",
    "Müge Çelik",
    "Jan van der Berg",
    "Ng Wei",
)
_TITLES = (
    "Counting garden snails at night with a small neural network",
    "A lamp above the path: how many shells does a camera see?",
    "Slow animals, fast networks",
    "On the colours of shells and the errors of their observers in wet summers",
)
_SECTIONS = (
    ("Introduction", ()),
    ("Related work", ("Snails in pictures", "Lamps and cameras")),
    ("Materials and methods", ("Garden and animals", "Network architecture", "Training on rainy nights")),
    (
        "Experiments",
        ("Survey of 2019: lamps, hours and paths", "Comparison of three networks with the counts of two patient gardeners"),
    ),
    ("Results", ("Do snails cross at night?", "Effect of the rain")),
    ("What the gardeners saw", ("A walk with the lamp", "Morning")),
    ("Discussion", ()),
    ("Conclusions and outlook", ()),
    ("Acknowledgements", ()),
)
_BETWEEN = (  # what stands between paragraphs and is no heading
    "<b>Figure {n}.</b> Snails on the path, seen from the lamp.",
    "<b>Fig. {n} Shells of three colours.</b> The scale bar is one centimetre.",
    "<b>TABLE {n}</b> Snails per night",
    "• <b>Lamp:</b> the lamp was lit at nine and put out at five.",
    "1. The lamp was lit before the first animal came out.",
    "2. Each shell was counted once.",
    "<b>Definition {n}.</b> A snail is slow if it crosses the path in more than an hour.",
    "<i>n</i> = <i>a</i> + <i>b</i> (<i>t</i> - 1)     ({n})",
    "<b>The network saw more snails than the gardeners</b> in every night of the long summer, which surprised us.",
    "<i>Helix pomatia</i> was rare, and <i>Cornu aspersum</i> was seen in each of the nights.",
    "Step {n}",
    "We thank nobody.",
)
_REFERENCES = (
    "[1] A. Moss and B. Fern, “Lamps above paths,” in Proc. Gardens, 2020, pp. 1-9.",
    "2. Reed E, Sedge F. Snails in the rain. Slow Animals. 2019;12:3-9.",
    "Østby, D. (2018). Materials and Methods of the Northern Gardener. Fernville: Moss Press.",
    "3. Introduction to Shells",
    "Garden Press, Mossburg 2017.",
    "<b>Xu, Y.</b> and <b>Ramos, J.</b> <i>Results of a Wet Year</i>. J. Slow Things <b>4</b>, 1-8.",
    "4 Snail Networks. https://example.org/snails",
    "A. Deep learning for shells. <b>2016</b>",
)


class Front(NamedTuple):
    """`authors` are paragraphs; {0} to {9} are names. `names` is how many of them it has."""

    name: str
    authors: tuple[str, ...]
    names: int
    centred: bool = False
    upper: bool = False


class Headings(NamedTuple):
    """Patterns of a heading, with {n} and {m} for its numbers, {t} for the title and {T} for it in capitals."""

    name: str
    top: str
    top_size: float
    sub: str
    sub_size: float
    run_in: bool = False
    centred: bool = False


_ADDRESS = "<super>1</super>Institute of Slow Things, Fernville, Norway"
_ADDRESS_2 = "<super>2</super>Department of Shells, University of Mossburg, 12345 Mossburg, Germany"
FRONTS = (
    Front("superscript numbers", ("{0}<super>1</super>, {1}<super>1,2</super>, {2}<super>2,*</super> and {3}<super>1</super>", _ADDRESS, _ADDRESS_2), 4),
    Front("ampersand and daggers", ("{0}<super>1†</super>, {1}<super>2†</super> &amp; {2}<super>1*</super>", _ADDRESS, _ADDRESS_2), 3, True),
    Front("plain list", ("{0}, {1}, {2}, {3}, {4}", "Institute of Slow Things, Fernville"), 5),
    Front("bars", ("<b>{0}<super>1</super> | {1}<super>2</super> | {2}<super>1</super> | {3}<super>2</super></b>", _ADDRESS), 4),
    Front("semicolons", ("{0}<super>1</super>; {1}<super>2</super>; {2}<super>1</super>", _ADDRESS, _ADDRESS_2), 3),
    Front("bullets", ("{0} • {1} • {2} • {3}", "<i>University of Mossburg, Germany</i>"), 4, True),
    Front("one per line", ("{0}", "{1}", "{2}", "Institute of Slow Things, Fernville"), 3, True),
    Front("letters as marks", ("{0}<super>a,b</super>, {1}<super>a</super>, {2}<super>b,*</super>", "<super>a</super>Institute of Slow Things, Fernville", "<super>b</super>University of Mossburg"), 3),
    Front("capitals", ("{0}, {1} AND {2}", "<i>Institute of Slow Things, Fernville</i>"), 3, True, True),
    Front("degrees", ("{0}, PhD<super>1</super>; {1}, MD, MSc<super>2</super>; {2}, BSc<super>1</super>", _ADDRESS, _ADDRESS_2), 3),
    Front("identifiers", ("{0} [0000-0001-2345-6789], {1} [0000-0002-2345-678X], and {2}", "Institute of Slow Things"), 3, True),
    Front("icons after names", ("{0} <font name='ZapfDingbats'>l</font><super>1</super>, {1} <font name='ZapfDingbats'>l</font><super>2</super>, {2}<super>1</super>", _ADDRESS, _ADDRESS_2), 3),
    Front("consortium", ("{0}<super>1</super>, {1}<super>1</super>, {2}<super>2</super>, on behalf of the Night Snail Consortium", _ADDRESS, _ADDRESS_2), 3),
    Front("consortium as the last author", ("{0}<super>1</super>, {1}<super>2</super> and the Garden Lamp Collaboration", _ADDRESS), 2),
    Front("e-mail below", ("{0}, {1}, {2}", "Institute of Slow Things, Fernville", "{{ada, bruno, c.lichen}}@example.org"), 3, True),
    Front("name above address", ("<b>{0}</b>", "<i>Institute of Slow Things, Fernville</i>", "ada@example.org", "<b>{1}</b>", "<i>University of Mossburg</i>", "b@example.org"), 2, True),
    Front("dates between", ("Received: 3 May 2021 / Accepted: 9 June 2021", "{0}<super>1</super> · {1}<super>1,2</super> · {2}<super>2</super>", _ADDRESS), 3),
    Front("labels above", ("RESEARCH ARTICLE", "{0}, {1} and {2}", "Institute of Slow Things, Fernville"), 3),
    Front("initials last", ("Moss A.<super>1</super>, Fern B.K.<super>2</super>, Sedge F.<super>1</super>", _ADDRESS), 0),
    Front("many", ("{0}<super>1</super>, {1}<super>2</super>, {2}<super>1</super>, {3}<super>1</super>, {4}<super>2</super>, {5}<super>1</super>, {6}<super>2</super>, {7}<super>1</super>, {8}<super>2</super> and {9}<super>1,*</super>", _ADDRESS, _ADDRESS_2), 10),
    Front("contributed equally", ("{0}<super>1,#</super>, {1}<super>1,#</super>, {2}<super>2,✉</super>", _ADDRESS, "<super>#</super>These authors contributed equally."), 3),
    Front("member of a society", ("{0}, <i>Member, IEEE</i>, {1}, and {2}, <i>Senior Member, IEEE</i>",), 3, True),
    Front("Chinese names beside Latin ones", ("{0} (<font name='STSong-Light'>李明</font>), {1} (<font name='STSong-Light'>王芳</font>), {2}", "University of Mossburg"), 3),
    Front("in columns", (), 3, True),
)  # fmt: skip
HEADINGS = (
    Headings("bold", "<b>{t}</b>", 12, "<b>{t}</b>", 10),
    Headings("numbered, bold", "<b>{n}. {t}</b>", 12, "<b>{n}.{m}. {t}</b>", 10),
    Headings("numbered, italic below", "<b>{n} {t}</b>", 11, "<i>{n}.{m} {t}</i>", 10),
    Headings("roman and letters", "{r}. {T}", 10, "<i>{l}. {t}</i>", 10, centred=True),
    Headings("small capitals", "{r}. {small}", 10, "<i>{l}. {t}</i>", 10, centred=True),
    Headings("bars", "<b>{n} | {T}</b>", 11, "<b>{n}.{m} | {t}</b>", 10),
    Headings("another family", "<font name='Helvetica-Bold'>{t}</font>", 11, "<font name='Helvetica-Oblique'>{t}</font>", 10),
    Headings("capitals", "<b>{T}</b>", 10, "<b>{t}</b>", 10),
    Headings("plain capitals", "{T}", 10, "<i>{t}</i>", 10),
    Headings("larger", "{t}", 14, "{t}", 12),
    Headings("run-in, bold", "<b>{t}</b>", 12, "<b>{t}.</b> ", 10, run_in=True),
    Headings("run-in, italic", "<b>{n}. {t}</b>", 12, "<i>{t}.</i> ", 10, run_in=True),
    Headings("run-in, numbered", "<b>{n} {t}</b>", 12, "<b>{n}.{m} {t}.</b> ", 10, run_in=True),
    Headings("bold in the size of the text", "<b>{t}</b>", 10, "<i>{t}</i>", 10),
    Headings("coloured", "<font name='Helvetica-Bold' color='#1a5276'>{t}</font>", 13, "<font name='Helvetica-Bold' color='#1a5276'>{t}</font>", 10),
)  # fmt: skip


class JournalPaper(NamedTuple):
    name: str
    path: Path
    authors: tuple[str, ...]
    top: tuple[str, ...]
    below: tuple[str, ...]


def write_papers(folder: Path) -> list[JournalPaper]:
    """One paper per front page and one per style of headings, each in one and in two columns."""
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    pairs = [(FRONTS[n % len(FRONTS)], HEADINGS[(n + n // len(HEADINGS)) % len(HEADINGS)]) for n in range(2 * len(FRONTS))]
    return [_write(folder / f"{n:02}.pdf", n, front, style) for n, (front, style) in enumerate(pairs)]


def _write(path: Path, number: int, front: Front, style: Headings) -> JournalPaper:
    names = [_NAMES[(number + index) % len(_NAMES)] for index in range(front.names)]
    if front.upper:
        names = [name.upper() for name in names]
    title = _paragraph(f"<b>{_TITLES[number % len(_TITLES)]}</b>", 17, centred=front.centred, after=12)
    blocks = [
        title,
        *_author_blocks(front, names),
        Spacer(1, 10),
        _paragraph("<b>Abstract</b>", 10),
        _paragraph(prose(number, 5), 9),
    ]
    blocks += [Spacer(1, 8), NextPageTemplate("later"), *_body(number, style)]
    columns = 1 + number % 2
    _build(path, blocks, columns)
    authors = ("Moss A.", "Fern B.K.", "Sedge F.") if front.name == "initials last" else tuple(names)
    top = (*(title for title, _ in _SECTIONS), "References")
    below = tuple(title for _, titles in _SECTIONS for title in titles)
    return JournalPaper(f"{front.name}; {style.name}; {columns} col.", path, authors, top, below)


def _author_blocks(front: Front, names: Sequence[str]) -> list[Flowable]:
    if not front.authors:
        cells = [
            [_paragraph(line, 10, centred=True, after=0) for line in (name, "<i>Dept. of Shells</i>", "Mossburg, Germany")]
            for name in names
        ]
        return [Table([cells])]
    return [_paragraph(block.format(*names), 11, centred=front.centred) for block in front.authors]


def _body(number: int, style: Headings) -> list[Flowable]:
    blocks: list[Flowable] = []
    for n, (title, below) in enumerate(_SECTIONS, 1):
        blocks += [
            Spacer(1, 6),
            _heading(style.top, style.top_size, (n, 1), title, centred=style.centred),
            _paragraph(prose(number + n)),
        ]
        for m, subtitle in enumerate(below, 1):
            text = prose(number + n + 3 * m, 6)
            if style.run_in:
                blocks.append(_paragraph(_filled(style.sub, (n, m), subtitle) + text))
            else:
                blocks += [Spacer(1, 3), _heading(style.sub, style.sub_size, (n, m), subtitle), _paragraph(text)]
            blocks += _between(number + 2 * n + m)
            blocks.append(_paragraph(prose(number + 5 * n + m)))
    unnumbered = style.top.replace("{n}. ", "").replace("{n} | ", "").replace("{n} ", "").replace("{r}. ", "")
    entries = [_paragraph(_REFERENCES[(number + index) % len(_REFERENCES)], 9) for index in range(16)]
    return [*blocks, Spacer(1, 6), _heading(unnumbered, style.top_size, (1, 1), "References", centred=style.centred), *entries]


def _between(number: int) -> list[Flowable]:
    """A float, a list or a formula; every fourth time a table."""
    if number % 4 == 0:
        rows = [["Night", "Snails", "Rain"], *[[str(row), str(7 * row), "yes" if row % 2 else "no"] for row in range(1, 5)]]
        bold = [[f"<b>{cell}</b>" for cell in rows[0]], *rows[1:]]
        return [_paragraph("<b>Table 1.</b> Counts", 9), Table([[_paragraph(cell, 9) for cell in row] for row in bold])]
    return [_paragraph(_BETWEEN[(number + index) % len(_BETWEEN)].format(n=index + 1)) for index in range(2)]


def _heading(pattern: str, size: float, numbers: tuple[int, int], title: str, *, centred: bool = False) -> Flowable:
    return _paragraph(_filled(pattern, numbers, title), size, centred=centred)


def _filled(pattern: str, numbers: tuple[int, int], title: str) -> str:
    n, m = numbers
    roman = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[n - 1]
    small = " ".join(f"{word[0].upper()}<font size=8>{word[1:].upper()}</font>" for word in title.split())
    return pattern.format(n=n, m=m, r=roman, l="ABCD"[m - 1], t=title, T=title.upper(), small=small)


def _paragraph(text: str, size: float = 10, *, centred: bool = False, after: float = 4) -> Flowable:
    style = ParagraphStyle(
        "p",
        fontName="Times-Roman",
        fontSize=size,
        leading=1.2 * size,
        alignment=TA_CENTER if centred else TA_LEFT,
        spaceAfter=after,
    )
    return Paragraph(text, style)


def _build(path: Path, blocks: list[Flowable], columns: int) -> None:
    document = BaseDocTemplate(str(path), pagesize=(595, 842), invariant=1)
    width = (495 - 18 * (columns - 1)) / columns

    def frames(top: float) -> list[Frame]:
        return [Frame(50 + index * (width + 18), 60, width, top - 60, 0, 0, 0, 0) for index in range(columns)]

    front = [Frame(50, 560, 495, 232, 0, 0, 0, 0), *frames(550)]

    def running_head(canvas: Canvas, _document: BaseDocTemplate) -> None:
        canvas.setFont("Times-Italic", 9)
        canvas.drawString(50, 810, "Moss et al. · Counting snails")
        canvas.drawRightString(545, 810, str(canvas.getPageNumber()))

    document.addPageTemplates([PageTemplate("first", front), PageTemplate("later", frames(782), onPage=running_head)])
    document.build(blocks)
