"""The seam between the driver and whoever does the papers: bounded, idempotent, and the same cells from any engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.engine import driver
from methodlens.engine import messages as parcels
from methodlens.engine import worker as faraway
from methodlens.engine.engine import Engine, LocalEngine
from methodlens.engine.execute import Stages
from methodlens.engine.jobs import job_of
from methodlens.engine.messages import Job, Parcel, Task, encode, reply
from methodlens.engine.plan import Plan, plan
from methodlens.engine.remote import ParcelEngine
from methodlens.errors import EngineError
from methodlens.fakes import FakeEngine
from methodlens.ledger import rows as board
from methodlens.ledger.ledger import Ledger
from methodlens.papers import PaperFile, WorkerPool
from methodlens.questions import load
from methodlens.readers import create
from methodlens.records import PaperStatus, Row
from methodlens.retrieval import create as create_retriever
from methodlens.settings import ReadingSettings, RetrievalSettings, Settings
from tests.conftest import EXAMPLES

SETTINGS = Settings(reading=ReadingSettings(ocr="off"), retrieval=RetrievalSettings(ranking="lexical"))


class OneProcess:
    """Hands without a process of their own: bytes to a worker's function, bytes back; they remember each parcel."""

    at_once, fetch = 2, False

    def __init__(self, job: Job) -> None:
        self._job = encode(job)
        self.parcels: list[Parcel] = []

    def do(self, task: bytes) -> bytes:
        message = faraway.do(self._job, task)
        self.parcels.append(reply(message))
        return message

    def abandon(self) -> None:
        pass


def far_engine(todo: Plan, ledger: Ledger) -> tuple[ParcelEngine, OneProcess]:
    job = job_of(todo, SETTINGS)
    hands = OneProcess(job)
    return ParcelEngine(hands, job, ledger=ledger, readers=todo.readers, sidecars=todo.sidecars), hands


def planned(questions: int = 6) -> Plan:
    asked = load("dl-methods")
    asked = replace(asked, questions=asked.questions[:questions])
    return plan([EXAMPLES / "papers"], asked, [create("embedded", SETTINGS, {})])


def rows(ledger: Ledger) -> list[Row]:
    """Without what may differ: how long it took."""
    return [replace(row, cell=replace(row.cell, seconds=0.0)) for row in board.rows(ledger, board.latest(ledger))]


def test_no_more_papers_are_under_way_than_the_engine_takes_and_each_is_done_once(tmp_path: Path) -> None:
    todo = planned(1)
    many = todo.only([PaperFile(f"/nowhere/{number}.pdf", f"{number}.pdf") for number in range(50)])
    engine = FakeEngine(at_once=3)
    taken: list[int] = []

    def files() -> Iterator[PaperFile]:
        for number, file in enumerate(many.papers):
            taken.append(number - done)
            yield file

    done = 0

    def count(_: object) -> None:
        nonlocal done
        done += 1

    with Ledger.at(tmp_path, create=True) as ledger:
        lazy = replace(many, papers=files())
        summary = driver.run(lazy, engine, ledger, watch=count)
    assert summary.papers == {PaperStatus.MALFORMED: 50}
    assert engine.most <= 3
    assert max(taken) <= 3 + 64 + 1  # in hand, and waiting for the ledger: not the whole corpus


def test_a_workers_parcels_give_the_same_rows_as_this_machine_and_nothing_known_is_done_again(
    tmp_path: Path, pool: WorkerPool
) -> None:
    todo = planned()
    retriever = create_retriever(SETTINGS.retrieval, {})
    stages = Stages(pool, retriever, todo.readers, todo.run.questions, SETTINGS.retrieval, todo.sidecars)
    with Ledger.at(tmp_path / "here", create=True) as here, Ledger.at(tmp_path / "there", create=True) as there:
        near: Engine = LocalEngine(stages, here, at_once=1)
        one = driver.run(todo, near, here)
        far, hands = far_engine(todo, there)
        two = driver.run(todo, far, there)
        assert (one.papers, one.cells, one.asked) == (two.papers, two.cells, two.asked)
        hands.parcels.clear()
        third = driver.run(todo, far, there)
        assert (third.asked, third.kept) == (0, two.asked)
        readable = [parcel for parcel in hands.parcels if parcel.entry.status is PaperStatus.OK]
        assert all(parcel.body is None and not parcel.cells for parcel in readable)
        assert third.cells == two.cells
        assert rows(here) == rows(there)
        assert len(list(there.calls())) == len(list(here.calls())) == one.asked


def test_a_changed_file_of_a_known_name_is_read_anew(tmp_path: Path) -> None:
    todo = planned(1)
    with Ledger.at(tmp_path, create=True) as ledger:
        engine, hands = far_engine(todo, ledger)
        driver.run(todo, engine, ledger)
        first, second = (paper for paper in todo.papers if paper.name in ("rented-cpu.pdf", "silent-on-hardware.pdf"))
        swapped = todo.only([PaperFile(second.location, first.name)])
        hands.parcels.clear()
        assert driver.run(swapped, engine, ledger).asked == 1
    (parcel,) = hands.parcels
    assert parcel.body is not None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"version": "0.0.1"}, "0.0.1"),
        ({"parser": "pdfium-9"}, "pdfium-9"),
        ({"own": (("embedded", "other"),)}, "a reader embedded"),
    ],
)
def test_a_worker_that_is_not_like_the_driver_refuses_and_says_in_what(change: dict[str, object], named: str) -> None:
    todo = planned(1)
    job = replace(job_of(todo, SETTINGS), **change)
    with pytest.raises(EngineError, match=named) as refused:
        reply(faraway.do(encode(job), encode(Task(todo.papers[0].location, "a.pdf"))))
    assert "install the same methodlens" in refused.value.fix


def test_what_is_no_job_and_what_is_no_parcel_is_an_error_of_one_line() -> None:
    with pytest.raises(EngineError, match="does not know this job"):
        reply(faraway.do(b"nonsense", b""))
    with pytest.raises(EngineError, match="something else than a paper"):
        reply(b"\x80nonsense")


def test_no_worker_is_told_of_models_or_of_the_ledger() -> None:
    settings = replace(SETTINGS, ledger="postgresql+psycopg://ann:canary@db/x")
    assert b"canary" not in parcels.encode(job_of(planned(1), settings))
