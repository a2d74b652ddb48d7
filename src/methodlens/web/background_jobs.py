"""Work that is asked for from the page: new papers and new questions, by the same pipeline as `run`, one after the other."""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Protocol

from msgspec.structs import replace

from methodlens.engine.add import Tools, grow, with_papers, with_question
from methodlens.engine.driver import Event, Summary
from methodlens.engine.execute import CellDone
from methodlens.errors import LedgerBusy
from methodlens.ledger.ledger import Ledger, Run
from methodlens.papers import PaperFile
from methodlens.records import Question
from methodlens.web.expected_errors import TROUBLE, explained
from methodlens.web.views import JobView

_PATIENCE_S = 0.5
_REMEMBERED = 50
ENDED = ("done", "stopped", "failed")


class Workshop(Protocol):
    """From the names of readers to what does the work, loaded for a job and let go of after it; from words to a question."""

    def tools(self, names: Sequence[str]) -> contextlib.AbstractContextManager[Tools]: ...
    def question(self, id: str, text: str) -> Question: ...


class Jobs:
    """A thread of its own that does one job at a time. `current` gives the run that a job adds to."""

    def __init__(self, ledger: Ledger, workshop: Workshop, current: Callable[[], Run]) -> None:
        self._ledger, self._workshop, self._current = ledger, workshop, current
        self._todo: queue.SimpleQueue[tuple[int, Callable[[int], Summary]] | None] = queue.SimpleQueue()
        self._views: dict[int, JobView] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
        self._thread.start()

    def views(self) -> tuple[JobView, ...]:
        with self._lock:
            return tuple(self._views.values())

    def add_papers(self, folder: Path, papers: Sequence[PaperFile]) -> JobView:
        def do(job: int) -> Summary:
            old = self._current()
            return self._grow(job, old, with_papers(self._ledger, old, folder, papers), papers)

        many = f"{len(papers)} papers" if len(papers) > 1 else papers[0].name
        return self._add(f"Read {many}", do)

    def ask(self, text: str) -> JobView:
        def do(job: int) -> Summary:
            old = self._current()
            return self._grow(job, old, with_question(old, self._workshop.question(self._free_id(), text)), None)

        return self._add(f"Ask: {text}", do)

    def close(self) -> None:
        """What is being done stops at its next cell; what it has done is kept."""
        self._stop.set()
        self._todo.put(None)
        self._thread.join(timeout=30)

    def _add(self, what: str, do: Callable[[int], Summary]) -> JobView:
        with self._lock:
            number = max(self._views, default=0) + 1
            job = self._views[number] = JobView(number, what, "waiting", 0, 0)
            for old in [key for key, one in self._views.items() if one.state in ENDED][:-_REMEMBERED]:
                del self._views[old]
        self._todo.put((number, do))
        return job

    def _work(self) -> None:
        while (item := self._todo.get()) is not None:
            job, do = item
            try:
                summary = do(job)
                self._tell(job, state="stopped" if summary.left else "done", message=_said(summary))
            except _Stopped:
                self._tell(job, state="failed", message="the room was closed; what was done is kept")
                return
            except TROUBLE as err:
                self._tell(job, state="failed", message=f"{explained(err)}. What was done is kept")
            except Exception as err:  # the thread must go on for the next job, and the page say what happened
                self._tell(job, state="failed", message=f"{type(err).__name__}: {err}")

    def _grow(self, job: int, old: Run, new: Run, papers: Sequence[PaperFile] | None) -> Summary:
        many = len(papers) * len(new.questions) if papers is not None else old.papers
        self._tell(job, total=many * len(new.readers))
        done = 0

        def watch(event: Event) -> None:
            nonlocal done
            if self._stop.is_set():
                raise _Stopped
            done += isinstance(event, CellDone)
            self._tell(job, done=done)

        with self._the_ledger(job), self._workshop.tools(old.readers) as tools:
            self._tell(job, state="running", message="")
            return grow(self._ledger, old, new, tools, papers=papers, watch=watch)

    @contextlib.contextmanager
    def _the_ledger(self, job: int) -> Iterator[None]:
        """One run writes at a time: wait until another process has done its own."""
        while True:
            try:
                lock = self._ledger.lock()
                break
            except LedgerBusy:
                self._tell(job, message="waiting for another run to end")
                if self._stop.wait(_PATIENCE_S):
                    raise _Stopped from None
        with lock:
            yield

    def _free_id(self) -> str:
        """QA, QB, ...: never one that stands for another question in this ledger, since people's words go by it.

        Letters, because in label files a bare number means the question of a set.
        """
        taken = {question.id.lower() for run in self._ledger.runs() for question in run.questions}
        letters = (one + two for one in ("", *ascii_uppercase) for two in ascii_uppercase)
        return next(name for name in (f"Q{ending}" for ending in letters) if name.lower() not in taken)

    def _tell(self, job: int, **changes: object) -> None:
        with self._lock:
            if job in self._views:
                self._views[job] = replace(self._views[job], **changes)


def _said(summary: Summary) -> str:
    done = f"{summary.asked} asked, {summary.kept} kept, {summary.seconds:.1f} s"
    if summary.elsewhere:
        done += f"; {summary.elsewhere} papers were done by another run on this ledger"
    if summary.left:
        done = f"{summary.stopped or 'stopped'}; {summary.left} cells are left for 'methodlens run' ({done})"
    return done


class _Stopped(Exception):
    pass
