"""The seam between the driver and the engines: bounded, idempotent, and the same cells from any engine."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.engine import driver, worker
from methodlens.engine.execute import Task
from methodlens.engine.messages import Job, decode_result, encode, job_of
from methodlens.engine.plan import Plan, Request, make_plan
from methodlens.errors import EngineError
from methodlens.fakes import FakeEngine
from methodlens.ledger import run_rows
from methodlens.ledger.paper_results import PaperResult
from methodlens.ledger.store import Ledger
from methodlens.papers import PaperFile, WorkerPool
from methodlens.questions import load
from methodlens.readers import create
from methodlens.records import PaperStatus, Row
from methodlens.retrieval import create as create_retriever
from methodlens.settings import ReadingSettings, RetrievalSettings, Settings
from tests.conftest import EXAMPLES
from tests.engine.local import local_engine

SETTINGS = Settings(reading=ReadingSettings(ocr="off"), retrieval=RetrievalSettings(ranking="lexical"))


class BytesEngine:
    """An Engine without a process of its own: bytes to a worker's function, bytes back. It remembers each result."""

    at_once, local_files = 2, False

    def __init__(self, job: Job) -> None:
        self._job = encode(job)
        self.results: list[PaperResult] = []

    def execute(self, task: Task) -> PaperResult:
        result = decode_result(worker.do(self._job, encode(task)))
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
    """Without what may differ: how long it took."""
    return [replace(row, cell=replace(row.cell, seconds=0.0)) for row in run_rows.rows(ledger, run_rows.latest(ledger))]


def test_no_more_papers_are_in_progress_than_the_engine_takes_and_each_is_done_once(tmp_path: Path) -> None:
    plan = planned(1).only([PaperFile(f"/nowhere/{number}.pdf", f"{number}.pdf") for number in range(50)])
    engine = FakeEngine(at_once=3)
    counted: list[int] = []
    with Ledger.at(tmp_path, create=True) as ledger:
        summary = driver.run(plan, engine, ledger, watch=lambda papers, _cells: counted.append(papers))
    assert summary.papers == {PaperStatus.MALFORMED: 50}
    assert engine.most <= 3
    assert counted == list(range(1, 51))


def test_a_worker_gives_the_same_rows_as_this_process_and_nothing_known_is_done_again(tmp_path: Path, pool: WorkerPool) -> None:
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


def test_a_changed_file_of_a_known_name_is_read_again(tmp_path: Path) -> None:
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
def test_a_worker_that_is_not_like_the_driver_refuses_and_says_in_what(change: dict[str, object], named: str) -> None:
    plan = planned(1)
    job = replace(job_of(plan, SETTINGS), **change)
    with pytest.raises(EngineError, match=named) as refused:
        decode_result(worker.do(encode(job), encode(Task(plan.papers[0].location, "a.pdf"))))
    assert "install the same methodlens" in refused.value.fix


def test_an_invalid_job_or_reply_is_an_error_of_one_line() -> None:
    with pytest.raises(EngineError, match="does not understand this job"):
        decode_result(worker.do(b"nonsense", b""))
    with pytest.raises(EngineError, match="invalid reply"):
        decode_result(b"\x80nonsense")


def test_no_worker_learns_of_models_or_of_the_ledger() -> None:
    settings = replace(SETTINGS, ledger="postgresql+psycopg://ann:canary@db/x")
    assert b"canary" not in encode(job_of(planned(1), settings))
