"""The graph of the example papers conforms to its shapes, and each question's query gives the counts of the JSONL export."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyoxigraph")
pytest.importorskip("pyshacl")
import pyshacl
import rdflib

import methodlens as ml
from methodlens.ledger import final_words, run_rows
from methodlens.ledger.store import Ledger, Run
from methodlens.reports.formats.jsonl import JsonLines
from methodlens.reports.graph.graph_formats import Turtle
from methodlens.reports.graph.graph_store import GraphStore
from methodlens.reports.graph.vocabulary import DATA
from methodlens.settings import Settings
from tests.conftest import EXAMPLES

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ledger, Run]]:
    folder = tmp_path_factory.mktemp("review")
    ml.Lens().run(EXAMPLES / "papers", out=folder, progress=False)
    with Ledger.at(folder) as ledger:
        yield ledger, run_rows.latest(ledger)


def test_the_graph_of_the_examples_conforms_to_the_shapes(reviewed: tuple[Ledger, Run], tmp_path: Path) -> None:
    ledger, run = reviewed
    Turtle().for_run(run, ledger, Settings()).write(final_words.rows_of_export(ledger, run), tmp_path / "graph.ttl")
    graph = rdflib.Graph().parse(tmp_path / "graph.ttl")
    shapes = rdflib.Graph().parse(data=DATA.joinpath("shapes.ttl").read_text("utf-8"), format="turtle")
    conforms, _, report = pyshacl.validate(graph, shacl_graph=shapes)
    assert conforms, report
    assert len(graph) > 1000


def test_every_question_has_the_counts_of_the_json_lines(reviewed: tuple[Ledger, Run], tmp_path: Path) -> None:
    ledger, run = reviewed
    rows = list(final_words.rows_of_export(ledger, run))
    cells = [json.loads(line) for line in JsonLines().stream(rows)]
    store = GraphStore.of_run(ledger, run, tmp_path)
    for question in run.questions:
        result = store.answers_to(question.id)
        found = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
        expected = Counter((cell["paper"], cell["status"]) for cell in cells if cell["question"] == question.id)
        assert Counter((row["paper"], row["status"]) for row in found) == expected
    assert len(run.questions) == 28
