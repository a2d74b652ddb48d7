"""Cascades: who is asked, what is stored and paid for, budgets, repeats, resuming, and the judge."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from methodlens.engine import driver
from methodlens.engine.budget import Budget
from methodlens.engine.cascade import Cascade, create
from methodlens.engine.plan import Plan
from methodlens.engine.totals import Summary
from methodlens.errors import ReaderError
from methodlens.fakes import FakeReader
from methodlens.ledger import run_rows
from methodlens.ledger.accounts import by_reader
from methodlens.ledger.store import Ledger
from methodlens.papers import WorkerPool
from methodlens.questions import QuestionSet
from methodlens.records import Answer, Cell, Evidence, Match, Paper, Question, Status, Usage
from methodlens.settings import ChatServer, Settings
from tests.cli.conftest import Call, methodlens, one_line
from tests.conftest import EXAMPLES, MakePdf
from tests.engine.local import local_engine, planned
from tests.engine.serving import honest, write_settings
from tests.loopback import chat_server, json_reply
from tests.readers.chat_setup import HITS, PAPER, QUESTION

__all__ = ["methodlens"]  # the fixture
PAPER_FILE = EXAMPLES / "papers" / "rented-cpu.pdf"
LINE = "We trained the network on two Kestrel cards in the harbour of the old town."
QUESTIONS = QuestionSet("three", "Three", "", tuple(Question(f"Q{n}", f"Where was network {n} trained?") for n in (1, 2, 3)))
QUOTED = (Evidence(LINE, Match.EXACT, 0, len(LINE)),)
SURE = Answer("In the harbour.", QUOTED, p_reported=0.95)
UNSURE = Answer("Perhaps in the harbour.", QUOTED, p_reported=0.4)
PAID = Usage(100, 20, 1, 0.5)


def remote(name: str, answer: Answer | None, *questions: str) -> FakeReader:
    """Fails without an answer."""
    asked = questions or ("Q1", "Q2", "Q3", "CQ20")
    reader = FakeReader({question: replace(answer, usage=PAID) for question in asked} if answer else {}, name)
    reader.info = replace(reader.info, remote=True, priced=True)
    return reader


def local(*answers: Answer) -> FakeReader:
    return FakeReader({f"Q{number}": answer for number, answer in enumerate(answers, 1)}, "first")


@pytest.fixture
def papers(make_pdf: MakePdf, tmp_path: Path) -> Path:
    make_pdf("papers/a.pdf", [[LINE]])
    return tmp_path / "papers"


def do(plan: Plan, out: Path, pool: WorkerPool, budget: Budget | None = None) -> Summary:
    with Ledger.at(out, create=True) as ledger:
        return driver.run(plan, local_engine(plan, pool), ledger, budget=budget)


def cells(out: Path) -> list[Cell]:
    with Ledger.at(out) as ledger:
        return [row.cell for row in run_rows.rows(ledger, run_rows.latest(ledger))]


def test_a_later_reader_is_asked_only_where_the_one_before_it_is_in_doubt(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    small, large = remote("small", UNSURE, "Q2"), remote("large", SURE)
    cascade = Cascade([local(SURE, UNSURE, UNSURE), small, large])
    done = do(planned([papers], QUESTIONS, [cascade]), tmp_path / "out", pool)
    assert (small.asked, large.asked) == (["Q2", "Q3"], ["Q2", "Q3"])
    assert done.cells == {Status.REPORTED: 3}
    first, second, third = cells(tmp_path / "out")
    assert [step.reader for step in first.answer.trail] == ["first"]
    assert [(step.reader, step.status) for step in third.answer.trail] == [
        ("first", Status.WITHHELD),
        ("small", Status.FAILED),
        ("large", Status.REPORTED),
    ]
    assert second.answer.usage == Usage(200, 40, 2, 1.0)
    with Ledger.at(tmp_path / "out") as ledger:
        booked = {each.reader: (each.calls, each.cost) for each in by_reader(ledger, run_rows.latest(ledger))}
    assert booked == {"small": (2, 0.5), "large": (2, 1.0)}  # nothing for the cell that the first reader was sure of


def test_nothing_is_asked_twice_in_a_rerun_or_in_a_cascade_of_readers_that_were_asked_before(
    papers: Path, tmp_path: Path, pool: WorkerPool
) -> None:
    small, large, out = remote("small", UNSURE), remote("large", SURE), tmp_path / "out"
    do(planned([papers], QUESTIONS, [small]), out, pool)
    cascade = Cascade([local(UNSURE, UNSURE, UNSURE), small, large])
    do(planned([papers], QUESTIONS, [cascade]), out, pool)
    again = do(planned([papers], QUESTIONS, [cascade]), out, pool)
    assert (again.asked, again.kept) == (0, 3)
    do(planned([papers], QUESTIONS, [large]), out, pool)
    assert (len(small.asked), len(large.asked)) == (3, 3)


def test_a_stop_between_two_steps_keeps_the_first_answer(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    class Broken(FakeReader):
        def read(self, question: Question, paper: Paper, context: Sequence[Any]) -> Answer:
            raise ReaderError("the key is wrong", "set another")

    small, out = remote("small", UNSURE), tmp_path / "out"
    broken = Broken({}, "large")
    broken.info = replace(broken.info, remote=True)
    with pytest.raises(ReaderError):
        do(planned([papers], QUESTIONS, [Cascade([local(UNSURE, UNSURE, UNSURE), small, broken])]), out, pool)
    asked = len(small.asked)
    large = remote("large", SURE)
    done = do(planned([papers], QUESTIONS, [Cascade([local(UNSURE, UNSURE, UNSURE), small, large])]), out, pool)
    assert asked >= 1
    assert (len(small.asked), len(large.asked), done.cells) == (3, 3, {Status.REPORTED: 3})


def test_a_reader_that_fails_loses_no_answer_and_a_rerun_asks_only_it(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    small, out, failing = remote("small", UNSURE), tmp_path / "out", remote("large", None)
    first = do(planned([papers], QUESTIONS, [Cascade([local(UNSURE, UNSURE, UNSURE), small, failing])]), out, pool)
    assert first.cells == {Status.WITHHELD: 3}
    cell = cells(out)[0]
    assert cell.answer.text == "Perhaps in the harbour."
    assert cell.answer.trail[-1].status is Status.FAILED
    assert "has no answer to Q1" in cell.answer.trail[-1].reason
    mended = remote("large", SURE)
    again = do(planned([papers], QUESTIONS, [Cascade([local(UNSURE, UNSURE, UNSURE), small, mended])]), out, pool)
    assert (again.cells, len(small.asked), len(mended.asked)) == ({Status.REPORTED: 3}, 3, 3)


def test_a_budget_stops_the_calls_and_the_answers_so_far_are_shown(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    large, out = remote("large", SURE), tmp_path / "out"
    plan = planned([papers], QUESTIONS, [Cascade([local(SURE, UNSURE, UNSURE), large])])
    done = do(plan, out, pool, Budget(max_cost=0.4))
    assert (len(large.asked), done.left) == (1, 1)
    assert done.cells == {Status.REPORTED: 2, Status.WITHHELD: 1}
    assert "not asked: --max-cost 0.4 is reached" in cells(out)[2].answer.trail[-1].reason
    rest = do(plan, out, pool)
    assert (len(large.asked), rest.left, rest.cells) == (2, 0, {Status.REPORTED: 3})


def test_a_repeat_asks_the_readers_of_the_cascade_again(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    large = remote("large", SURE)
    cascade = Cascade([local(UNSURE, UNSURE, UNSURE), large])
    plan = planned([papers], QUESTIONS, [cascade], repeat=2)
    assert [reader.info.name for reader in plan.readers] == ["cascade:first>large", "cascade:first>large#2"]
    do(plan, tmp_path / "out", pool)
    do(plan, tmp_path / "out", pool)
    assert len(large.asked) == 6


def test_the_cell_depends_on_every_reader_and_on_the_band() -> None:
    def fingerprint(*readers: FakeReader, settings: Settings | None = None) -> str:
        return Cascade(readers, (settings or Settings()).cascade).info.fingerprint

    a, b, c = remote("a", SURE), remote("b", SURE), remote("b", SURE)
    c.info = replace(c.info, fingerprint="another prompt")
    wider = Settings(cascade=replace(Settings().cascade, high=0.9))
    assert len({fingerprint(a, b), fingerprint(b, a), fingerprint(a, c), fingerprint(a, b, settings=wider)}) == 4


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("cascade:embedded", "two or more readers"),
        ("cascade:embedded>>chat:a", "two or more readers"),
        ("cascade:embedded>embedded", "names a reader twice"),
        ("cascade:embedded>cascade:embedded", "contains another cascade"),
        ("cascade:judge:chat:a>embedded", "starts with a judge"),
        ("cascade:embedded>judge:embedded", "cannot be a judge"),
        ("cascade:embedded>fern", "unknown reader 'fern'"),
    ],
)
def test_a_cascade_that_makes_no_sense_is_refused(name: str, problem: str) -> None:
    with pytest.raises(ReaderError, match=problem):
        create(name, Settings(), {})


def test_a_judge_sees_the_answers_and_quotes_before_it_and_its_decision_is_grounded() -> None:
    quote = "The fern model was trained on two Titan RTX cards."
    no, yes = json_reply(False, "Not reported."), json_reply(True, "On two Titan RTX cards.", quote)
    lie = json_reply(True, "On nine Zorblax cards.", "Nine Zorblax cards were used.")
    doubtful = {"hardware": {"NVIDIA TITAN RTX": 0.3}}
    found = Answer("Two Titan RTX.", (Evidence(quote, Match.EXACT, 0, 50),), p_reported=0.9, fact_confidence=doubtful)
    with chat_server(no, yes, no, lie) as double:
        settings = Settings(readers={name: ChatServer("fern-7b", base_url=double.url) for name in ("small", "large")})
        readers = [create(name, settings, {}) for name in ("chat:small", "judge:chat:large")]
        cascade = Cascade([FakeReader({"CQ20": found}, "first"), *readers])
        decided, invented = (cascade.compose(PAPER, QUESTION, tuple(HITS), shown=1) for _ in range(2))
        cascade.close()
    assert [step.doubt for step in decided.answer.trail] == [
        "the value NVIDIA TITAN RTX is doubtful (0.30)",
        "contradicts first",
        "",
    ]
    prompt = double.requests[1]["messages"][-1]["content"]
    assert f'Answer A (reported): Two Titan RTX.\nQuote: "{quote}"\n\nAnswer B (not reported): Not reported.' in prompt
    assert (decided.verdict.status, decided.answer.text) == (Status.REPORTED, "On two Titan RTX cards.")
    assert invented.answer.trail[-1].status is Status.WITHHELD
    assert "no quote of the answer was found" in invented.answer.trail[-1].reason


def test_a_judge_without_a_cascade_says_how_it_is_used(methodlens: Call, tmp_path: Path) -> None:
    with chat_server(honest) as double:
        settings = write_settings(tmp_path / "s.toml", fern={"base_url": double.url})
        paper = PAPER_FILE
        done = methodlens("ask", paper, "CQ20", "--reader", "judge:chat:fern", "--settings", settings)
    assert "put it into a cascade: cascade:embedded>chat:small>judge:chat:fern" in one_line(done)


@pytest.mark.long
def test_the_command_line_runs_a_cascade_and_exports_its_trail(methodlens: Call, tmp_path: Path) -> None:
    with chat_server(honest) as double:
        tables: dict[str, Any] = {"base_url": double.url, "price_in": 1000.0, "price_out": 1000.0}
        settings = write_settings(tmp_path / "s.toml", fern=tables)
        common = ["--settings", settings, "--out", tmp_path / "out"]
        reader = "cascade:embedded>chat:fern"
        done = methodlens("run", PAPER_FILE, "--reader", reader, *common, "--json", "--no-pages")
        asked = len(double.requests)
        alone = methodlens("ask", PAPER_FILE, "CQ20", "--reader", reader, "--settings", settings, "--json")
    assert done.code == 0
    assert 0 < asked <= 28 / 3
    (account,) = json.loads(done.out)["accounts"]
    assert (account["reader"], account["requests"]) == ("chat:fern", asked)
    rows = list(map(json.loads, methodlens("export", *common, "--format", "jsonl").out.splitlines()))
    trails = [row["trail"] for row in rows if row["reader"] == reader]
    assert len(trails) == 28
    assert sum(len(trail) == 2 for trail in trails) == asked
    assert {trail[0]["reader"] for trail in trails} == {"embedded"}
    assert json.loads(alone.out)["answer"]["trail"]


def test_a_cost_limit_needs_the_price_of_every_model_in_a_cascade(methodlens: Call, tmp_path: Path) -> None:
    with chat_server(honest) as double:
        settings = write_settings(tmp_path / "s.toml", fern={"base_url": double.url})
        run = ["run", PAPER_FILE, "--reader", "cascade:embedded>chat:fern", "--max-cost", "1"]
        done = methodlens(*run, "--settings", settings, "--out", tmp_path / "out")
    assert "has no price" in one_line(done)
    assert double.requests == []
