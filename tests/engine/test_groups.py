"""Grouped calls in a run: every cell is booked and stored as if it had been asked alone."""

from pathlib import Path

from methodlens.engine.budget import Budget
from methodlens.engine.driver import run
from methodlens.engine.totals import Summary
from methodlens.ledger.accounts import by_reader
from methodlens.ledger.calls import Outcome
from methodlens.ledger.store import Ledger
from methodlens.questions import QuestionSet
from methodlens.readers.chat_client import ChatClient
from methodlens.readers.grouped_chat import chat_reader
from methodlens.records import Question
from methodlens.seams import Reader
from methodlens.settings import ChatServer
from tests.engine.local import local_engine, planned
from tests.engine.serving import asked_ids, honest_group
from tests.engine.small_paper import SmallPapers, write_papers
from tests.loopback import chat_server

QUESTIONS = QuestionSet(
    "ours", "Ours", "", tuple(Question(f"H{n}", f"Which hardware of kind {n} trained the model?") for n in range(6))
)


def reader_at(url: str, **changes: object) -> Reader:
    settings = {"base_url": url, "model": "fern-7b", "group": "passages", "price_in": 1.0, "price_out": 1.0, **changes}
    server = ChatServer(**settings)  # type: ignore[arg-type]
    return chat_reader("chat:fern", server, ChatClient("chat:fern", server))


def do(out: Path, reader: Reader, *, questions: QuestionSet = QUESTIONS, budget: Budget | None = None) -> Summary:
    plan = planned([write_papers(out / "papers", 1)], questions, [reader])
    with Ledger.at(out, create=True) as ledger:
        return run(plan, local_engine(plan, SmallPapers()), ledger, budget=budget)


def test_the_questions_of_a_paper_are_one_call_and_its_cells_add_up_to_it(tmp_path: Path) -> None:
    with chat_server(honest_group) as server:
        summary = do(tmp_path, reader_at(server.url))
        assert (summary.asked, len(server.requests)) == (6, 1)
    with Ledger.at(tmp_path) as ledger:
        (account,) = by_reader(ledger, ledger.runs()[0])
        assert (account.calls, account.requests, account.tokens_in, account.tokens_out) == (6, 1, 100, 31)
        assert {call.outcome for call in ledger.calls()} == {Outcome.ANSWERED}


def test_a_second_run_asks_nothing_and_a_new_question_alone(tmp_path: Path) -> None:
    more = QuestionSet("ours", "Ours", "", (*QUESTIONS.questions, Question("S", "Which software trained the model?")))
    with chat_server(honest_group) as server:
        do(tmp_path, reader_at(server.url))
        assert do(tmp_path, reader_at(server.url)).kept == 6
        do(tmp_path, reader_at(server.url), questions=more)
        assert [asked_ids(request) for request in server.requests] == [[f"H{n}" for n in range(6)], ["S"]]


def test_a_spent_budget_leaves_the_whole_group(tmp_path: Path) -> None:
    with chat_server(honest_group) as server:
        summary = do(tmp_path, reader_at(server.url, group_tokens=1), budget=Budget(max_tokens=200))
        assert len(server.requests) == 2
    assert (summary.asked, summary.left) == (2, 4)
