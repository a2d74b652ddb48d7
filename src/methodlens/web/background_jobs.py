"""Papers and questions added in the browser: background jobs, one at a time, through the same pipeline as `methodlens run`."""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase

from msgspec import Struct
from msgspec.structs import replace

from methodlens.engine.add import Addition, pair_addition, with_papers, with_question
from methodlens.engine.budget import Budget
from methodlens.engine.totals import Summary
from methodlens.errors import LedgerBusy
from methodlens.ledger.store import Ledger, Run
from methodlens.lens import Lens
from methodlens.papers import PaperFile
from methodlens.web.expected_errors import EXPECTED_ERRORS, error_message

_RETRY_S = 0.5
_ENDED_JOBS_LISTED = 50
ENDED = ("done", "stopped", "failed")


class JobView(Struct, frozen=True):
    """`state` is waiting, running, done, stopped (out of budget) or failed; `done` and `total` count cells."""

    id: int
    what: str
    state: str
    done: int
    total: int
    message: str = ""


MakeLens = Callable[[Sequence[str]], Lens]
"""A Lens with the readers of these names, for one job."""


class BackgroundJobs:
    """Runs jobs in a thread. `current` returns the run to add to, `budget` what each job may spend."""

    def __init__(self, ledger: Ledger, make_lens: MakeLens, current: Callable[[], Run], budget: Callable[[], Budget]) -> None:
        self._ledger, self._make_lens, self._current, self._budget = ledger, make_lens, current, budget
        self._todo: queue.SimpleQueue[tuple[int, Callable[[int], Summary]] | None] = queue.SimpleQueue()
        self._views: dict[int, JobView] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
        self._thread.start()

    def views(self) -> tuple[JobView, ...]:
        with self._lock:
            return tuple(self._views.values())

    def add_papers(self, folder: Path, files: Sequence[PaperFile]) -> JobView:
        def do(job: int) -> Summary:
            old = self._current()
            addition = pair_addition(self._ledger, old, folder, files)
            self._update(job, what=_name_papers(addition))
            return self._grow(job, old, with_papers(self._ledger, old, folder, files), addition)

        return self._submit(_name_papers(Addition(tuple(files), {})), do)

    def add_question(self, text: str) -> JobView:
        def do(job: int) -> Summary:
            old = self._current()
            return self._grow(job, old, with_question(old, self._make_lens(()).question(text, id=self._free_id())), None)

        return self._submit(f"Ask: {text}", do)

    def close(self) -> None:
        """Stop the current job at its next cell; answered cells are kept."""
        self._stop.set()
        self._todo.put(None)
        self._thread.join(timeout=30)

    def _submit(self, what: str, do: Callable[[int], Summary]) -> JobView:
        with self._lock:
            number = max(self._views, default=0) + 1
            view = self._views[number] = JobView(number, what, "waiting", 0, 0)
            for old in [key for key, job in self._views.items() if job.state in ENDED][:-_ENDED_JOBS_LISTED]:
                del self._views[old]
        self._todo.put((number, do))
        return view

    def _work(self) -> None:
        while (item := self._todo.get()) is not None:
            job, do = item
            try:
                summary = do(job)
                self._update(job, state="stopped" if summary.left else "done", message=_describe(summary))
            except _Stopped:
                self._update(job, state="failed", message="the review room was closed; answered cells are kept")
                return
            except EXPECTED_ERRORS as err:
                self._update(job, state="failed", message=f"{error_message(err)}. Answered cells are kept")
            except Exception as err:  # the thread must survive for the next job, and the page shows the error
                self._update(job, state="failed", message=f"{type(err).__name__}: {err}")

    def _grow(self, job: int, old: Run, new: Run, addition: Addition | None) -> Summary:
        cells = len(addition.papers) * len(new.questions) if addition else old.papers
        self._update(job, total=cells * len(new.readers))

        def watch(_papers: int, cells: int) -> None:
            if self._stop.is_set():
                raise _Stopped
            self._update(job, done=cells)

        with self._locked_ledger(job), self._make_lens(old.readers) as lens:
            self._update(job, state="running", message="")
            return lens.add(
                self._ledger,
                old,
                new,
                addition.papers if addition else None,
                supplements=addition.supplements if addition else None,
                budget=self._budget(),
                watch=watch,
            )

    @contextlib.contextmanager
    def _locked_ledger(self, job: int) -> Iterator[None]:
        """Waits while another process writes to the ledger."""
        while True:
            try:
                lock = self._ledger.lock()
                break
            except LedgerBusy:
                self._update(job, message="waiting for another run to end")
                if self._stop.wait(_RETRY_S):
                    raise _Stopped from None
        with lock:
            yield

    def _free_id(self) -> str:
        """QA, QB, ...: never an id that the ledger already uses for another question, because annotations refer to ids.

        Letters, because in label files a bare number is a question of a shipped set.
        """
        used = {question.id.lower() for run in self._ledger.runs() for question in run.questions}
        suffixes = (first + second for first in ("", *ascii_uppercase) for second in ascii_uppercase)
        return next(f"Q{suffix}" for suffix in suffixes if f"q{suffix.lower()}" not in used)

    def _update(self, job: int, **changes: object) -> None:
        with self._lock:
            if job in self._views:
                self._views[job] = replace(self._views[job], **changes)


def _name_papers(addition: Addition) -> str:
    """As a job. Supplements are matched by name, so the reviewer must be able to see it."""
    papers = [paper.name for paper in addition.papers]
    parts = [f"{len(papers)} papers" if len(papers) > 1 else papers[0]] if papers else []
    parts += [f"{each.file.name} as a supplement of {main}" for main, found in addition.supplements.items() for each in found]
    return f"Read {', '.join(parts)}"


def _describe(summary: Summary) -> str:
    counts = f"{summary.asked} asked, {summary.kept} kept, {summary.seconds:.1f} s"
    if summary.elsewhere:
        counts += f"; {summary.elsewhere} papers were processed by another run on this ledger"
    if summary.left:
        return f"{summary.stopped or 'stopped'}; {summary.left} cells are left for 'methodlens run' ({counts})"
    return counts


class _Stopped(Exception):
    pass
