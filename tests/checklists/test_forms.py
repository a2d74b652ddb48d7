"""A filled-in form per paper, in the shape of its checklist, marked as a draft."""

import csv
import io

import pytest
from msgspec.structs import replace

from methodlens.questions import load
from methodlens.records import Answer, Cell, Evidence, Hit, Match, PaperEntry, Passage, Place, Question, Row, Status, Verdict
from methodlens.reports.checklists.filled_item import checklist_of
from methodlens.reports.checklists.form import ChecklistForm
from methodlens.reports.formats.csv_tables import Csv, CsvTable
from methodlens.reports.formats.format_registry import load_format

STATUSES = (Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD)


def _row(question: Question, status: Status, *, reader: str = "embedded", text: str = "Nine | gulls.") -> Row:
    evidence = (Evidence("We saw *nine* gulls.", Match.EXACT, 0, 20, (Place(3, ()),)),) if status is Status.REPORTED else ()
    hits = (Hit(Passage(0, 10, 4, "methods", "Gulls fly."), 1.0),)
    cell = Cell("k", "0" * 64, question.id, reader, "m", Verdict(status), Answer(text, evidence), hits)
    return Row(PaperEntry("gulls.pdf", "0" * 64, title="Gulls"), question, cell)


def _rows(name: str) -> list[Row]:
    return [_row(question, STATUSES[number % 3]) for number, question in enumerate(load(name).questions)]


def _form(rows: list[Row]) -> str:
    return b"".join(ChecklistForm().stream(rows)).decode()


@pytest.mark.parametrize("name", ["neurips", "dome", "prisma-2020", "tripod-ai", "claim", "reforms", "odmap", "model-cards"])
def test_every_item_of_a_checklist_is_in_its_form_with_the_mark(name: str) -> None:
    form = _form(_rows(name))
    assert "**Not calibrated**" in form
    assert "Check every line before you submit it." in form
    for question in load(name).questions:
        assert question.title in form
        assert question.item in form


def test_a_table_has_the_pages_under_the_heading_of_the_checklist() -> None:
    form = _form(_rows("prisma-2020"))
    assert "| Item | Topic | Location where item is reported | Reported | Answer | Quote |" in form
    assert r"| 1 | Title | 3 | yes | Nine \| gulls. | We saw \*nine\* gulls. |" in form
    assert "| 2 | Abstract |   | no | Not found in the paper. |" in form
    assert "The closest passage is on p. 4." in form


def test_a_conference_form_answers_yes_no_or_to_do() -> None:
    form = _form(_rows("neurips"))
    assert form.count("- Answer: [Yes]") == 6
    assert form.count("- Answer: [No]") == 5
    assert form.count("- Answer: [TODO]") == 5


def test_fields_hold_the_answer_with_its_quote() -> None:
    assert r"**Provenance** (D1): Nine \| gulls. “We saw \*nine\* gulls.” (p. 3)" in _form(_rows("dome"))


def test_with_several_readers_the_vote_fills_the_form() -> None:
    question = load("dome").questions[0]
    vote = replace(_row(question, Status.NOT_REPORTED, reader="vote"), votes={"a": Status.REPORTED, "b": Status.NOT_REPORTED})
    form = _form([_row(question, Status.REPORTED, reader="a"), _row(question, Status.NOT_REPORTED, reader="b"), vote])
    assert form.count("**Provenance**") == 1
    assert "Not found in the paper." in form


def test_own_questions_get_a_form_too_and_calibrated_ones_carry_no_mark() -> None:
    own = _form([_row(Question("Q1", "How many gulls?"), Status.REPORTED)])
    assert "# Questions: Gulls" in own
    assert "**Not calibrated**" in own
    assert "**Not calibrated**" not in _form(_rows("dl-methods"))


def test_the_checklist_is_known_by_its_ids() -> None:
    found = checklist_of(_rows("claim")[:3])
    assert found
    assert found.name == "claim"
    assert checklist_of([_row(Question("Q1", "How many gulls?"), Status.REPORTED)]) is None


def test_the_csv_has_one_line_per_item() -> None:
    data = b"".join(Csv(CsvTable.CHECKLIST).stream(_rows("neurips"))).decode("utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(data)))
    assert [line["item"] for line in lines] == [str(number) for number in range(1, 17)]
    assert (lines[0]["reported"], lines[0]["page"], lines[0]["calibrated"]) == ("yes", "3", "no")
    assert lines[0]["quote"] == "We saw *nine* gulls."
    assert lines[2]["reported"] == "unclear"


def test_the_form_is_an_export_format() -> None:
    assert isinstance(load_format("checklist"), ChecklistForm)
