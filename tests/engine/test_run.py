"""A whole run: every paper is accounted for, nothing is asked twice, and what changed is asked again."""

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.engine.totals import Summary
from methodlens.fakes import FakeReader
from methodlens.ledger import run_rows
from methodlens.ledger.store import Ledger
from methodlens.papers import WorkerPool
from methodlens.questions import QuestionSet
from methodlens.records import Answer, Paper, PaperStatus, Question, Status
from methodlens.seams import Reader
from tests.conftest import EXAMPLES, MakePdf
from tests.engine.local import planned, run_locally

QUESTIONS = QuestionSet(
    name="two",
    title="Two questions",
    description="",
    questions=(Question("Q1", "Where was the network trained?"), Question("Q2", "How many gulls were counted?")),
)
NO = Answer("I do not know.", p_reported=0.0)


class OtherParser:
    """The same pool with another fingerprint, as if its code had changed."""

    suffixes = (".pdf",)

    def __init__(self, pool: WorkerPool) -> None:
        self.fingerprint = pool.fingerprint + "-next"
        self._pool = pool

    def parse(self, path: Path) -> Paper:
        return replace(self._pool.parse(path), parser=self.fingerprint)


def reader(name: str = "fake", model: str = "canned") -> FakeReader:
    return FakeReader({"Q1": NO, "Q2": NO}, name, model=model)


def do(
    folder: Path, out: Path, readers: list[Reader], parser: WorkerPool | OtherParser, questions: QuestionSet = QUESTIONS
) -> Summary:
    return run_locally(planned([folder], questions, readers), out, parser, at_once=2)


@pytest.fixture
def papers(make_pdf: MakePdf, tmp_path: Path) -> Path:
    lines = ["We trained the network on a barge in the harbour.", "We counted 120 gulls from the pier on one morning."]
    make_pdf("papers/a.pdf", [lines])
    make_pdf("papers/b.pdf", [lines, ["A second page about the weather of that day."]])
    (tmp_path / "papers" / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    return tmp_path / "papers"


def test_one_bad_pdf_does_not_stop_a_run_and_no_reader_is_asked_about_it(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    asked = reader()
    summary = do(papers, tmp_path / "out", [asked], pool)
    assert summary.papers == {PaperStatus.OK: 2, PaperStatus.MALFORMED: 1}
    assert summary.cells == {Status.NOT_REPORTED: 4, Status.UNREADABLE: 2}
    assert Counter(asked.asked) == {"Q1": 2, "Q2": 2}


def test_a_second_run_asks_nothing(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    do(papers, tmp_path / "out", [reader()], pool)
    asked = reader()
    summary = do(papers, tmp_path / "out", [asked], pool)
    assert asked.asked == []
    assert (summary.asked, summary.kept) == (0, 4)


def test_new_weights_are_asked_again_and_the_answers_of_the_old_ones_are_kept(
    papers: Path, tmp_path: Path, pool: WorkerPool
) -> None:
    do(papers, tmp_path / "out", [reader(model="weights-1")], pool)
    newer = reader(model="weights-2")
    assert do(papers, tmp_path / "out", [newer], pool).asked == 4
    again = reader(model="weights-1")
    assert do(papers, tmp_path / "out", [again], pool).asked == 0


def test_a_new_parser_reads_and_asks_again(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    do(papers, tmp_path / "out", [reader()], pool)
    assert do(papers, tmp_path / "out", [reader()], OtherParser(pool)).asked == 4


def test_only_a_reworded_question_is_asked_again(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    do(papers, tmp_path / "out", [reader()], pool)
    reworded = replace(QUESTIONS, questions=(replace(QUESTIONS.questions[0], query="trained barge"), QUESTIONS.questions[1]))
    asked = reader()
    do(papers, tmp_path / "out", [asked], pool, reworded)
    assert Counter(asked.asked) == {"Q1": 2}


def test_a_renamed_paper_is_not_asked_again(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    do(papers, tmp_path / "out", [reader()], pool)
    (papers / "a.pdf").rename(papers / "renamed.pdf")
    asked = reader()
    do(papers, tmp_path / "out", [asked], pool)
    assert asked.asked == []
    with Ledger.at(tmp_path / "out") as ledger:
        rows = list(run_rows.rows(ledger, run_rows.latest(ledger)))
    assert {row.paper.name for row in rows} == {"b.pdf", "broken.pdf", "renamed.pdf"}


def test_a_reader_that_breaks_on_a_cell_fails_that_cell_only_and_is_asked_again(
    papers: Path, tmp_path: Path, pool: WorkerPool
) -> None:
    summary = do(papers, tmp_path / "out", [FakeReader({"Q1": NO})], pool)
    assert summary.cells[Status.FAILED] == 2
    mended = reader()
    assert do(papers, tmp_path / "out", [mended], pool).asked == 2
    assert mended.asked == ["Q2", "Q2"]


def test_several_readers_give_a_vote_that_lists_each_reader(papers: Path, tmp_path: Path, pool: WorkerPool) -> None:
    failing = FakeReader({}, "broken")
    do(papers, tmp_path / "out", [reader("one"), reader("two"), failing], pool)
    with Ledger.at(tmp_path / "out") as ledger:
        rows = list(run_rows.rows(ledger, run_rows.latest(ledger)))
    votes = [row for row in rows if row.cell.reader == "vote"]
    assert len(votes) == 6
    first = votes[0]
    assert first.cell.verdict.status is Status.NOT_REPORTED
    assert first.votes == {"one": Status.NOT_REPORTED, "two": Status.NOT_REPORTED, "broken": Status.FAILED}
    assert next(row for row in votes if row.paper.name == "broken.pdf").cell.verdict.status is Status.UNREADABLE


def test_rows_have_the_text_of_their_passages_and_the_context(tmp_path: Path, pool: WorkerPool) -> None:
    do(EXAMPLES / "papers", tmp_path / "out", [reader()], pool)
    with Ledger.at(tmp_path / "out") as ledger:
        rows = [row for row in run_rows.rows(ledger, run_rows.latest(ledger)) if row.paper.status is PaperStatus.OK]
    assert all(hit.passage.text.strip() for row in rows for hit in row.cell.hits)
    assert all(sum(len(h.passage.text) for h in row.cell.context) <= 4000 for row in rows)
