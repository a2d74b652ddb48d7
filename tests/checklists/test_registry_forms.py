"""Filled-in checklists in the files that registries and tools read."""

import csv
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.errors import InputError
from methodlens.questions import load
from methodlens.records import PaperEntry, Row
from methodlens.reports.formats.export_format import StreamFormat
from methodlens.reports.formats.format_registry import file_formats, load_format
from tests.checklists.test_forms import _rows as filled_rows

PAPER = PaperEntry("gulls/2020: a?.pdf", "0" * 64, title="Gulls", authors=("Ann Tern", "Bo Auk"), year=2020, doi="10.1/gulls")


def rows(name: str, paper: PaperEntry = PAPER) -> list[Row]:
    return [replace(row, paper=paper) for row in filled_rows(name)]


def streamed(name: str, of: list[Row]) -> str:
    form = load_format(name)
    assert isinstance(form, StreamFormat)
    return b"".join(form.stream(of)).decode()


def test_a_dome_entry_has_the_sections_and_fields_of_the_registry() -> None:
    (entry,) = json.loads(streamed("dome", rows("dome")))
    assert entry["publication"] == {"title": "Gulls", "authors": "Ann Tern, Bo Auk", "year": "2020", "doi": "10.1/gulls"}
    assert {section: len(fields) for section, fields in entry.items()} == {
        "publication": 4,
        "dataset": 4,
        "optimization": 8,
        "model": 4,
        "evaluation": 5,
    }
    assert entry["dataset"]["provenance"] == "Nine | gulls."
    assert entry["dataset"]["splits"] == entry["dataset"]["redundancy"] == ""  # not reported, and unclear


def test_a_run_with_several_papers_gives_one_list() -> None:
    other = replace(PAPER, name="terns.pdf", title="Terns")
    entries = json.loads(streamed("dome", [*rows("dome"), *rows("dome", other)]))
    assert [entry["publication"]["title"] for entry in entries] == ["Gulls", "Terns"]
    assert json.loads(streamed("dome", [])) == []


def test_an_odmap_table_has_every_element_of_the_application(tmp_path: Path) -> None:
    twin = replace(PAPER, name="gulls/2020: a!.pdf")
    written = load_format("odmap").write([*rows("odmap"), *rows("odmap", twin)], tmp_path)
    assert (written.cells, written.lines) == (168, "2 ODMAP tables")
    files = sorted(tmp_path.iterdir())
    assert len(files) == 2
    with files[0].open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 84
    assert list(lines[0]) == ["section", "subsection", "element", "Value"]
    assert [line["Value"] for line in lines[:4]] == ["Gulls", "Ann Tern, Bo Auk", "", "https://doi.org/10.1/gulls"]
    assert lines[-1] == {
        "section": "Prediction",
        "subsection": "Uncertainty quantification",
        "element": "Novel environments",
        "Value": "",
    }


@pytest.mark.parametrize("name", ["dome", "odmap"])
def test_the_fields_are_those_of_the_items(name: str) -> None:
    from methodlens.reports.checklists.registry_forms import _fields

    assert list(_fields(name)) == [question.item for question in load(name).questions]
    assert len(set(map(tuple, _fields(name).values()))) == len(_fields(name))


def test_a_neurips_checklist_uses_the_macros_of_its_style() -> None:
    form = streamed("neurips", rows("neurips"))
    assert form.count(r"\answerYes{}") == 6
    assert form.count(r"\answerNo{}") == 5
    assert form.count(r"\answerTODO{}") == 5
    assert form.count(r"\item[] Justification: Nine | gulls.") == 6
    assert form.count(r"\item[] Justification: \justificationTODO{}") == 10
    assert form.startswith("% gulls/2020: a?.pdf: a draft by methodlens")


def test_latex_commands_in_a_paper_are_only_text() -> None:
    (first, *_) = rows("neurips")
    answer = replace(first.cell.answer, text=r"50% \input{/etc/passwd} & more_")
    form = streamed("neurips", [replace(first, cell=replace(first.cell, answer=answer))])
    assert r"50\% \textbackslash{}input\{/etc/passwd\} \& more\_" in form


@pytest.mark.parametrize("name", ["dome", "neurips"])
def test_a_run_with_other_questions_is_refused_with_the_fix(name: str) -> None:
    with pytest.raises(InputError, match=f"does not ask the questions of the checklist {name}"):
        streamed(name, rows("claim"))
    assert name not in file_formats()  # the review room offers only what fits any run
