"""Calls are recorded before they start and when they end, and a changed row is detected."""

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.ledger.calls import Call, Outcome, end_call, open_call
from methodlens.ledger.store import Ledger
from methodlens.records import Answer, Cell, Status, Usage, Verdict

CALL = open_call(run="r", paper="barge.pdf", question="Q1", reader="chat:x", cell_key="k" * 64, at="2030-01-01T00:00:00")
USAGE = Usage(tokens_in=900, tokens_out=100, requests=2, cost=0.25, watts=50.0)
CELL = Cell("k" * 64, "a" * 64, "Q1", "chat:x", "m", Verdict(Status.REPORTED), Answer("Yes.", usage=USAGE), seconds=2.0)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.at(tmp_path / "out", create=True)


def end_of(cell: Cell) -> Call:
    return end_call(CALL, cell.verdict.status, cell.answer.usage, seconds=cell.seconds, at="2030-01-01T00:00:02")


def test_a_call_is_open_until_its_cell_is_stored_and_then_has_its_usage(ledger: Ledger) -> None:
    ledger.keep_call(CALL)
    assert list(ledger.calls("r")) == [CALL]
    assert CALL.outcome is Outcome.OPEN
    ledger.keep_cell("r", "barge.pdf", CELL, end_of(CELL))
    (call,) = ledger.calls("r")
    assert (call.outcome, call.tokens_in, call.tokens_out, call.requests) == (Outcome.ANSWERED, 900, 100, 2)
    assert (call.seconds, call.cost, call.joules) == (2.0, 0.25, 100.0)


def test_a_call_interrupted_by_a_kill_is_lost_and_reported_once(ledger: Ledger) -> None:
    ledger.keep_call(CALL)
    assert ledger.mark_interrupted_calls() == 1
    assert ledger.mark_interrupted_calls() == 0
    assert [call.outcome for call in ledger.calls()] == [Outcome.LOST]


def test_a_failed_cell_keeps_its_usage(ledger: Ledger) -> None:
    failed = replace(CELL, verdict=Verdict(Status.FAILED, "the answer is empty"))
    assert end_of(failed).outcome is Outcome.FAILED
    assert end_of(failed).tokens_in == 900


def test_a_changed_figure_is_detected_and_not_used(ledger: Ledger) -> None:
    ledger.keep_cell("r", "barge.pdf", CELL, end_of(CELL))
    with sqlite3.connect(ledger.path) as connection:
        connection.execute("UPDATE calls SET tokens_in = 9")
    connection.close()
    (call,) = ledger.calls("r")
    assert (call.outcome, call.tokens_in, call.reader) == (Outcome.DAMAGED, 0, "chat:x")


def test_calls_of_another_run_are_not_counted(ledger: Ledger) -> None:
    ledger.keep_call(CALL)
    assert list(ledger.calls("another")) == []


def test_usages_add_up_and_an_unknown_price_stays_unknown() -> None:
    free = Usage(tokens_in=1, requests=1)
    assert (free + free).cost is None
    assert (free + USAGE).cost == 0.25
    assert Usage(1800, 200, 4, 0.5, 50.0) == (USAGE + USAGE)
    assert isinstance(CALL, Call)
