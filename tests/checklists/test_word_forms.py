"""Filled-in checklists as Word documents, read back as Word files and as papers."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.errors import InputError
from methodlens.papers.forms.document import TableBlock
from methodlens.papers.forms.docx import read_docx
from methodlens.questions import load
from methodlens.records import Answer, PaperEntry, Row
from methodlens.reports.formats.format_registry import file_formats, load_format
from tests.checklists.test_forms import _rows as filled_rows

docx = pytest.importorskip("docx", reason="Word forms need the extra 'docx'")

PAPER = PaperEntry("gulls/2020: a?.pdf", "0" * 64, title="Gulls", authors=("Ann Tern",), year=2020, doi="10.1/gulls")


def rows(name: str, paper: PaperEntry = PAPER) -> list[Row]:
    return [replace(row, paper=paper) for row in filled_rows(name)]


def written(of: Iterable[Row], path: Path) -> list[list[str]]:
    """The rows of all tables of the one form."""
    load_format("docx").write(of, path)
    return [[cell.text for cell in row.cells] for table in docx.Document(str(path)).tables for row in table.rows]


@pytest.mark.parametrize("name", ["neurips", "dome", "prisma-2020", "tripod-ai", "claim", "reforms", "odmap", "model-cards"])
def test_a_form_has_a_row_for_every_item_of_its_checklist(name: str, tmp_path: Path) -> None:
    lines = written(rows(name), tmp_path / "form.docx")
    items = [line for line in lines if line[0] != "Item"]
    assert [line[0] for line in items] == [question.item for question in load(name).questions]
    assert all(question.text in line[1] for question, line in zip(load(name).questions, items, strict=True))
    assert {line[2] for line in items} == {"yes", "no", "unclear"}


def test_a_row_says_whether_where_and_what_with_a_quote(tmp_path: Path) -> None:
    heading, *lines = written(rows("claim"), tmp_path / "form.docx")
    yes, no, unclear = [line for line in lines if line != heading][:3]
    assert heading == ["Item", "What it asks", "Reported", load("claim").location, "Answer and quote"]
    assert yes[2:] == ["yes", "3", "Nine | gulls.\n“We saw *nine* gulls.”"]
    assert no[2:] == ["no", "", "Not found in the paper."]
    assert unclear[2:] == ["unclear", "", "Unclear. The closest passage is on p. 4."]


def test_a_form_says_what_it_is_and_that_it_is_a_draft(tmp_path: Path) -> None:
    load_format("docx").write(rows("claim"), tmp_path / "form.docx")
    form = docx.Document(str(tmp_path / "form.docx"))
    text = "\n".join(paragraph.text for paragraph in form.paragraphs)
    assert f"{load('claim').title}: Gulls" in text
    assert "doi:10.1/gulls" in text
    assert "Check every line before you submit it." in text
    assert "Not calibrated: how often such answers are right was not measured" in text
    assert (form.core_properties.author, form.core_properties.comments) == ("methodlens", "")


def test_calibrated_questions_carry_no_mark(tmp_path: Path) -> None:
    load_format("docx").write(rows("dl-methods"), tmp_path / "form.docx")
    assert "Not calibrated" not in "\n".join(part.text for part in docx.Document(str(tmp_path / "form.docx")).paragraphs)


def test_our_own_reader_reads_a_form_and_its_table_heads_repeat_on_each_page(tmp_path: Path) -> None:
    load_format("docx").write(rows("dome"), tmp_path / "form.docx")
    tables = [block for block in read_docx((tmp_path / "form.docx").read_bytes()).blocks if isinstance(block, TableBlock)]
    assert len(tables) == 4  # data, optimisation, model, evaluation
    heads = [table.rows[0]._tr.xpath("./w:trPr/w:tblHeader") for table in docx.Document(str(tmp_path / "form.docx")).tables]
    assert all(heads)


def test_each_paper_has_its_own_file(tmp_path: Path) -> None:
    twin = replace(PAPER, name="gulls/2020: a!.pdf")
    exported = load_format("docx").write([*rows("claim"), *rows("claim", twin)], tmp_path)
    assert exported.lines == "2 Word forms"
    assert exported.cells == 2 * len(load("claim").questions)
    assert len(list(tmp_path.glob("checklist_*.docx"))) == 2


def test_a_single_file_does_not_take_two_papers(tmp_path: Path) -> None:
    several = [*rows("claim"), *rows("claim", replace(PAPER, name="terns.pdf"))]
    with pytest.raises(InputError, match="takes one form"):
        load_format("docx").write(several, tmp_path / "form.docx")


def test_characters_that_word_cannot_store_are_left_out(tmp_path: Path) -> None:
    first, *others = rows("claim")
    answer = Answer("Nine\x00 gulls\x0b and\ud800 <w:t>one</w:t> tern.", first.cell.answer.evidence)
    odd = replace(first, cell=replace(first.cell, answer=answer), paper=replace(PAPER, title="Gulls\x07 & terns"))
    lines = written([odd, *[replace(row, paper=odd.paper) for row in others]], tmp_path / "form.docx")
    assert lines[1][4].startswith("Nine gulls and\ufffd <w:t>one</w:t> tern.")


def test_without_the_extra_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("methodlens.reports.checklists.word_forms.find_spec", lambda name: None)
    with pytest.raises(InputError, match="need the extra 'docx'"):
        load_format("docx").write(rows("claim"), tmp_path)


def test_the_review_room_does_not_offer_a_folder() -> None:
    assert "docx" not in file_formats()
