"""Whole papers in child processes: the same cells on all cores; a child that dies costs one paper at most."""

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
from methodlens.engine.children import ChildEngine, should_use_children
from methodlens.engine.engines import PaperLost
from methodlens.engine.execute import Task
from methodlens.engine.messages import job_of
from methodlens.errors import EngineError
from methodlens.fakes import FakeReader
from methodlens.ledger import run_rows
from methodlens.ledger.paper_results import PaperResult
from methodlens.ledger.store import Ledger
from methodlens.papers import PaperFile, WorkerPool
from methodlens.records import Answer, PaperStatus, Status
from methodlens.retrieval import create as create_retriever
from methodlens.settings import EmbeddingServer, RetrievalSettings, Settings
from tests.conftest import EXAMPLES
from tests.engine.local import local_engine
from tests.engine.test_engine import SETTINGS, planned, rows
from tests.waiting import PATIENCE_S, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
GOOD, OTHER = (EXAMPLES / "papers" / name for name in ("rented-cpu.pdf", "silent-on-hardware.pdf"))


@pytest.fixture(scope="module")
def children() -> Iterator[ChildEngine]:
    """One child, started while an API key is set."""
    with pytest.MonkeyPatch.context() as patch, ChildEngine(job_of(planned(2), SETTINGS), size=1) as engine:
        patch.setenv("OPENAI_API_KEY", "canary")
        yield engine


def status(engine: ChildEngine, path: Path) -> PaperStatus:
    result = engine.execute(Task(str(path), path.name))
    assert result is not None
    return result.entry.status


def workers(of: int) -> list[Process]:
    return [process for process in below([of], all_processes()) if "methodlens.engine.worker" in process.name]


def test_children_give_the_same_rows_as_this_process_and_repeat_nothing(tmp_path: Path, pool: WorkerPool) -> None:
    plan = planned()
    retriever = create_retriever(SETTINGS.retrieval, {})
    with (
        Ledger.at(tmp_path / "here", create=True) as here,
        Ledger.at(tmp_path / "there", create=True) as there,
        ChildEngine(job_of(plan, SETTINGS), size=2) as children,
    ):
        local = driver.run(plan, local_engine(plan, pool, retriever=retriever, retrieval=SETTINGS.retrieval), here)
        two = driver.run(plan, children, there)
        assert (local.papers, local.cells, local.asked) == (two.papers, two.cells, two.asked)
        assert rows(here) == rows(there)
        again = driver.run(plan, children, there)
        assert (again.asked, again.kept) == (0, two.asked)
        assert rows(here) == rows(there)
        renamed = plan.only([PaperFile(paper.location, f"other-{paper.name}") for paper in plan.papers])
        third = driver.run(renamed, children, there)
        assert (third.asked, third.kept) == (0, two.asked)


def test_a_child_has_no_api_keys_and_uses_one_thread_for_numerics(children: ChildEngine) -> None:
    assert status(children, GOOD) is PaperStatus.OK
    for child in below([os.getpid()], all_processes()):
        if "-m methodlens" in child.name and "worker" in child.name:
            environ = Path(f"/proc/{child.pid}/environ").read_text()
            assert "canary" not in environ
            assert "OPENBLAS_NUM_THREADS=1" in environ
    assert workers(os.getpid())


class Deadly:
    """An engine whose child is killed from outside whenever it has started to read a certain paper."""

    local_files = True

    def __init__(self, children: ChildEngine, name: str) -> None:
        self._children, self._name = children, name
        self.at_once, self.kills = children.at_once, 0

    def execute(self, task: Task) -> PaperResult | None:
        if task.name != self._name:
            return self._children.execute(task)
        with self._killing():
            return self._children.execute(task)

    def abandon(self) -> None:
        self._children.abandon()

    @contextmanager
    def _killing(self) -> Iterator[None]:
        """A child that has a PDF worker has started to read."""
        over = threading.Event()

        def kill() -> None:
            while not over.wait(0.005):
                seen = all_processes()
                for process in below([os.getpid()], seen):
                    if "methodlens.engine.worker" in process.name and below([process.pid], seen):
                        os.kill(process.pid, signal.SIGKILL)
                        self.kills += 1
                        wait_until(partial(_is_childless, process.pid))

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
def test_a_paper_that_kills_every_child_is_crashed_and_affects_no_other_paper(tmp_path: Path, children: ChildEngine) -> None:
    plan = planned(2)
    with Ledger.at(tmp_path, create=True) as ledger:
        deadly = Deadly(children, GOOD.name)
        summary = driver.run(plan, deadly, ledger)
        cells = {row.paper.name: row.cell for row in run_rows.rows(ledger, run_rows.latest(ledger))}
        mended = driver.run(plan, children, ledger)
    assert deadly.kills >= 3
    assert summary.papers[PaperStatus.CRASHED] == 1
    assert summary.papers[PaperStatus.OK] == 3
    assert cells[GOOD.name].verdict.status is Status.UNREADABLE
    assert "died 3 times" in cells[GOOD.name].verdict.reason
    assert (mended.papers[PaperStatus.OK], mended.asked) == (4, 2)


