"""methodlens plan, compare and weights."""

import json
from pathlib import Path

import pytest

from methodlens.ledger.paper_results import result_of
from methodlens.ledger.run_rows import latest
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, Answer, Cell, Evidence, Match, Paper, PaperEntry, Question, Status, Usage, Verdict
from tests.cli.conftest import Call, one_line
from tests.conftest import EXAMPLES
from tests.engine.serving import write_settings

QUOTE = "Each otter was weighed twice."
QUESTION = Question("Q1", "How often was each otter weighed?")
YES, NO, UNSURE = Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD


def cell(number: int, reader: str, status: Status) -> Cell:
    p = {YES: 0.9, NO: 0.1, UNSURE: 0.4}[status] if reader == "embedded" else None
    usage = None if reader == "embedded" else Usage(1000, 100, 1, 0.01)
    answer = Answer("Twice.", (Evidence(QUOTE, Match.EXACT, 0, len(QUOTE)),), p_reported=p, usage=usage)
    return Cell(f"{reader}{number:060}", f"{number:064}", "Q1", reader, reader, Verdict(status), answer)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """40 papers that all report it: embedded is unsure of a quarter, chat:a is wrong in a quarter, chat:b in half of them."""
    with Ledger.at(tmp_path / "out", create=True) as ledger:
        run = Run("r" * 64, ("/p",), (QUESTION,), ("embedded", "chat:a", "chat:b"), papers=40)
        ledger.begin(run, [f"{number:02}.pdf" for number in range(40)])
        for number in range(40):
            statuses = {"embedded": YES if number % 4 else UNSURE, "chat:a": NO if number % 4 == 1 else YES}
            statuses["chat:b"] = NO if number % 2 else YES
            paper = Paper(f"{number:064}", "p-1", text=QUOTE)
            cells = [cell(number, reader, status) for reader, status in statuses.items()]
            ledger.keep_result(run.id, result_of(PaperEntry(f"{number:02}.pdf", paper.sha256), paper, cells))
        ledger.end(run.id)
    return tmp_path / "out"


def review(out: Path, papers: int) -> None:
    with Ledger.at(out) as ledger:
        ledger.keep_annotations(
            Annotation(f"{number:064}", "Q1", "ann", YES, f"2026-05-04T10:00:{number:02}") for number in range(papers)
        )


def test_compare_shows_every_plan_with_its_price(methodlens: Call, out: Path) -> None:
    review(out, 40)
    plans = {plan["plan"]: plan for plan in json.loads(methodlens("compare", "--out", out, "--json").out)["plans"]}
    assert (plans["embedded"]["right"], plans["chat:a"]["right"], plans["chat:b"]["right"]) == (30, 30, 20)
    assert (plans["cascade:embedded>chat:a"]["right"], plans["cascade:embedded>chat:a"]["calls"]) == (40, 10)
    assert plans["cascade:embedded>chat:a"]["cost"] == pytest.approx(0.1)
    assert plans["chat:a"]["cost"] == pytest.approx(0.4)
    shown = methodlens("compare", "--out", out, "--reader", "cascade:chat:b>embedded").out.splitlines()
    assert shown[0].split() == ["plan", "cells", "decided", "right", "kappa", "calls", "cost"]
    assert any(line.startswith("cascade:chat:b>embedded ") for line in shown)
    assert "no answers of chat:z" in one_line(methodlens("compare", "--out", out, "--reader", "cascade:embedded>chat:z"))


def test_compare_without_labels_says_where_to_get_them(methodlens: Call, out: Path) -> None:
    assert "there are no labels" in one_line(methodlens("compare", "--out", out))


def test_weights_are_stored_only_with_apply_and_can_be_undone(methodlens: Call, out: Path) -> None:
    review(out, 20)
    assert "weights need 30 decisions, but there are 20 decisions" in one_line(methodlens("weights", "--out", out))
    review(out, 40)
    shown = methodlens("weights", "--out", out).out
    assert "learned from 40 decisions" in shown
    assert "nothing is stored yet: add --apply" in shown
    with Ledger.at(out) as ledger:
        assert latest(ledger).vote == "majority"
    assert "stored; to keep it when you rerun, set vote.rule" in methodlens("weights", "--out", out, "--apply").out
    with Ledger.at(out) as ledger:
        assert latest(ledger).vote.startswith("weighted:embedded=")
    votes = [json.loads(line) for line in methodlens("export", "--out", out).out.splitlines()]
    assert {row["model"].partition("=")[0] for row in votes if row["reader"] == "vote"} == {"weighted:embedded"}
    assert "the voting rule is now majority" in methodlens("weights", "--out", out, "--undo").out
    log = methodlens("team", "log", "--out", out).out
    assert "changed the vote: majority -> weighted:embedded=" in log
    assert "on 40 decisions" in log


def test_a_plan_is_made_without_a_key_a_server_or_a_ledger(methodlens: Call, tmp_path: Path) -> None:
    server = {"base_url": "http://127.0.0.1:9/v1", "price_in": 1.0, "price_out": 2.0, "key_variable": "FERN_API_KEY"}
    settings = write_settings(tmp_path / "s.toml", fern=server, moss={"base_url": "http://127.0.0.1:9/v1"})
    common = ["plan", EXAMPLES / "papers", "--settings", settings, "--out", tmp_path / "none"]
    shown = methodlens(*common, "--reader", "chat:fern", "--budget", "0.05")
    assert shown.code == 0, shown
    assert "5 papers x 28 questions = 140 cells" in shown.out
    assert "best expected agreement for 0.05: cascade:embedded>chat:fern" in shown.out
    assert "chat:fern, assumed: " in shown.out
    report = json.loads(methodlens(*common, "--reader", "cascade:embedded>chat:moss>judge:chat:fern", "--json").out)
    plans = {plan["plan"]: plan for plan in report["forecast"]["plans"]}
    assert plans["cascade:embedded>chat:moss>judge:chat:fern"]["cost"] is None
    assert "chat:moss has no price: set price_in and price_out (per million tokens)" in report["notes"]
    assert not (tmp_path / "none").exists()
    assert "unknown reader chat:dune" in one_line(methodlens(*common, "--reader", "chat:dune"))


def test_a_plan_uses_what_the_ledger_measured(methodlens: Call, out: Path, tmp_path: Path) -> None:
    review(out, 40)
    settings = write_settings(tmp_path / "s.toml", a={"base_url": "http://127.0.0.1:9/v1"})
    questions = tmp_path / "q.txt"
    questions.write_text("How often was each otter weighed?\n")
    done = methodlens(
        "plan", EXAMPLES / "papers", "--questions", questions, "--reader", "chat:a", "--settings", settings, "--out", out
    )
    assert "embedded, measured: probabilities of 40 cells in the ledger" in done.out
    assert "chat:a, measured: right in 75% of the cells" in done.out
