"""The driver with its engines: work is bounded and repeatable, and every engine gives the same cells."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from methodlens.engine import driver, worker
from methodlens.engine.execute import Task
from methodlens.engine.messages import Job, decode_result, encode, encode_task, job_of
from methodlens.engine.plan import Plan, Request, make_plan
from methodlens.errors import EngineError, ReaderAbandoned
from methodlens.fakes import FakeEngine, FakeReader
from methodlens.ledger import run_rows
from methodlens.ledger.overview import progress
from methodlens.ledger.paper_results import PaperResult
from methodlens.ledger.store import Ledger
from methodlens.ledger.tables import ANSWERS
from methodlens.papers import PaperFile, WorkerPool, sha256_of
from methodlens.questions import load
from methodlens.readers import create
from methodlens.records import Answer, Hit, Paper, PaperStatus, Question, Row
from methodlens.retrieval import create as create_retriever
from methodlens.seams import Reader
from methodlens.settings import ReadingSettings, RetrievalSettings, Settings
from tests.conftest import EXAMPLES
from tests.engine.local import local_engine

SETTINGS = Settings(reading=ReadingSettings(ocr="off"), retrieval=RetrievalSettings(ranking="lexical"))


class BytesEngine:
    """An Engine that calls the worker's function in this process, with bytes, and keeps each result."""

    at_once, local_files = 2, False

    def __init__(self, job: Job) -> None:
        self._job = encode(job)
        self.results: list[PaperResult] = []

    def execute(self, task: Task) -> PaperResult:
        result = decode_result(worker.do(self._job, encode_task(task)))
        self.results.append(result)
        return result

    def abandon(self) -> None:
        pass


def planned(questions: int = 6) -> Plan:
    asked = load("dl-methods")
    asked = replace(asked, questions=asked.questions[:questions])
    request = Request((str(EXAMPLES / "papers"),), asked, (create("embedded", SETTINGS, {}),))
    return make_plan(request, settings=SETTINGS, portable=["embedded"])


def rows(ledger: Ledger) -> list[Row]:
    """Without times, which differ."""
    return [replace(row, cell=replace(row.cell, seconds=0.0)) for row in run_rows.rows(ledger, run_rows.latest(ledger))]


def test_no_more_papers_are_in_progress_than_the_engine_allows_and_each_is_done_once(tmp_path: Path) -> None:
    plan = planned(1).only([PaperFile(f"/nowhere/{number}.pdf", f"{number}.pdf") for number in range(50)])
    engine = FakeEngine(at_once=3)
    counted: list[int] = []
    with Ledger.at(tmp_path, create=True) as ledger:
        summary = driver.run(plan, engine, ledger, watch=lambda papers, _cells: counted.append(papers))
    assert summary.papers == {PaperStatus.MALFORMED: 50}
    assert engine.most <= 3
    assert counted == list(range(1, 51))


def test_a_worker_gives_the_same_rows_as_this_process_and_repeats_nothing(tmp_path: Path, pool: WorkerPool) -> None:
    plan = planned()
    retriever = create_retriever(SETTINGS.retrieval, {})
    with Ledger.at(tmp_path / "here", create=True) as here, Ledger.at(tmp_path / "there", create=True) as there:
        one = driver.run(plan, local_engine(plan, pool, retriever=retriever, retrieval=SETTINGS.retrieval), here)
        engine = BytesEngine(job_of(plan, SETTINGS))
        two = driver.run(plan, engine, there)
        assert (one.papers, one.cells, one.asked) == (two.papers, two.cells, two.asked)
        engine.results.clear()
        third = driver.run(plan, engine, there)
        assert (third.asked, third.kept) == (0, two.asked)
        readable = [result for result in engine.results if result.entry.status is PaperStatus.OK]
        assert all(result.text is None and not result.answered for result in readable)
        assert third.cells == two.cells
        assert rows(here) == rows(there)
        assert len(list(there.calls())) == len(list(here.calls())) == one.asked


