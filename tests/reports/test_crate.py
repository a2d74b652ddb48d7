"""An RO-Crate holds the whole review and describes every file in it."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

pytest.importorskip("pyoxigraph")

from methodlens.ledger.final_words import rows_of_export
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Paper, PaperEntry, Question, Row, Source, SourceKind
from methodlens.reports.crate.crate_format import RoCrate
from methodlens.reports.formats.csv_tables import Csv, CsvTable
from methodlens.reports.formats.jsonl import JsonLines
from methodlens.reports.graph.graph_formats import Turtle
from methodlens.settings import Settings
from tests.ledger.test_ledger import CELL

MakeRow = Callable[..., Row]


@pytest.fixture
def rows(make_row: MakeRow) -> list[Row]:
    person = Source(SourceKind.PERSON, ("ann", "bob"), "2026-05-04T10:00:00+00:00")
    return [
        make_row(),
        replace(make_row(reader="final"), final=person),
        make_row("newts.pdf", answer="=1+1"),
        replace(make_row("newts.pdf", reader="final"), final=Source(SourceKind.READER, ("embedded",))),
    ]


def entities(path: Path) -> dict[str, dict[str, Any]]:
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read("ro-crate-metadata.json"))
    assert document["@context"] == "https://w3id.org/ro/crate/1.1/context"
    return {entity["@id"]: entity for entity in document["@graph"]}


def references(value: Any) -> set[str]:
    if isinstance(value, list):
        return {reference for item in value for reference in references(item)}
    return {value["@id"]} if isinstance(value, dict) else set()


def test_every_file_is_described_and_every_reference_resolves(rows: list[Row], tmp_path: Path) -> None:
    path = tmp_path / "review.zip"
    assert RoCrate().write(iter(rows), path).cells == 4
    known = entities(path)
    with zipfile.ZipFile(path) as archive:
        files = set(archive.namelist()) - {"ro-crate-metadata.json"}
        sizes = {info.filename: str(info.file_size) for info in archive.infolist()}
    assert references(known["./"]["hasPart"]) == files
    assert all(known[file]["contentSize"] == sizes[file] and known[file]["description"] for file in files)
    assert not any(isinstance(value, dict) and set(value) != {"@id"} for entity in known.values() for value in entity.values())
    used = {reference for entity in known.values() for value in entity.values() for reference in references(value)}
    assert used - set(known) == {"https://w3id.org/ro/crate/1.1"}


def test_the_tables_are_those_of_the_other_exports(rows: list[Row], tmp_path: Path) -> None:
    RoCrate().write(iter(rows), tmp_path / "review.zip")
    exports = {
        "cells.jsonl": JsonLines(),
        "cells.csv": Csv(),
        "facts.csv": Csv(CsvTable.FACTS),
        "graph.ttl": Turtle(),
    }
    with zipfile.ZipFile(tmp_path / "review.zip") as archive:
        for name, export_format in exports.items():
            assert archive.read(name) == b"".join(export_format.stream(rows)), name
        assert archive.read("papers.csv").decode("utf-8-sig").splitlines()[1].startswith('"moths.pdf","Counting moths at night"')


def test_people_who_decided_are_contributors(rows: list[Row], tmp_path: Path) -> None:
    RoCrate().write(iter(rows), tmp_path / "review.zip")
    known = entities(tmp_path / "review.zip")
    assert [known[person]["name"] for person in sorted(references(known["./"]["contributor"]))] == ["ann", "bob"]
    assert known["#run"]["agent"] == known["./"]["contributor"]


def test_a_run_brings_its_report_questions_and_readers(tmp_path: Path) -> None:
    questions = (Question("Q1", "Where was it trained?"),)
    run = Run("r" * 64, ("/home/ann/papers",), questions, ("embedded",), papers=1, question_set="ponds", version="0.2.0")
    with Ledger.at(tmp_path / "out", create=True) as ledger:
        ledger.begin(run, ["a.pdf"])
        paper = Paper(sha256=CELL.paper_sha256, parser="p-1", text="We trained our network on a barge. " * 9)
        ledger.keep_result(run.id, result_of(PaperEntry("a.pdf", paper.sha256), paper, [CELL]))
        ledger.end(run.id)
        crate = RoCrate().for_run(run, ledger, Settings())
        crate.write(rows_of_export(ledger, run), tmp_path / "review.zip")
    known = entities(tmp_path / "review.zip")
    assert known["./"]["identifier"] == run.id
    assert known["#methodlens"]["softwareVersion"] == "0.2.0"
    assert known["#reader-1"]["name"] == "embedded"
    assert known["#run"]["endTime"] >= known["#run"]["startTime"]
    with zipfile.ZipFile(tmp_path / "review.zip") as archive:
        assert b"a.pdf" in archive.read("report/report.html")
        assert json.loads(archive.read("questions.json"))[0]["id"] == "Q1"
        assert b"oa:prefix" in archive.read("graph.ttl")
        assert not any(b"/home/ann" in archive.read(name) for name in archive.namelist())


def test_an_independent_reader_opens_it(rows: list[Row], tmp_path: Path) -> None:
    rocrate = pytest.importorskip("rocrate.rocrate")
    RoCrate().write(iter(rows), tmp_path / "review.zip")
    crate = rocrate.ROCrate(tmp_path / "review.zip")
    assert crate.name == "What 2 papers report about their method"
    assert {entity.id for entity in crate.data_entities} >= {"cells.jsonl", "graph.ttl", "vocabulary/ontology.ttl"}
    assert crate.license.id == "#licence"
