"""Runs large enough for child processes: with a language model, a budget, a manifest, and `watch`."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthetic import fill
from methodlens.ledger import run_rows
from methodlens.ledger.store import Ledger
from tests.cli.conftest import Call, methodlens
from tests.engine.serving import honest, write_settings
from tests.loopback import chat_server

__all__ = ["methodlens"]  # the fixture
pytestmark = pytest.mark.long
PAPERS = 14


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    fill(tmp_path / "papers", PAPERS)
    (tmp_path / "questions.txt").write_text("Which hardware was the model trained on?\nWhich optimizer was used?\n")
    (tmp_path / "papers" / "manifest.csv").write_text("file,title,year\n0000003.pdf,On the gulls of a small harbour,1999\n")
    return tmp_path


def options(corpus: Path, out: str, workers: int) -> list[object]:
    lexical = ["--set", "retrieval.ranking=lexical", "--no-pages"]
    return ["--questions", corpus / "questions.txt", "--out", corpus / out, "--workers", workers, *lexical]


def exported(methodlens: Call, out: Path) -> list[dict[str, Any]]:
    lines = methodlens("export", "--format", "jsonl", "--out", out).out.splitlines()
    return [{**json.loads(line), "seconds": None} for line in lines]


def test_a_budget_is_kept_and_the_next_run_asks_only_the_rest(methodlens: Call, corpus: Path) -> None:
    with chat_server(honest) as fern:
        table = {"base_url": fern.url, "price_in": 1000.0, "price_out": 1000.0, "concurrency": 2}
        readers = ["--reader", "embedded", "--reader", "chat:fern", "--settings", write_settings(corpus / "s.toml", fern=table)]
        run = ["run", corpus / "papers", *readers, "--json"]
        first = methodlens(*run, *options(corpus, "out", 2), "--max-cost", "0.15")
        asked = len(fern.requests)
        assert first.code == 1
        assert json.loads(first.out)["summary"]["left"] > 0
        assert 0 < asked <= 6
        rest = methodlens(*run, *options(corpus, "out", 2))
        summary = json.loads(rest.out)["summary"]
        assert (rest.code, summary["asked"]) == (0, json.loads(first.out)["summary"]["left"])
        whole = len(fern.requests)
        third = json.loads(methodlens(*run, *options(corpus, "out", 2)).out)["summary"]
        assert (third["asked"], third["kept"], len(fern.requests)) == (0, PAPERS * 4, whole)
        methodlens(*run, *options(corpus, "alone", 1))
    assert exported(methodlens, corpus / "out") == exported(methodlens, corpus / "alone")


def test_watch_and_a_manifest_give_the_same_cells_as_a_single_process(methodlens: Call, corpus: Path) -> None:
    done = methodlens("watch", corpus / "papers", "--once", "--every", "0.1", *options(corpus, "watched", 2))
    assert done.code == 0, done.err
    methodlens("run", corpus / "papers", *options(corpus, "alone", 1))
    assert exported(methodlens, corpus / "watched") == exported(methodlens, corpus / "alone")
    titles = []
    for out in ("watched", "alone"):
        with Ledger.at(corpus / out) as ledger:
            titles.append(
                [(entry.name, entry.title, entry.year) for entry, _ in run_rows.entries(ledger, run_rows.latest(ledger))]
            )
    assert titles[0] == titles[1]
    assert ("0000/0000003.pdf", "On the gulls of a small harbour", 1999) in titles[0]
