"""Batches in a run, with a server that behaves like each provider: nothing is handed in twice, and every line becomes a cell."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from methodlens.engine.budget import Budget
from methodlens.engine.driver import run
from methodlens.engine.totals import Summary
from methodlens.errors import ReaderError
from methodlens.ledger import batches
from methodlens.ledger.accounts import by_reader
from methodlens.ledger.batches import BatchState
from methodlens.ledger.run_rows import rows
from methodlens.ledger.store import Ledger
from methodlens.questions import QuestionSet
from methodlens.readers.batched_chat import BatchedChatReader, batched_reader
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.grouped_chat import chat_reader
from methodlens.records import Question, Status
from methodlens.settings import ChatServer
from tests.batch_server import Provider, batch_server
from tests.engine.local import local_engine, planned
from tests.engine.serving import honest, honest_group
from tests.engine.small_paper import SmallPapers, write_papers

FORMS = ("openai", "anthropic", "mistral")
KEY = "sk-canary-0123456789"
QUESTIONS = QuestionSet("ours", "Ours", "", tuple(Question(f"H{n}", f"Which hardware {n} trained the model?") for n in range(4)))


def honest_model(body: dict[str, Any]) -> str:
    grouped = "Questions:\n" in body["messages"][-1]["content"]
    reply = honest_group(body) if grouped else honest(body)
    text: str = json.loads(reply.body)["choices"][0]["message"]["content"]
    return text


@pytest.fixture(params=FORMS)
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    with batch_server(request.param, honest_model) as server:
        yield server


@pytest.fixture
def openai() -> Iterator[Provider]:
    with batch_server("openai", honest_model) as server:
        yield server


def reader_at(provider: Provider, **changes: Any) -> BatchedChatReader:
    server = ChatServer(
        base_url=provider.url,
        model="fern-7b",
        batch_api=provider.form,  # type: ignore[arg-type]
        batch_poll_s=0.01,
        price_in=1.0,
        price_out=1.0,
        **changes,
    )
    reader = chat_reader("chat:fern", server, ChatClient("chat:fern", server, KEY))
    return batched_reader(reader, server, KEY)


def do(out: Path, provider: Provider, *, wait: bool = True, budget: Budget | None = None, **changes: Any) -> Summary:
    reader = reader_at(provider, **changes)
    plan = planned([write_papers(out / "papers", 1)], QUESTIONS, [reader])
    try:
        with Ledger.at(out, create=True) as ledger:
            return run(plan, local_engine(plan, SmallPapers()), ledger, budget=budget, wait_for_batches=wait)
    finally:
        reader.close()


def statuses(out: Path) -> dict[str, Status]:
    with Ledger.at(out) as ledger:
        return {row.question.id: row.cell.verdict.status for row in rows(ledger, ledger.runs()[0])}


def states(out: Path) -> list[BatchState]:
    with Ledger.at(out) as ledger:
        return [batch.state for batch in batches.listed(ledger)]


def test_a_batch_answers_every_cell_at_half_price(provider: Provider, tmp_path: Path) -> None:
    provider.looks_before_end = 2
    summary = do(tmp_path, provider)
    assert (summary.asked, summary.pending, summary.left) == (4, 0, 0)
    assert Status.FAILED not in summary.cells
    assert list(provider.submitted.values()) == [1] * 4
    assert provider.keys == {KEY if provider.form == "anthropic" else f"Bearer {KEY}"}
    with Ledger.at(tmp_path) as ledger:
        (account,) = by_reader(ledger, ledger.runs()[0])
        assert (account.requests, account.tokens_in) == (4, 400)
        assert account.cost == pytest.approx(4 * 120e-6 / 2)
    assert states(tmp_path) == [BatchState.COLLECTED]


def test_a_run_without_a_wait_leaves_the_batch_pending_and_the_next_one_fetches_it(openai: Provider, tmp_path: Path) -> None:
    openai.looks_before_end = 1
    assert do(tmp_path, openai, wait=False).pending == 4
    assert do(tmp_path, openai).asked == 4
    assert do(tmp_path, openai).kept == 4
    assert list(openai.submitted.values()) == [1] * 4


def test_a_batch_whose_submission_got_no_response_is_found_and_not_handed_in_again(provider: Provider, tmp_path: Path) -> None:
    provider.drop_reply_to_submission = True
    assert do(tmp_path, provider).asked == 4
    assert list(provider.submitted.values()) == [1] * 4


def test_a_batch_that_a_kill_left_unrecorded_is_adopted(provider: Provider, tmp_path: Path) -> None:
    provider.looks_before_end = 1
    do(tmp_path, provider, wait=False)
    set_back(tmp_path)
    assert do(tmp_path, provider).asked == 4
    assert list(provider.submitted.values()) == [1] * 4


def set_back(out: Path) -> None:
    """As if the process had been killed between handing the batch in and recording that."""
    from msgspec.structs import replace

    with Ledger.at(out) as ledger:
        (batch,) = batches.listed(ledger)
        batches.keep(ledger, replace(batch, state=BatchState.PREPARED, provider_id="", submitted_at=""))


def test_a_batch_that_was_prepared_but_never_handed_in_is_asked_in_another(openai: Provider, tmp_path: Path) -> None:
    openai.looks_before_end = 1
    do(tmp_path, openai, wait=False)
    set_back(tmp_path)
    openai.batches.clear()
    openai.submitted.clear()
    assert do(tmp_path, openai).asked == 4
    assert states(tmp_path) == [BatchState.DROPPED, BatchState.COLLECTED]


def test_a_batch_of_someone_else_with_the_same_key_is_not_taken_for_ours(tmp_path: Path) -> None:
    with batch_server("anthropic", honest_model) as provider:
        provider.looks_before_end = 1
        do(tmp_path, provider, wait=False)
        set_back(tmp_path)
        (batch,) = provider.batches.values()
        batch["requests"] = [{**request, "custom_id": f"theirs-{number}"} for number, request in enumerate(batch["requests"])]
        assert do(tmp_path, provider).asked == 4
    assert states(tmp_path) == [BatchState.DROPPED, BatchState.COLLECTED]
    assert Status.FAILED not in statuses(tmp_path).values()


def test_lines_in_another_order_and_twice_are_each_one_cell(openai: Provider, tmp_path: Path) -> None:
    openai.change = lambda lines: [*reversed(lines), *lines, {"custom_id": "unknown"}]
    summary = do(tmp_path, openai)
    assert (summary.asked, summary.cells.get(Status.FAILED)) == (4, None)


def first_time(change: Any) -> Any:
    """Applies to the first results only."""
    changes = iter([change])

    def results(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        changed: list[dict[str, Any]] = next(changes, lambda same: same)(lines)
        return changed

    return results


def test_a_missing_line_is_asked_again_in_another_batch(openai: Provider, tmp_path: Path) -> None:
    openai.change = first_time(lambda lines: lines[1:])
    assert Status.FAILED not in do(tmp_path, openai).cells
    assert sorted(openai.submitted.values()) == [1, 1, 1, 2]


def test_a_line_that_never_comes_fails_its_cell_only(openai: Provider, tmp_path: Path) -> None:
    lost: list[str] = []

    def without_the_first(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        lost[:] = lost or [lines[0]["custom_id"]]
        return [line for line in lines if line["custom_id"] != lost[0]] or [{"custom_id": lost[0]}]

    openai.change = without_the_first
    summary = do(tmp_path, openai)
    assert summary.cells[Status.FAILED] == 1
    assert summary.asked == 4


def broken(provider: Provider, line: dict[str, Any], *, again: bool) -> dict[str, Any]:
    if provider.form == "anthropic":
        kind = "overloaded_error" if again else "invalid_request_error"
        return {**line, "result": {"type": "errored", "error": {"type": "error", "error": {"type": kind, "message": "no"}}}}
    return {**line, "response": {"status_code": 503 if again else 400, "body": {"error": {"message": "no"}}}}


def test_an_error_that_may_pass_is_asked_again_and_a_lasting_one_fails_the_cell(provider: Provider, tmp_path: Path) -> None:
    provider.change = first_time(
        lambda lines: [broken(provider, lines[0], again=True), broken(provider, lines[1], again=False), *lines[2:]]
    )
    summary = do(tmp_path, provider)
    assert summary.cells[Status.FAILED] == 1
    assert sorted(provider.submitted.values()) == [1, 1, 1, 2]
    (reason,) = summary.failures
    assert "no result from the batch" in reason


@pytest.mark.parametrize("ending", ["expired", "cancelled"])
def test_what_an_expired_or_cancelled_batch_answered_is_kept_and_the_rest_fails(
    ending: str, openai: Provider, tmp_path: Path
) -> None:
    openai.ending, openai.change = ending, lambda lines: lines[:3]
    summary = do(tmp_path, openai)
    assert summary.cells[Status.FAILED] == 1
    openai.ending, openai.change = "completed", lambda lines: lines
    assert (do(tmp_path, openai).asked, max(openai.submitted.values())) == (1, 2)


@pytest.mark.parametrize("form", ["openai", "mistral"])
def test_a_batch_that_the_provider_refuses_stops_the_run_with_its_reason(form: str, tmp_path: Path) -> None:
    with batch_server(form, honest_model) as provider:
        provider.ending = "failed"
        with pytest.raises(ReaderError, match="the model does not exist"):
            do(tmp_path, provider)
        assert states(tmp_path) == [BatchState.REFUSED]
        provider.ending = "completed"
        assert do(tmp_path, provider).asked == 4


def test_grouped_calls_go_into_batches_and_a_bad_part_is_asked_again_alone(openai: Provider, tmp_path: Path) -> None:
    replies: list[int] = []

    def forgetful(body: dict[str, Any]) -> str:
        answers = json.loads(honest_model(body))
        replies.append(len(answers))
        return json.dumps(dict(list(answers.items())[1:] if len(answers) > 1 else answers))

    openai.model = forgetful
    summary = do(tmp_path, openai, group="passages")
    assert (summary.asked, summary.cells.get(Status.FAILED)) == (4, None)
    assert replies == [4, 1]
    with Ledger.at(tmp_path) as ledger:
        (account,) = by_reader(ledger, ledger.runs()[0])
        assert (account.requests, account.tokens_in) == (2, 200)


def test_the_cells_of_a_batch_are_those_of_single_calls(openai: Provider, tmp_path: Path) -> None:
    do(tmp_path, openai)
    server = ChatServer(base_url=openai.url, model="fern-7b", price_in=1.0)
    reader = chat_reader("chat:fern", server, ChatClient("chat:fern", server))
    plan = planned([write_papers(tmp_path / "papers", 1)], QUESTIONS, [reader])
    with Ledger.at(tmp_path) as ledger:
        assert run(plan, local_engine(plan, SmallPapers()), ledger).kept == 4


def test_a_budget_limits_what_is_handed_in(openai: Provider, tmp_path: Path) -> None:
    summary = do(tmp_path, openai, budget=Budget(max_tokens=1200))
    assert 0 < summary.asked < 4
    assert summary.asked + summary.left == 4
    assert len(openai.submitted) == summary.asked


def test_a_damaged_batch_row_is_found(openai: Provider, tmp_path: Path) -> None:
    from sqlalchemy import text

    from methodlens.ledger.upkeep import check

    do(tmp_path, openai)
    with Ledger.at(tmp_path) as ledger:
        assert not list(check(ledger))
        with ledger.engine.begin() as connection:
            connection.execute(text("UPDATE batches SET provider_id = 'other'"))
        assert [fault.table for fault in check(ledger)] == ["batches"]
