"""Tables: from the boxes of words to rows with their header, in every style and at every place of a page."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens import retrieval
from methodlens.papers import WorkerPool, split
from methodlens.papers.layout.flow import flow
from methodlens.papers.raw_page import RawLine, RawPage
from methodlens.questions import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.records import Answer, Match, Paper, PaperStatus, Table
from methodlens.settings import RetrievalSettings
from methodlens.text import places, quotable, sentences
from tests.papers.test_flow import line

HYPERPARAMETERS = [
    ["Hyperparameter", "Value"],
    ["Learning rate", "0.002"],
    ["Batch size", "48"],
    ["Epochs", "70"],
    ["Weight decay", "0.0005"],
]
HARDWARE = [["Component", "Specification"], ["Graphics card", "2 x NVIDIA RTX 3090"], ["Memory", "64 GB RAM"]]
SPLIT = [["Harbour", "Training", "Validation", "Test"], ["North pier", "1200", "150", "160"], ["South pier", "800", "90", "95"]]
BY_MODEL = [
    ["Model", "Batch size", "Learning rate", "Epochs"],
    ["ResNet-18", "32", "0.005", "90"],
    ["VGG16", "16", "0.001", "40"],
]
PROSE = (
    "The nets were hung on the pier and dried in the sun for nine days before the crew took them down again, counted the "
    "meshes and wrote the number into a book that nobody has read since. "
)


def make(path: Path, table: list[list[str]], *, style: str, columns: int, caption_below: bool = False) -> Path:
    """A paper with a heading, prose, and one table with its caption, set as a ruled, booktabs or borderless table."""
    from reportlab.lib.colors import black
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Spacer
    from reportlab.platypus import Table as Drawn

    body, heading = getSampleStyleSheet()["BodyText"], getSampleStyleSheet()["Heading2"]
    width = 500 / columns - 10
    rules: dict[str, list[Any]] = {
        "ruled": [("GRID", (0, 0), (-1, -1), 0.5, black)],
        "booktabs": [("LINEABOVE", (0, 0), (-1, 1), 0.6, black), ("LINEBELOW", (0, -1), (-1, -1), 0.6, black)],
        "borderless": [],
    }
    look = [("FONTSIZE", (0, 0), (-1, -1), 8), ("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 1)]
    drawn = [Drawn(table, style=[*look, *rules[style]]), Spacer(1, 4)]
    caption = Paragraph('<font size="8">Table 1. What the crew set on its machines.</font>', body)
    float_ = [*drawn, caption] if caption_below else [caption, *drawn]
    story = [Paragraph("2. Methods", heading), Paragraph(3 * PROSE, body), *float_, Spacer(1, 6), Paragraph(9 * PROSE, body)]
    story += [Paragraph("We trained the network with the settings in Table 1.", body)]
    frames = [Frame(40 + at * (width + 20), 60, width, 700) for at in range(columns)]
    document = BaseDocTemplate(str(path), pagesize=(600, 800), invariant=1)
    document.addPageTemplates(PageTemplate(frames=frames))
    document.build(story)
    return path


def only_table(paper: Paper) -> Table:
    assert paper.status is PaperStatus.OK
    (table,) = paper.tables
    return table


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("style", ["ruled", "booktabs", "borderless"])
@pytest.mark.parametrize("cells", [HYPERPARAMETERS, HARDWARE, SPLIT, BY_MODEL], ids=["settings", "hardware", "split", "by model"])
def test_header_rows_and_values_are_read_in_every_style(
    pool: WorkerPool, tmp_path: Path, cells: list[list[str]], style: str, columns: int
) -> None:
    paper = pool.parse(make(tmp_path / "paper.pdf", cells, style=style, columns=columns))
    table = only_table(paper)
    assert table.label == "Table 1"
    assert list(table.header) == cells[0]
    assert [list(row.cells) for row in table.rows] == cells[1:]
    for row, printed in zip(table.rows, cells[1:], strict=True):
        assert paper.text[row.start : row.end] == " ".join(printed)


def test_a_caption_below_the_table_is_its_caption_too(pool: WorkerPool, tmp_path: Path) -> None:
    paper = pool.parse(make(tmp_path / "paper.pdf", SPLIT, style="booktabs", columns=1, caption_below=True))
    assert [list(row.cells) for row in only_table(paper).rows] == SPLIT[1:]


def test_the_box_of_a_row_is_around_its_row_alone(pool: WorkerPool, tmp_path: Path) -> None:
    paper = pool.parse(make(tmp_path / "paper.pdf", HYPERPARAMETERS, style="booktabs", columns=2))
    boxes = [places(paper, row.start, row.end)[0].boxes for row in only_table(paper).rows]
    tops = [top for ((_, top, _, _),) in boxes]
    bottoms = [bottom for ((_, _, _, bottom),) in boxes]
    assert tops == sorted(tops)
    assert all(bottom <= top + 1 for bottom, top in zip(bottoms, tops[1:], strict=False))
    assert all(x1 - x0 < 240 for ((x0, _, x1, _),) in boxes)


def test_no_sentence_is_glued_to_a_table_or_its_caption(pool: WorkerPool, tmp_path: Path) -> None:
    paper = pool.parse(make(tmp_path / "paper.pdf", BY_MODEL, style="borderless", columns=2))
    texts = [item.text for item in quotable(paper, 0, len(paper.text))]
    assert set(texts) == {
        "2. Methods",
        PROSE.strip(),
        "Table 1. What the crew set on its machines.",
        "We trained the network with the settings in Table 1.",
        "Table 1. ResNet-18 – Batch size: 32; Learning rate: 0.005; Epochs: 90",
        "Table 1. VGG16 – Batch size: 16; Learning rate: 0.001; Epochs: 40",
    }


def test_a_passage_has_a_table_with_its_caption_or_prose_but_not_both(pool: WorkerPool, tmp_path: Path) -> None:
    paper = pool.parse(make(tmp_path / "paper.pdf", BY_MODEL, style="booktabs", columns=1))
    (passage,) = [passage for passage in split(paper) if "VGG16" in passage.text]
    assert passage.text.startswith("Table 1. What the crew set on its machines.\nModel Batch size")
    assert passage.text.endswith("VGG16 16 0.001 40")


def answer(paper: Paper, question: str) -> Answer:
    asked = next(each for each in load("dl-methods").questions if each.id == question)
    hits = retrieval.create(RetrievalSettings(), {}).index(split(paper)).rank(asked)
    return EmbeddedReader().read(asked, paper, hits)


def test_a_table_of_hyperparameters_becomes_facts_with_a_located_quote(pool: WorkerPool, tmp_path: Path) -> None:
    paper = pool.parse(make(tmp_path / "paper.pdf", HYPERPARAMETERS, style="booktabs", columns=2))
    read = answer(paper, "CQ13")
    assert read.facts["learning_rate"] == 0.002
    assert read.facts["batch_size"] == 48
    assert read.facts["epochs"] == 70
    quote = next(each for each in read.evidence if each.quote.startswith("Table 1."))
    assert quote.quote == "Table 1. Learning rate: 0.002; Batch size: 48; Epochs: 70; Weight decay: 0.0005"
    assert quote.match is Match.EXACT
    assert paper.text[quote.start : quote.end] == "Learning rate 0.002\nBatch size 48\nEpochs 70\nWeight decay 0.0005"
    assert len(quote.places[0].boxes) == 4


def test_a_table_of_settings_by_model_becomes_facts(pool: WorkerPool, tmp_path: Path) -> None:
    paper = pool.parse(make(tmp_path / "paper.pdf", BY_MODEL, style="ruled", columns=1))
    facts = answer(paper, "CQ13").facts
    assert sorted(facts["learning_rate"]) == [0.001, 0.005]
    assert sorted(facts["batch_size"]) == [16, 32]


def test_a_table_of_hardware_becomes_facts(pool: WorkerPool, tmp_path: Path) -> None:
    paper = pool.parse(make(tmp_path / "paper.pdf", HARDWARE, style="ruled", columns=1))
    (item,) = answer(paper, "CQ20").facts["hardware"]
    assert (item["name"], item["count"]) == ("NVIDIA GeForce RTX 3090", 2)


# --- layouts that reportlab does not make ---------------------------------------------------------------------------


def table_page(*rows: list[tuple[float, str]], caption: str = "Table 1. Nets.", step: float = 12.0, **more: Any) -> RawPage:
    """A caption and rows of (x, text), under prose that makes 11 points the size of the body."""
    prose = [line("Nets were hung on the pier and counted every day.", 40.0, 100.0 + 12 * at) for at in range(4)]
    cells = [line(text, x, 190.0 + step * at, size=8.0, step=3.5, **more) for at, row in enumerate(rows) for x, text in row]
    return RawPage(1, 600.0, 800.0, [*prose, line(caption, 40.0, 172.0, size=8.0), *cells])


def test_numbers_drawn_column_by_column_are_put_into_rows() -> None:
    page = table_page(
        [(40, "Net"), (160, "Mesh"), (260, "Catch")],
        [(40, "Red"), (160, "5"), (260, "12.5")],
        [(40, "Blue"), (160, "7"), (260, "3")],
    )
    caption, cells = page.lines[:5], page.lines[5:]
    (table,) = flow([page._replace(lines=[*caption, *cells[0::3], *cells[1::3], *cells[2::3]])]).tables
    assert table.header == ("Net", "Mesh", "Catch")
    assert [row.cells for row in table.rows] == [("Red", "5", "12.5"), ("Blue", "7", "3")]


def test_a_cell_over_two_lines_is_one_cell_and_a_row_without_a_name_takes_the_one_above() -> None:
    page = table_page(
        [(40, "Boat"), (160, "Setting"), (300, "Value")],
        [(40, "Anna"), (160, "Mesh of the"), (300, "5")],
        [(160, "outer net")],
        [(160, "Hooks"), (300, "12")],
        [(40, "Berta"), (160, "Hooks"), (300, "40")],
    )
    (table,) = flow([page]).tables
    assert [row.cells for row in table.rows] == [
        ("Anna", "Mesh of the outer net", "5"),
        ("Anna", "Hooks", "12"),
        ("Berta", "Hooks", "40"),
    ]


def test_a_name_alone_in_its_row_is_the_name_of_the_group_below() -> None:
    page = table_page(
        [(40, "Part"), (200, "Size")],
        [(40, "Encoder")],
        [(40, "Layers"), (200, "6")],
        [(40, "Units"), (200, "64")],
        caption="TABLE IV",
    )
    (table,) = flow([page]).tables
    assert table.label == "TABLE IV"
    assert [row.cells for row in table.rows] == [("Encoder, Layers", "6"), ("Encoder, Units", "64")]


def test_a_header_over_two_lines_and_over_several_columns_counts_for_each() -> None:
    page = table_page(
        [(150, "Number of days at sea in")],
        [(40, "Boat"), (150, "May"), (225, "June")],
        [(40, "Anna"), (155, "5"), (230, "7")],
        [(40, "Berta"), (155, "2"), (230, "4")],
    )
    (table,) = flow([page]).tables
    assert table.header == ("Boat", "Number of days at sea in May", "Number of days at sea in June")


def test_prose_below_a_caption_is_not_a_table() -> None:
    rows = [
        [(40.0, f"This line of prose is about net number {at} and it goes on for the whole width of the page.")]
        for at in range(4)
    ]
    assert flow([table_page(*rows)]).tables == ()


def test_a_line_that_begins_with_table_inside_a_sentence_is_no_caption() -> None:
    lines = [
        "The catch of the whole year is given in",
        "Table 3. Here the nets are sorted by colour and",
        "by the width of the mesh.",
    ]
    page = RawPage(1, 300.0, 800.0, [line(text, top=100.0 + 12 * at) for at, text in enumerate(lines)])
    text = flow([page]).text
    assert [text[a:b] for a, b in sentences(text)] == [
        "The catch of the whole year is given in Table 3.",
        "Here the nets are sorted by colour and by the width of the mesh.",
    ]


def test_a_paper_stored_before_there_were_tables_can_be_read() -> None:
    stored = msgspec.json.encode({"sha256": "a", "parser": "pdfium-1", "text": "Net 12.5 0.9\nHook 7.1 0.4"})
    paper = msgspec.json.decode(stored, type=Paper)
    assert paper.tables == ()
    assert [item.text for item in quotable(paper, 0, len(paper.text))] == ["Net 12.5 0.9", "Hook 7.1 0.4"]


# --- how rows are quoted --------------------------------------------------------------------------------------------


def quotes(header: tuple[str, ...], *rows: tuple[str, ...], heads: int = 1, wanted: str = "") -> list[str]:
    page = [(0, len(rows))]
    spans = [(at, at + 1) for at in range(*page[0])]
    table = {"start": 0, "end": len(rows), "rows": [[*span, row] for span, row in zip(spans, rows, strict=True)]}
    stored = ["Table 2", table["start"], table["end"], heads, header, table["rows"]]
    paper = Paper(sha256="", parser="", text="x" * len(rows), tables=(msgspec.convert(stored, Table),))
    return [item.text for item in quotable(paper, 0, len(rows), (lambda text: wanted in text) if wanted else None)]


def test_rows_that_name_properties_give_the_values_and_their_columns() -> None:
    header = ("", "encoder", "decoder")
    assert quotes(header, ("Batch size", "32", "8"), ("Loss", "L1", "L2")) == [
        "Table 2. Batch size: 32 (encoder), 8 (decoder)",
        "Table 2. Loss: L1 (encoder), L2 (decoder)",
    ]


def test_rows_that_name_things_give_the_columns_and_their_values() -> None:
    assert quotes(("Boat", "Images", "Test images"), ("Anna", "120", "12"), ("Berta", "", "9")) == [
        "Table 2. Anna – Images: 120; Test images: 12",
        "Table 2. Berta – Test images: 9",
    ]


def test_only_wanted_rows_are_quoted_and_neighbours_together() -> None:
    rows = [("Learning rate", "0.1"), ("Dropout rate", "0.5"), ("Optimiser", "Adam"), ("Decay rate", "0.9")]
    assert quotes(("Name", "Value"), *rows, wanted="rate") == [
        "Table 2. Learning rate: 0.1; Dropout rate: 0.5",
        "Table 2. Decay rate: 0.9",
    ]


CELLS = st.text(alphabet="abcXYZ019.-%", min_size=1, max_size=8)


def test_a_table_whose_rows_have_only_a_name_keeps_them() -> None:
    cells = [line(cell, 40.0 + 20 * at, 190.0, size=8.0, step=3.5) for at, cell in enumerate(["1200", "3", "X", "X"])]
    names = [line("7", 40.0, 202.0, size=8.0, step=3.5), line("4", 60.0, 202.0, size=8.0, step=3.5)]
    clean = flow([RawPage(1, 900.0, 800.0, [line("Table 1. Nets of the year.", 40.0, 172.0, size=8.0), *cells, *names])])
    assert clean.text.split()[-2:] == ["7", "4"]


@given(st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=8), st.integers(20, 120), st.data())
def test_no_word_is_lost_and_rows_are_spans_of_the_text(grid: list[list[str]], width: int, data: st.DataObject) -> None:
    cells = [
        line(cell, 40.0 + width * at + data.draw(st.integers(0, 10)), 190.0 + 12 * row, size=8.0, step=3.5)
        for row, texts in enumerate(grid)
        for at, cell in enumerate(texts)
    ]
    caption = line("Table 1. Nets of the year.", 40.0, 172.0, size=8.0)
    shuffled: list[RawLine] = data.draw(st.permutations(cells))
    clean = flow([RawPage(1, 900.0, 800.0, [caption, *shuffled])])
    printed = "".join(cell for texts in grid for cell in texts)
    assert sorted("".join(clean.text.split()).replace("-", "")) == sorted(("Table1.Netsoftheyear." + printed).replace("-", ""))
    for table in clean.tables:
        assert all(len(row.cells) == len(table.header) for row in table.rows)
        assert all(table.start <= row.start < row.end <= table.end <= len(clean.text) for row in table.rows)
