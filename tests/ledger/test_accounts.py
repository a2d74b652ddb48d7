"""The usage of a run adds up per reader and per paper, and unknown usage is counted."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.cli.results import spending_lines
from methodlens.ledger.accounts import Account, by_paper, by_reader
from methodlens.ledger.calls import Call, Outcome, open_call
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Question

RUN = Run(id="r", sources=(), questions=(Question("Q1", "Where?"),), readers=("embedded", "chat:x"), papers=2)


def call(reader: str, paper: str, outcome: Outcome, at: int) -> Call:
    begun = open_call(run="r", paper=paper, question="Q1", reader=reader, cell_key="k", at=f"2030-01-01T00:00:0{at}")
    if reader == "embedded":
        return replace(begun, outcome=outcome, seconds=0.5)
    if outcome is Outcome.LOST:
        return replace(begun, outcome=outcome)
    return replace(begun, outcome=outcome, seconds=2.0, tokens_in=100, tokens_out=10, requests=2, cost=0.01, joules=7200.0)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger.at(tmp_path, create=True)
    made = [("a.pdf", Outcome.ANSWERED), ("a.pdf", Outcome.FAILED), ("b.pdf", Outcome.ANSWERED), ("b.pdf", Outcome.LOST)]
    for at, (paper, outcome) in enumerate(made):
        ledger.keep_call(call("chat:x", paper, outcome, at))
    ledger.keep_call(call("embedded", "a.pdf", Outcome.ANSWERED, 5))
    return ledger


def test_totals_per_reader_follow_the_order_of_the_run(ledger: Ledger) -> None:
    own, model = by_reader(ledger, RUN)
    assert own == Account("embedded", calls=1, answered=1, seconds=0.5)
    assert (model.calls, model.answered, model.failed, model.unknown) == (4, 2, 1, 1)
    assert (model.requests, model.tokens_in, model.tokens_out, model.seconds) == (6, 300, 30, 6.0)
    assert model.cost == pytest.approx(0.03)
    assert model.watt_hours == pytest.approx(6.0)


def test_totals_per_paper(ledger: Ledger) -> None:
    calls = {(account.reader, account.paper): account.calls for account in by_paper(ledger, RUN)}
    assert calls == {("chat:x", "a.pdf"): 2, ("chat:x", "b.pdf"): 2, ("embedded", "a.pdf"): 1}


def test_the_table_is_shown_only_if_a_model_was_asked(ledger: Ledger) -> None:
    own, model = by_reader(ledger, RUN)
    assert spending_lines([own]) == []
    head, first, second = spending_lines([own, model])
    assert len(head) == len(first) == len(second)
    assert second.split() == ["chat:x", "4", "1", "1", "6", "300", "30", "6.0", "0.0300", "~6.00"]
