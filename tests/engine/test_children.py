"""Whole papers done in children of the driver: the same cells, on all cores; what becomes of a child costs a paper at most."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchmarks.processes import Process, all_processes, below
from benchmarks.synthetic import fill
from methodlens.engine import driver
from methodlens.engine.children import ChildHands, worth_it
from methodlens.engine.engine import LocalEngine
from methodlens.engine.execute import Stages
from methodlens.engine.jobs import job_of
from methodlens.engine.messages import Task, decode, encode, reply
from methodlens.engine.plan import Plan
from methodlens.engine.remote import PaperLost, ParcelEngine
from methodlens.errors import EngineError
from methodlens.fakes import FakeReader
from methodlens.ledger import rows as board
from methodlens.ledger.ledger import Ledger
from methodlens.papers import PaperFile, WorkerPool
from methodlens.readers import create
from methodlens.records import PaperStatus, Status
from methodlens.retrieval import create as create_retriever
from methodlens.settings import ChatServer, EmbeddingServer, RetrievalSettings, Settings
from tests.conftest import EXAMPLES
from tests.engine.test_engine import SETTINGS, planned, rows
from tests.waiting import PATIENCE_S, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes by way of /proc")
GOOD, OTHER = (EXAMPLES / "papers" / name for name in ("rented-cpu.pdf", "silent-on-hardware.pdf"))


@pytest.fixture(scope="module")
def hands() -> Iterator[ChildHands]:
    """One child, whose PDFs are read in a child of its own; it is started while a key is about."""
    with pytest.MonkeyPatch.context() as patch, ChildHands(job_of(planned(2), SETTINGS), size=1) as one:
        patch.setenv("OPENAI_API_KEY", "canary")
        yield one


def engine(todo: Plan, ledger: Ledger, hands: ChildHands) -> ParcelEngine:
    return ParcelEngine(hands, job_of(todo, SETTINGS), ledger=ledger, readers=todo.readers, sidecars=todo.sidecars)


def task(path: Path) -> bytes:
    return encode(Task(str(path), path.name))


def done(message: bytes | None) -> PaperStatus:
    assert message is not None
    return reply(message).entry.status


def workers(of: int) -> list[Process]:
    return [one for one in below([of], all_processes()) if "methodlens.engine.worker_main" in one.name]


def test_children_give_the_same_rows_as_this_process_and_nothing_known_is_done_again(tmp_path: Path, pool: WorkerPool) -> None:
    todo = planned()
    retriever = create_retriever(SETTINGS.retrieval, {})
    stages = Stages(pool, retriever, todo.readers, todo.run.questions, SETTINGS.retrieval, todo.sidecars)
    with (
        Ledger.at(tmp_path / "here", create=True) as here,
        Ledger.at(tmp_path / "there", create=True) as there,
        ChildHands(job_of(todo, SETTINGS), size=2) as hands,
    ):
        one = driver.run(todo, LocalEngine(stages, here, at_once=1), here)
        two = driver.run(todo, engine(todo, there, hands), there)
        assert (one.papers, one.cells, one.asked) == (two.papers, two.cells, two.asked)
        assert rows(here) == rows(there)
        again = driver.run(todo, engine(todo, there, hands), there)
        assert (again.asked, again.kept) == (0, two.asked)
        assert rows(here) == rows(there)
        renamed = todo.only([PaperFile(paper.location, f"other-{paper.name}") for paper in todo.papers])
        third = driver.run(renamed, engine(todo, there, hands), there)
        assert (third.asked, third.kept) == (0, two.asked)


def test_a_child_holds_no_keys_and_does_its_mathematics_in_one_thread(hands: ChildHands) -> None:
    assert done(hands.do(task(GOOD))) is PaperStatus.OK
    for child in below([os.getpid()], all_processes()):
        if "-m methodlens" in child.name and "worker" in child.name:
            environ = Path(f"/proc/{child.pid}/environ").read_text()
            assert "canary" not in environ
            assert "OPENBLAS_NUM_THREADS=1" in environ
    assert workers(os.getpid())


class Deadly:
    """Hands whose child is killed from outside each time it takes one certain paper: when it has begun to read it."""

    fetch = True

    def __init__(self, hands: ChildHands, name: str) -> None:
        self._hands, self._name = hands, name
        self.at_once, self.kills = hands.at_once, 0

    def do(self, message: bytes) -> bytes | None:
        if decode(message, Task).name != self._name:
            return self._hands.do(message)
        with self._killing():
            return self._hands.do(message)

    def abandon(self) -> None:
        self._hands.abandon()

    @contextmanager
    def _killing(self) -> Iterator[None]:
        """A child that has a child of its own has begun to read."""
        over = threading.Event()

        def kill() -> None:
            while not over.wait(0.005):
                seen = all_processes()
                for one in below([os.getpid()], seen):
                    if "methodlens.engine.worker_main" in one.name and below([one.pid], seen):
                        os.kill(one.pid, signal.SIGKILL)
                        self.kills += 1
                        wait_until(partial(_is_childless, one.pid))

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def _is_childless(pid: int) -> bool:
    return not below([pid], all_processes())


@pytest.mark.long
def test_a_paper_that_kills_every_child_is_crashed_and_costs_no_other_paper(tmp_path: Path, hands: ChildHands) -> None:
    todo = planned(2)
    with Ledger.at(tmp_path, create=True) as ledger:
        deadly = Deadly(hands, GOOD.name)
        job = job_of(todo, SETTINGS)
        summary = driver.run(todo, ParcelEngine(deadly, job, ledger=ledger, readers=todo.readers), ledger)
        cells = {row.paper.name: row.cell for row in board.rows(ledger, board.latest(ledger))}
        mended = driver.run(todo, engine(todo, ledger, hands), ledger)
    assert deadly.kills >= 3
    assert summary.papers[PaperStatus.CRASHED] == 1
    assert summary.papers[PaperStatus.OK] == 3
    assert cells[GOOD.name].verdict.status is Status.UNREADABLE
    assert "died 3 times" in cells[GOOD.name].verdict.reason
    assert (mended.papers[PaperStatus.OK], mended.asked) == (4, 2)


def test_a_child_killed_once_costs_nothing(hands: ChildHands) -> None:
    assert done(hands.do(task(GOOD))) is PaperStatus.OK
    for one in workers(os.getpid()):
        os.kill(one.pid, signal.SIGKILL)
    assert done(hands.do(task(OTHER))) is PaperStatus.OK


def test_a_child_that_hangs_past_a_generous_deadline_is_a_timeout_and_is_replaced(hands: ChildHands) -> None:
    assert hands._deadline_s > 1500
    assert done(hands.do(task(GOOD))) is PaperStatus.OK
    generous, hands._deadline_s = hands._deadline_s, 0.3
    for one in workers(os.getpid()):
        os.kill(one.pid, signal.SIGSTOP)
    with pytest.raises(PaperLost, match="took over") as lost:
        hands.do(task(GOOD))
    assert lost.value.status is PaperStatus.TIMEOUT
    hands._deadline_s = generous
    assert done(hands.do(task(OTHER))) is PaperStatus.OK


def test_a_child_that_cannot_be_started_stops_the_run_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_of(planned(1), SETTINGS)
    with ChildHands(replace(job, version="0.0.1"), size=1) as hands, pytest.raises(EngineError, match=r"0\.0\.1"):
        hands.do(task(GOOD))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with ChildHands(job, size=1) as hands, pytest.raises(EngineError, match="--workers 1"):
        hands.do(task(GOOD))


def test_papers_by_url_are_fetched_by_the_driver_and_what_cannot_be_had_is_crashed(tmp_path: Path, hands: ChildHands) -> None:
    if find_spec("fsspec") is None:
        pytest.skip("fsspec is not installed")
    todo = planned(2)
    here, gone = (PaperFile(f"file://{path}", path.name) for path in (GOOD, tmp_path / "gone.pdf"))
    with Ledger.at(tmp_path / "out", create=True) as ledger:
        summary = driver.run(todo.only([here, gone]), engine(todo, ledger, hands), ledger)
    assert summary.papers == {PaperStatus.OK: 1, PaperStatus.CRASHED: 1}


def test_children_are_for_several_workers_many_papers_and_readers_that_can_be_made_anew(tmp_path: Path) -> None:
    fill(tmp_path, 12)
    two = replace(SETTINGS, workers=2)
    many = planned().only([PaperFile(str(path), path.name) for path in tmp_path.rglob("*.pdf")])
    chat = replace(two, readers={"fern": ChatServer(base_url="http://127.0.0.1:1/v1", model="fern")})
    remote = create("chat:fern", chat, {})
    embeddings = RetrievalSettings(embeddings=EmbeddingServer("http://127.0.0.1:1/v1", "moss"))
    assert worth_it(many, two)
    assert worth_it(replace(many, readers=(*many.readers, remote)), chat)
    assert not worth_it(many, replace(two, workers=1))
    assert not worth_it(many.only(many.papers[:5]), two)
    assert not worth_it(replace(many, readers=(FakeReader({}),)), two)
    assert not worth_it(many, Settings(workers=2, retrieval=embeddings))


# --- the command, from outside ------------------------------------------------------------------------------------


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    fill(tmp_path / "papers", 30)
    (tmp_path / "questions.txt").write_text("Which hardware was the model trained on?\n")
    return tmp_path


@contextmanager
def running(corpus: Path) -> "Iterator[subprocess.Popen[str]]":
    """A run with two children that has read its first papers."""
    options = ["--questions", corpus / "questions.txt", "--set", "retrieval.ranking=lexical", "--workers", 2, "--no-pages"]
    command = [sys.executable, "-m", "methodlens.cli.app", "run", corpus / "papers", "--out", corpus / "out", *options]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        for line in process.stderr:
            if re.search(r"[1-9]\d*/30 papers read", line):
                break
        yield process
    finally:
        process.kill()
        process.communicate()


def is_alive(one: Process) -> bool:
    now = all_processes().get(one.pid)
    return now is not None and now.born == one.born and bool(now.name)  # a zombie has no name


@pytest.mark.long
def test_a_killed_driver_leaves_no_child_and_no_grandchild_behind(corpus: Path) -> None:
    with running(corpus) as process:
        wait_until(lambda: len(workers(process.pid)) == 2)
        family = below([process.pid], all_processes())
        process.kill()
        wait_until(lambda: not any(map(is_alive, family)))
    assert len(family) >= 2


def test_ctrl_c_waits_for_the_papers_under_way_and_a_second_one_for_nothing(corpus: Path) -> None:
    with running(corpus) as process:
        wait_until(lambda: len(workers(process.pid)) == 2)
        family = below([process.pid], all_processes())
        for one in family:
            os.kill(one.pid, signal.SIGSTOP)  # these papers will never be done
        process.send_signal(signal.SIGINT)
        assert process.stderr
        assert any("finishing what is under way" in line for line in process.stderr)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        for one in filter(is_alive, family):  # a reader of PDFs that is stopped leaves when it is woken: its parent is gone
            os.kill(one.pid, signal.SIGCONT)
        wait_until(lambda: not any(map(is_alive, family)))
