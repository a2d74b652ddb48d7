"""Repeated readers: every answer is stored, the first one counts, and the others measure stability."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from methodlens.engine.plan import Plan
from methodlens.evaluation.stability import Stability, stability, stability_lines
from methodlens.fakes import FakeReader
from methodlens.ledger import run_rows
from methodlens.ledger.store import Ledger
from methodlens.papers import WorkerPool
from methodlens.questions import QuestionSet
from methodlens.readers.embedded import EmbeddedReader
from methodlens.records import Answer, Evidence, Hit, Match, Paper, Question, ReaderInfo, Status
from methodlens.seams import Reader
from tests.conftest import MakePdf
from tests.engine.local import planned, run_locally

LINE = "We trained the network on two Kestrel cards in the harbour of the old town."
QUESTIONS = QuestionSet("one", "One", "", (Question("Q1", "Where was the network trained?"),))


def quoting(text: str, start: int, end: int) -> Answer:
    return Answer(text, (Evidence(LINE[start:end], Match.EXACT, start, end),))


class Undecided:
    """Gives each of its answers in turn."""

    info = ReaderInfo("undecided", "coin", "undecided")

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        self.asked.append(question.id)
        return self._answers[(len(self.asked) - 1) % len(self._answers)]


@pytest.fixture
def papers(make_pdf: MakePdf, tmp_path: Path) -> Path:
    make_pdf("papers/a.pdf", [[LINE]])
    return tmp_path / "papers"


def do(papers: Path, out: Path, readers: Sequence[Reader], pool: WorkerPool, *, repeat: int = 3) -> Plan:
    plan = planned([papers], QUESTIONS, readers, repeat=repeat)
    run_locally(plan, out, pool)
    return plan


def measured(out: Path, todo: Plan) -> list[Stability]:
    with Ledger.at(out) as ledger:
        return stability(ledger, todo.run, deterministic={"embedded"})


def test_each_repeat_is_asked_once_and_stored(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    reader = Undecided(Answer("In the harbour."), Answer("I don't know."))
    todo = do(papers, tmp_path / "out", [reader], pool)
    assert len(reader.asked) == 3
    do(papers, tmp_path / "out", [reader], pool)
    assert len(reader.asked) == 3
    do(papers, tmp_path / "out", [reader], pool, repeat=4)
    assert len(reader.asked) == 4
    with Ledger.at(tmp_path / "out") as ledger:
        rows = list(run_rows.rows(ledger, todo.run, repeats=True))
    assert [row.cell.reader for row in rows] == ["undecided", "undecided#2", "undecided#3"]
    assert len({row.cell.key for row in rows}) == 3


def test_only_the_first_answer_is_in_tables_and_votes(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    undecided = Undecided(quoting("Two Kestrel cards.", 0, 42), Answer("I don't know."), Answer("I don't know."))
    other = FakeReader({"Q1": Answer("I don't know.")}, "other")
    todo = do(papers, tmp_path / "out", [undecided, other], pool)
    with Ledger.at(tmp_path / "out") as ledger:
        rows = list(run_rows.rows(ledger, todo.run))
    assert [row.cell.reader for row in rows] == ["undecided", "other", "vote"]
    assert rows[-1].votes == {"undecided": Status.REPORTED, "other": Status.NOT_REPORTED}


def test_a_deterministic_reader_is_asked_once_and_the_table_shows_that(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    todo = do(papers, tmp_path / "out", [EmbeddedReader()], pool)
    assert [reader.info.name for reader in todo.readers] == ["embedded"]
    assert stability_lines(measured(tmp_path / "out", todo), 3)[1:] == ["  embedded: deterministic, asked once"]


def test_agreement_is_counted_over_the_pairs_of_answers(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    reader = Undecided(
        quoting("Two Kestrel cards.", 0, 42),
        quoting("two kestrel  cards.", 20, 60),  # the same words, an overlapping quote
        Answer("I don't know."),
    )
    todo = do(papers, tmp_path / "out", [reader], pool)
    (result,) = measured(tmp_path / "out", todo)
    assert (result.cells, result.pairs, result.failed) == (1, 3, 0)
    assert (result.verdicts, result.answers, result.quotes) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert result.likeness == pytest.approx(1 / 3)
    assert "same verdicts 33%, quotes 33%, words 33%" in stability_lines([result], 3)[1]


def test_a_failed_answer_is_missing_not_a_disagreement(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    reader = Undecided(Answer("I don't know."), Answer("I don't know."), Answer(""))
    (result,) = measured(tmp_path / "out", do(papers, tmp_path / "out", [reader], pool))
    assert (result.pairs, result.failed, result.verdicts, result.quotes) == (1, 1, 1.0, 1.0)


def test_without_a_second_answer_there_is_no_agreement(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    todo = do(papers, tmp_path / "out", [Undecided(Answer("I don't know."), Answer(""))], pool, repeat=2)
    (result,) = measured(tmp_path / "out", todo)
    assert (result.verdicts, result.answers, result.quotes, result.likeness) == (None, None, None, None)
    assert stability_lines([result], 2)[1] == "  undecided: no cell was answered twice; 1 answers failed"