def test_a_changed_file_with_a_known_name_is_read_again(tmp_path: Path) -> None:
    plan = planned(1)
    with Ledger.at(tmp_path, create=True) as ledger:
        engine = BytesEngine(job_of(plan, SETTINGS))
        first, second = (paper for paper in plan.papers if paper.name in ("rented-cpu.pdf", "silent-on-hardware.pdf"))
        driver.run(plan.only([first]), engine, ledger)
        engine.results.clear()
        assert driver.run(plan.only([PaperFile(second.location, first.name)]), engine, ledger).asked == 1
    (result,) = engine.results
    assert result.text is not None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"version": "0.0.1"}, "0.0.1"),
        ({"parsers": "pdfium-9"}, "pdfium-9"),
        ({"facts": "walk_km@1"}, "walk_km@1"),
        ({"readers": (("embedded", "other"),)}, "a reader embedded"),
    ],
)
def test_a_worker_that_differs_from_the_driver_refuses_and_names_the_difference(change: dict[str, object], named: str) -> None:
    plan = planned(1)
    job = replace(job_of(plan, SETTINGS), **change)
    with pytest.raises(EngineError, match=named) as refused:
        decode_result(worker.do(encode(job), encode_task(Task(plan.papers[0].location, "a.pdf"))))
    assert "install the same methodlens" in refused.value.fix


def test_an_invalid_job_or_reply_is_an_error_of_one_line() -> None:
    with pytest.raises(EngineError, match="does not understand this job"):
        decode_result(worker.do(b"nonsense", b""))
    with pytest.raises(EngineError, match="invalid reply"):
        decode_result(b"\x80nonsense")


def test_no_worker_is_sent_the_ledger_url_or_tables_of_models() -> None:
    settings = replace(SETTINGS, ledger="postgresql+psycopg://ann:canary@db/x")
    assert b"canary" not in encode(job_of(planned(1), settings))


def test_an_abandoned_local_engine_asks_no_further_question(pool: WorkerPool) -> None:
    both = planned(3)

    class Interrupting(FakeReader):
        def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
            engine.abandon()
            return super().read(question, paper, context)

    reader = Interrupting({question.id: Answer("No.", p_reported=0.0) for question in both.questions})
    engine = local_engine(replace(both, readers=(reader,)), pool)
    assert engine.execute(Task(both.papers[0].location, "a.pdf")) is None
    assert len(reader.asked) == 1


def with_deferred(plan: Plan, reader: Reader) -> Plan:
    """The plan with one reader, an object of this process that only the driver can ask."""
    return replace(plan, readers=(reader,), run=replace(plan.run, readers=(reader.info.name,)))


def test_a_renamed_paper_is_linked_to_its_cell_which_stays_as_it_was_written(tmp_path: Path) -> None:
    reader = FakeReader({question.id: Answer("No.", p_reported=0.0) for question in planned(1).questions}, "mine")
    plan = with_deferred(planned(1), reader)
    (paper,) = (paper for paper in plan.papers if paper.name == "rented-cpu.pdf")
    with Ledger.at(tmp_path, create=True) as ledger:
        engine = BytesEngine(job_of(plan, SETTINGS))
        driver.run(plan.only([paper]), engine, ledger)
        (before,) = ledger.fetch(select(ANSWERS))
        again = driver.run(plan.only([PaperFile(paper.location, "renamed.pdf")]), engine, ledger)
        (after,) = ledger.fetch(select(ANSWERS))
    assert (again.asked, again.kept, len(reader.asked)) == (0, 1, 1)
    assert before == after


def test_abandoned_calls_are_left_and_the_run_is_not_complete(tmp_path: Path) -> None:
    class Closed(FakeReader):
        def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
            raise ReaderAbandoned("the connection is closed")

    plan = with_deferred(planned(2), Closed({}, "mine"))
    plan = plan.only([paper for paper in plan.papers if paper.name == "rented-cpu.pdf"])
    with Ledger.at(tmp_path, create=True) as ledger:
        summary = driver.run(plan, BytesEngine(job_of(plan, SETTINGS)), ledger)
        assert (summary.left, summary.asked) == (2, 0)
        assert not progress(ledger, plan.run).ended


def test_a_paper_whose_file_is_gone_is_the_one_that_this_run_knows_by_its_name(tmp_path: Path) -> None:
    plan = planned(1)
    with Ledger.at(tmp_path, create=True) as ledger:
        engine = BytesEngine(job_of(plan, SETTINGS))
        first, second = (paper for paper in plan.papers if paper.name in ("rented-cpu.pdf", "silent-on-hardware.pdf"))
        other = replace(plan, run=replace(plan.run, id="f" * 64))
        for run, paper in ((plan, first), (other, second)):  # two runs that know different papers by the same name
            driver.run(replace(run, names=("a.pdf",)).only([PaperFile(paper.location, "a.pdf")]), engine, ledger)
        known = [ledger.known_by_name("a.pdf", plan.parser, run=run.run.id) for run in (plan, other)]
    assert [paper.sha256 if paper else "" for paper in known] == [sha256_of(first.path), sha256_of(second.path)]
