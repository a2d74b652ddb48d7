"""Headings in the fonts and numberings of many journals, typeset and read back; and lines that only look like headings."""

from pathlib import Path

import pytest
from reportlab.platypus import Flowable, Spacer

from methodlens.papers import WorkerPool
from methodlens.records import Paper, SectionKind
from tests.papers.typeset import PROSE, paragraph, prose, typeset

TITLES = (
    ("Introduction", ()),
    ("Materials and methods", ("Garden and animals", "Lamps above the path")),
    ("Results", ("Snails cross at night", "Rain doubles the number of snails that are seen")),
    ("What the gardeners saw", ("A walk with the lamp", "Morning")),
    ("Discussion", ()),
)
STYLES = {
    "bold": ("<b>{}</b>", 12.0, "<b>{}</b>", 10.0),
    "italic below bold": ("<b>{}</b>", 11.0, "<i>{}</i>", 10.0),
    "capitals": ("<b>{upper}</b>", 10.0, "<b>{}</b>", 10.0),
    "bold italic": ("<b>{}</b>", 14.0, "<b><i>{}</i></b>", 11.0),
    "larger": ("{}", 15.0, "{}", 12.0),
    "another family": ("<font name='Helvetica-Bold'>{}</font>", 11.0, "<font name='Helvetica-Oblique'>{}</font>", 10.0),
}
NUMBERS = {
    "none": ("", ""),
    "decimal": ("{n}. ", "{n}.{m}. "),
    "decimal without dots": ("{n} ", "{n}.{m} "),
    "roman": ("{roman}. ", "{letter}. "),
}


def heading(pattern: str, size: float, number: str, title: str, counts: tuple[int, int]) -> tuple[Flowable, str]:
    n, m = counts
    label = number.format(n=n, m=m, roman=["I", "II", "III", "IV", "V"][n - 1], letter="ABC"[m - 1])
    text = label + title
    printed = pattern.format(text, upper=text.upper())
    return paragraph(printed, size), text.upper() if "upper" in pattern else text


def headed(path: Path, style: str, numbering: str) -> tuple[Path, list[str]]:
    top, top_size, sub, sub_size = STYLES[style]
    top_number, sub_number = NUMBERS[numbering]
    blocks: list[Flowable] = [
        paragraph("<b>Counting garden snails at night</b>", 18),
        paragraph("Ada Moss and Bruno Fern"),
        Spacer(1, 9),
    ]
    expected = []
    for n, (title, below) in enumerate(TITLES, 1):
        flowable, text = heading(top, top_size, top_number, title, (n, 1))
        blocks += [Spacer(1, 6), flowable, paragraph(prose(n))]
        expected.append(text)
        for m, subtitle in enumerate(below, 1):
            flowable, text = heading(sub, sub_size, sub_number, subtitle, (n, m))
            blocks += [Spacer(1, 4), flowable, paragraph(prose(n + 3 * m, 4)), paragraph(prose(n + 5 * m))]
            expected.append(text)
    references = [
        "1. Reed, E., Sedge, F. Snails in the rain. Slow Animals 12, 3-9 (2019).",
        "A. Moss, and B. Fern, “Lamps above paths for the",
        "counting of snails,” in Proc. Gardens, 2020.",
        "<b>2.</b> Østby D. Shells of the north. <i>Slow Animals</i> 2018; 4: 1-8.",
    ]
    flowable, text = heading(top, top_size, "", "References", (1, 1))
    blocks += [Spacer(1, 6), flowable, *[paragraph(entry) for entry in 6 * references]]
    return typeset(path, *blocks), [*expected, text]


def titles(paper: Paper) -> list[str]:
    return [section.title for section in paper.sections if section.title]


@pytest.mark.parametrize("numbering", NUMBERS)
@pytest.mark.parametrize("style", STYLES)
def test_headings_are_found_and_nothing_else(pool: WorkerPool, tmp_path: Path, style: str, numbering: str) -> None:
    path, expected = headed(tmp_path / "a.pdf", style, numbering)
    assert titles(pool.parse(path)) == expected


@pytest.mark.parametrize("pattern", ["<b>{}.</b> ", "<i>{}.</i> ", "<b>{}:</b> "])
def test_headings_on_the_line_of_their_text_are_found(pool: WorkerPool, tmp_path: Path, pattern: str) -> None:
    blocks = [paragraph("<b>Introduction</b>", 12), paragraph(PROSE), paragraph("<b>Methods</b>", 12)]
    blocks += [paragraph(pattern.format(title) + PROSE) for title in ("Garden and animals", "Lamps", "Count of shells")]
    found = titles(pool.parse(typeset(tmp_path / "a.pdf", *blocks)))
    assert [title.rstrip(".:") for title in found] == [
        "Introduction",
        "Methods",
        "Garden and animals",
        "Lamps",
        "Count of shells",
    ]


def test_bold_words_lists_and_captions_are_not_headings(pool: WorkerPool, tmp_path: Path) -> None:
    blocks = [
        paragraph("<b>Introduction</b>", 12),
        paragraph("<b>Snails cross the garden at night and nobody has ever</b> counted them by hand. " + PROSE),
        paragraph("The counts were made by three patient gardeners with"),
        paragraph("<b>Strong Lamps</b>"),
        paragraph("and two cameras, as described in the book of gardens that we all know well. " + PROSE),
        paragraph(
            "1. The snails were counted by two gardeners on every night of the long and wet summer, in which the rain fell " * 2
        ),
        paragraph(
            "2. The lamps were counted by two gardeners on every night of the long and wet summer, in which the rain fell " * 2
        ),
        paragraph("<b>Figure 1. Snails on the path</b>"),
        paragraph("<b>Results</b>", 12),
        paragraph(2 * PROSE),
    ]
    assert titles(pool.parse(typeset(tmp_path / "a.pdf", *blocks))) == ["Introduction", "Results"]


def test_a_labelled_heading_above_a_table_is_found_by_its_type(pool: WorkerPool, tmp_path: Path) -> None:
    blocks = [paragraph("<b>Introduction</b>", 12), paragraph(prose(1)), paragraph("<b>Results</b>", 12), paragraph(prose(2))]
    blocks += [paragraph("<b>Appendix A. Lamps and hours</b>", 12), paragraph("<b>Table 1.</b> Hours of light", 9)]
    assert titles(pool.parse(typeset(tmp_path / "a.pdf", *blocks))) == ["Introduction", "Results", "Appendix A. Lamps and hours"]


def test_an_appendix_in_capitals_after_the_references_is_headed_without_bold_type(pool: WorkerPool, tmp_path: Path) -> None:
    entry = "Moss, A. Snails at night. Journal of Imaginary Gardens, 4:1-9, 2019."
    blocks: list[Flowable] = [paragraph("Counting garden snails at night", 18), paragraph("Ada Moss and Bruno Fern")]
    for number, title in enumerate(("1 INTRODUCTION", "2 METHODS", "3 RESULTS"), 1):
        blocks += [Spacer(1, 6), paragraph(title, 10), paragraph(prose(number)), paragraph(prose(number + 3))]
    blocks += [Spacer(1, 6), paragraph("REFERENCES", 10), *(paragraph(entry, 9) for _ in range(5))]
    blocks += [Spacer(1, 6), paragraph("A LAMPS ABOVE THE PATH", 10), paragraph(prose(2)), paragraph(prose(5))]
    last = pool.parse(typeset(tmp_path / "a.pdf", *blocks)).sections[-1]
    assert (last.kind, last.title) == (SectionKind.APPENDIX, "A LAMPS ABOVE THE PATH")