def test_a_child_killed_once_is_replaced_without_loss(children: ChildEngine) -> None:
    assert status(children, GOOD) is PaperStatus.OK
    for process in workers(os.getpid()):
        os.kill(process.pid, signal.SIGKILL)
    assert status(children, OTHER) is PaperStatus.OK


@pytest.mark.long
def test_a_child_that_hangs_is_a_timeout_and_is_replaced(children: ChildEngine) -> None:
    assert children._deadline_s > 1500
    assert status(children, GOOD) is PaperStatus.OK
    generous, children._deadline_s = children._deadline_s, 0.3
    for process in workers(os.getpid()):
        os.kill(process.pid, signal.SIGSTOP)
    with pytest.raises(PaperLost, match="took over") as lost:
        status(children, GOOD)
    assert lost.value.status is PaperStatus.TIMEOUT
    children._deadline_s = generous
    assert status(children, OTHER) is PaperStatus.OK


def test_a_child_that_cannot_be_started_stops_the_run_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_of(planned(1), SETTINGS)
    with ChildEngine(replace(job, version="0.0.1"), size=1) as children, pytest.raises(EngineError, match=r"0\.0\.1"):
        status(children, GOOD)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with ChildEngine(job, size=1) as children, pytest.raises(EngineError, match="--workers 1"):
        status(children, GOOD)


def test_papers_by_url_are_downloaded_by_the_driver_and_missing_ones_are_crashed(tmp_path: Path, children: ChildEngine) -> None:
    if find_spec("fsspec") is None:
        pytest.skip("fsspec is not installed")
    plan = planned(2)
    here, gone = (PaperFile(f"file://{path}", path.name) for path in (GOOD, tmp_path / "gone.pdf"))
    with Ledger.at(tmp_path / "out", create=True) as ledger:
        summary = driver.run(plan.only([here, gone]), children, ledger)
    assert summary.papers == {PaperStatus.OK: 1, PaperStatus.CRASHED: 1}


def test_children_are_used_for_several_workers_and_many_papers_but_not_with_an_embeddings_server() -> None:
    two = replace(SETTINGS, workers=2)
    embeddings = RetrievalSettings(embeddings=EmbeddingServer("http://127.0.0.1:1/v1", "moss"))
    assert should_use_children(12, two)
    assert not should_use_children(12, replace(two, workers=1))
    assert not should_use_children(5, two)
    assert not should_use_children(12, Settings(workers=2, retrieval=embeddings))


@pytest.mark.long
def test_reader_objects_of_this_process_are_asked_by_the_driver(tmp_path: Path) -> None:
    """Children cannot create it by name."""
    asking = FakeReader({question.id: Answer("No.", p_reported=0.0) for question in planned(2).questions}, "mine")
    both = planned(2)
    plan = replace(both, readers=(*both.readers, asking), run=replace(both.run, readers=("embedded", "mine")))
    with Ledger.at(tmp_path, create=True) as ledger, ChildEngine(job_of(plan, SETTINGS), size=1) as children:
        summary = driver.run(plan, children, ledger)
    assert (len(asking.asked), summary.asked) == (8, 16)


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


def is_alive(process: Process) -> bool:
    now = all_processes().get(process.pid)
    return now is not None and now.born == process.born and bool(now.name)  # a zombie has no name


@pytest.mark.long
def test_a_killed_driver_leaves_no_child_processes_behind(corpus: Path) -> None:
    with running(corpus) as process:
        wait_until(lambda: len(workers(process.pid)) == 2)
        family = below([process.pid], all_processes())
        process.kill()
        wait_until(lambda: not any(map(is_alive, family)))
    assert len(family) >= 2


@pytest.mark.long
def test_ctrl_c_waits_for_papers_in_progress_and_a_second_ctrl_c_does_not(corpus: Path) -> None:
    with running(corpus) as process:
        wait_until(lambda: len(workers(process.pid)) == 2)
        family = below([process.pid], all_processes())
        for child in family:
            os.kill(child.pid, signal.SIGSTOP)  # these papers will never be done
        process.send_signal(signal.SIGINT)
        assert process.stderr
        assert any("finishing the calls in progress" in line for line in process.stderr)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        for child in filter(is_alive, family):  # a stopped PDF worker exits when it is resumed: its parent is gone
            os.kill(child.pid, signal.SIGCONT)
        wait_until(lambda: not any(map(is_alive, family)))
