"""methodlens query"""

from pathlib import Path

import pytest
from msgspec.structs import replace

pytest.importorskip("pyoxigraph")

from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Paper, PaperEntry, Question
from tests.cli.conftest import Call
from tests.ledger.test_ledger import CELL


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two papers and one question. Nothing writes to it."""
    folder = tmp_path_factory.mktemp("query") / "out"
    run = Run("r" * 64, ("papers",), (Question("Q1", "Where was it trained?"),), ("embedded",), papers=2)
    with Ledger.at(folder, create=True) as ledger:
        ledger.begin(run, ["a.pdf", "b.pdf"])
        for number, name in enumerate(("a.pdf", "b.pdf")):
            paper = Paper(sha256=f"{number:064}", parser="p-1", text="We trained our network on a barge. " * 9)
            cell = replace(CELL, key=f"{number:064}", paper_sha256=paper.sha256)
            ledger.keep_result(run.id, result_of(PaperEntry(name, paper.sha256), paper, [cell]))
        ledger.end(run.id)
    return folder


def test_a_question_is_queried_by_its_id(methodlens: Call, out: Path) -> None:
    done = methodlens("query", "Q1", "--out", out)
    assert done.code == 0
    assert [line.split()[:3] for line in done.out.splitlines()[1:3]] == [["Q1", "a.pdf", "reported"], ["Q1", "b.pdf", "reported"]]
    assert done.out.splitlines()[-1] == "2 rows"


def test_a_query_of_ones_own_has_a_table_or_csv(methodlens: Call, out: Path, tmp_path: Path) -> None:
    sparql = "SELECT ?name WHERE { ?file a schema:MediaObject ; schema:name ?name } ORDER BY ?name"
    (tmp_path / "files.rq").write_text(sparql)
    assert methodlens("query", sparql, "--out", out).out == "name\na.pdf\nb.pdf\n2 rows\n"
    csv = methodlens("query", tmp_path / "files.rq", "--format", "csv", "--out", out)
    assert csv.out.lstrip("\ufeff").split() == ['"name"', '"a.pdf"', '"b.pdf"']
    assert methodlens("query", "ASK { ?run a ml:Run }", "--out", out).out == "yes\n"


def test_ready_queries_are_listed_without_a_run(methodlens: Call) -> None:
    lines = methodlens("query", "--list").out.splitlines()
    assert any(line.startswith("gpus-without-seed ") for line in lines)
    assert sum(line.startswith("CQ") for line in lines) == 28


def test_a_ready_query_is_run_by_its_name(methodlens: Call, out: Path) -> None:
    assert methodlens("query", "gpus-without-seed", "--out", out).out.splitlines()[-1] == "0 rows"


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "QUERY is missing"),
        ("nothing-like-it", "there is no ready query 'nothing-like-it'"),
        ("missing.rq", "missing.rq cannot be read"),
        ("SELECT ?x WHERE {", "not a SPARQL query: the error is in line 1"),
    ],
)
def test_a_bad_query_gets_one_line_that_names_the_fix(methodlens: Call, out: Path, query: str, problem: str) -> None:
    done = methodlens("query", query, "--out", out)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert problem in done.err
