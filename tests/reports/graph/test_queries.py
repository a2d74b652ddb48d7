"""Ready queries give what the rows say, and bad ones an error that helps."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

pytest.importorskip("pyoxigraph")

from methodlens.errors import InputError
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, Paper, PaperEntry, Question, Row, Status
from methodlens.reports.graph import graph_store
from methodlens.reports.graph.graph_store import GraphStore, Result
from methodlens.reports.graph.ready_queries import ready_queries
from methodlens.reports.graph.review_context import ReviewContext
from tests.ledger.test_ledger import CELL

READY = {query.name: query.sparql for query in ready_queries()}


@pytest.fixture
def store(rows: Sequence[Row], context: ReviewContext) -> GraphStore:
    return GraphStore.filled(rows, context)


def column(result: Result, name: str) -> list[str]:
    return [row[list(result.columns).index(name)] for row in result.rows]


def test_a_question_has_a_row_per_paper_with_the_status_that_counts(store: GraphStore, rows: Sequence[Row]) -> None:
    for question in ("CQ20", "CQ24"):
        last = {row.paper.name: str(row.cell.verdict.status) for row in rows if row.question.id == question}
        result = store.answers_to(question)
        found = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
        assert {row["paper"]: row["status"] for row in found} == last
        assert len(found) == len(last)


def test_a_question_lists_values_and_pages(store: GraphStore) -> None:
    result = store.answers_to("CQ20")
    moths, *_ = (dict(zip(result.columns, row, strict=True)) for row in result.rows)
    assert {"Kestrel K9", "Pondflow", "0.00001"} <= set(moths["values"].split("; "))
    assert (moths["pages"], moths["probability"]) == ("8", "0.97")


def test_the_id_of_a_question_is_data_and_never_sparql(store: GraphStore) -> None:
    assert list(store.answers_to('CQ20" . } #').rows) == []


@pytest.mark.parametrize("name", READY)
def test_every_ready_query_runs_and_says_what_it_is_for(name: str, store: GraphStore) -> None:
    result = store.query(READY[name])
    assert all(len(row) == len(result.columns) for row in result.rows)
    assert READY[name].startswith("# ")


def test_many_gpus_without_a_seed_are_found(rows: Sequence[Row], context: ReviewContext) -> None:
    moths = rows[0]
    facts = {**moths.cell.answer.facts, "seeds": [7]}
    seeded = replace(moths, cell=replace(moths.cell, answer=replace(moths.cell.answer, facts=facts)))
    for row, expected in ((moths, ["moths.pdf"]), (seeded, [])):
        assert column(GraphStore.filled([row], context).query(READY["gpus-without-seed"]), "paper") == expected


def test_the_counts_by_question_are_those_of_the_rows(store: GraphStore) -> None:
    result = store.query(READY["status-by-question"])
    counts = {row[0]: dict(zip(result.columns[2:], map(int, row[2:]), strict=True)) for row in result.rows}
    assert counts["CQ20"] == {"papers": 3, "reported": 2, "not_reported": 0, "withheld": 0, "failed": 0, "unreadable": 1}
    assert counts["CQ24"] == {"papers": 2, "reported": 0, "not_reported": 1, "withheld": 0, "failed": 1, "unreadable": 0}


def test_decisions_of_people_are_listed_with_what_readers_said(store: GraphStore) -> None:
    ((paper, question, status, source, people, readers),) = store.query(READY["decided-by-people"]).rows
    assert (paper, question, status, source) == ("newts.pdf", "CQ20", "reported", "person")
    assert Counter(people.split(", ")) == Counter(["ann", "bob"])
    assert sorted(readers.split(", ")) == ["chat:heron: withheld", "embedded: reported"]


def test_a_quote_that_is_not_in_the_paper_is_listed(store: GraphStore) -> None:
    assert column(store.query(READY["missing-quotes"]), "quote") == ["Nobody wrote this."]


def test_other_kinds_of_queries_have_a_text(store: GraphStore) -> None:
    assert store.query("ASK { ?run a ml:Run }").text == "yes"
    assert store.query("ASK { ?run a ml:Moth }").text == "no"
    assert "ml:Run" in store.query("DESCRIBE ?run WHERE { ?run a ml:Run }").text


def test_terms_are_shown_by_their_short_names(store: GraphStore) -> None:
    assert column(store.query("SELECT DISTINCT ?status WHERE { ?answer ml:status ?status } ORDER BY ?status"), "status") == [
        "ml:Failed",
        "ml:NotReported",
        "ml:Reported",
        "ml:Unreadable",
        "ml:Withheld",
    ]


@pytest.mark.parametrize("query", ["SELECT ?x WHERE {", "SELECT ?x WHERE { ?x nope:p 1 }", "DELETE WHERE { ?s ?p ?o }", "("])
def test_an_invalid_query_gets_an_error_that_helps(query: str, store: GraphStore) -> None:
    with pytest.raises(InputError, match=r"not a SPARQL query.*query --list"):
        store.query(query)


def test_a_query_that_cannot_be_answered_gets_an_error(store: GraphStore) -> None:
    result = store.query("SELECT * WHERE { SERVICE <http://127.0.0.1:9/none> { ?s ?p ?o } }")
    with pytest.raises(InputError, match="cannot be answered"):
        list(result.rows)


def test_a_large_run_is_kept_on_disk_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_store, "_MOST_IN_MEMORY", 0)
    run = Run("r" * 64, ("papers",), (Question("Q1", "Where was it trained?"),), ("embedded",), papers=1)
    with Ledger.at(tmp_path / "out", create=True) as ledger:
        ledger.begin(run, ["a.pdf"])
        paper = Paper(sha256=CELL.paper_sha256, parser="p-1", text="We trained our network on a barge. " * 9)
        ledger.keep_result(run.id, result_of(PaperEntry("a.pdf", paper.sha256), paper, [CELL]))

        def status() -> tuple[str, list[Path]]:
            (found,) = column(GraphStore.of_run(ledger, run, tmp_path).answers_to("Q1"), "status")
            return found, list((tmp_path / "graph-store").iterdir())

        first, stored = status()
        assert (first, len(stored)) == ("reported", 1)
        times = {file: file.stat().st_mtime_ns for file in stored[0].glob("*.sst")}
        assert status() == ("reported", stored)
        assert times == {file: file.stat().st_mtime_ns for file in stored[0].glob("*.sst")}
        decision = Annotation(CELL.paper_sha256, "Q1", "ann", Status.NOT_REPORTED, "2026-05-04T10:00:00.000000+00:00")
        ledger.keep_annotations([decision])
        second, replaced = status()
        assert (second, len(replaced)) == ("not_reported", 1)
        assert replaced != stored
