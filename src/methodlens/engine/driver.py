"""The driver: hands papers to an engine, asks remote readers, and is the only part that writes the ledger.

Each thread takes one paper after another, and each remote reader has a thread pool, its lane. Results are written at once,
by one thread at a time. A call is recorded before it is made, so a kill loses at most the calls in progress.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from types import FrameType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from methodlens.engine.budget import Budget
from methodlens.engine.code_reading import keep_code, read_code
from methodlens.engine.engines import Engine, PaperLost
from methodlens.engine.execute import CompositeReader, Task, unreadable_result
from methodlens.engine.lanes import Lanes
from methodlens.engine.page_pictures import PaperPictures
from methodlens.engine.plan import Plan
from methodlens.engine.run_state import RunState, Watch, unwatched
from methodlens.engine.totals import Summary
from methodlens.ledger.calls import Call, end_call, open_call
from methodlens.ledger.claims import Claims
from methodlens.ledger.packing import decompress
from methodlens.ledger.paper_results import CellRecord, PaperResult
from methodlens.ledger.store import Ledger, now
from methodlens.papers import FetchError, PaperFile, local_copy, sha256_of
from methodlens.papers.remote_files import is_url
from methodlens.records import Paper, PaperEntry, PaperStatus, Status
from methodlens.seams import close_reader

if TYPE_CHECKING:
    from methodlens.engine.batches import Batches

_SIGNAL_S = 0.5


def run(
    plan: Plan,
    engine: Engine,
    ledger: Ledger,
    *,
    budget: Budget | None = None,
    watch: Watch = unwatched,
    notify: Callable[[str], None] = lambda _: None,
    wait_for_batches: bool = True,
    pictures: PaperPictures | None = None,
) -> Summary:
    """Do the plan. Every result is stored as it comes, then `watch` is called. `pictures` are told where each paper is.

    Ctrl-C: nothing new is started and calls in progress are finished; a second Ctrl-C abandons them.
    """
    doing = _Driver(plan, engine, ledger, budget or Budget(), watch, pictures=pictures)
    return doing.run(notify, wait_for_batches=wait_for_batches)


class _Driver:
    def __init__(
        self,
        plan: Plan,
        engine: Engine,
        ledger: Ledger,
        budget: Budget,
        watch: Watch,
        *,
        pictures: PaperPictures | None = None,
    ) -> None:
        self._plan, self._engine, self._ledger, self._budget = plan, engine, ledger, budget
        self._readers = {reader.info.name: reader for reader in plan.readers}
        self._questions = {question.id: question for question in plan.questions}
        self._state = RunState(budget, watch)
        self._lanes = Lanes(plan.run.id, self._readers, self._questions, ledger, self._state)
        self._claims: Claims[PaperFile] | None = None
        self._next = threading.Lock()
        self._pictures = pictures

    def run(self, notify: Callable[[str], None], *, wait_for_batches: bool) -> Summary:
        started, state = time.monotonic(), self._state
        self._budget.check(self._plan.readers)
        lost = self._ledger.mark_interrupted_calls()
        self._ledger.begin(self._plan.run, self._plan.names)
        if any(reader.info.batched for reader in self._plan.readers):
            self._lanes.batches = self._resume_batches(notify)
        batches = self._lanes.batches
        self._claims = self._ledger.claims(self._plan.run.id)
        papers: Iterable[PaperFile] = self._plan.papers
        if self._claims:
            papers = self._claims.papers(papers, stopping=self._state.finishing.is_set)
        with self._claims.at_work() if self._claims else contextlib.nullcontext(), self._finish_on_ctrl_c(notify):
            self._do_all(iter(papers))
            if batches:
                batches.finish(wait=wait_for_batches)
        pending = batches.pending if batches else 0
        state.left += batches.left if batches else 0
        if self._claims:  # of drivers that died during this run
            lost += self._ledger.mark_interrupted_calls()
        if not state.left and not pending:
            self._ledger.end(self._plan.run.id)
        return state.totals.summary(
            seconds=time.monotonic() - started,
            left=state.left,
            stopped=self._budget.exhausted if state.left else "",
            lost=lost,
            pending=pending,
            elsewhere=self._claims.elsewhere if self._claims else 0,
        )

    def _resume_batches(self, notify: Callable[[str], None]) -> "Batches":
        from methodlens.engine.batches import Batches, Hooks, batched_readers  # most runs need neither it nor the chat reader

        hooks = Hooks(self._state.writing, self._state.finishing, lambda cell: self._state.count(cell.verdict), notify)
        readers = batched_readers(self._readers)
        batches = Batches(self._plan.run.id, readers, self._questions, self._ledger, self._budget, hooks)
        batches.resume()
        return batches

    # --- papers -----------------------------------------------------------------------------------------------------

    def _do_all(self, papers: Iterator[PaperFile]) -> None:
        """After the first error nothing new is started; it is raised when all threads have ended."""
        at_once = max(1, self._engine.at_once)
        threads = ThreadPoolExecutor(at_once, thread_name_prefix="paper")
        try:
            pending = {threads.submit(self._take_papers, papers) for _ in range(at_once)}
            while pending:  # with a timeout: on Windows, signals are not handled during a wait without one
                _, pending = wait(pending, timeout=_SIGNAL_S)
        except BaseException:
            self._abandon()
            raise
        finally:
            threads.shutdown(wait=True, cancel_futures=True)
            self._lanes.close()  # after the threads that submit to them
        if self._state.failure:
            raise self._state.failure

    def _take_papers(self, papers: Iterator[PaperFile]) -> None:
        """A thread takes a file when it is free, so what is in progress is bounded, however many papers there are."""
        try:
            while not self._state.finishing.is_set():
                with self._next:
                    file = next(papers, None)
                if file is None:
                    return
                self._do(file)
        except BaseException as err:
            self._state.fail(err)

    def _do(self, file: PaperFile) -> None:
        task = Task(file.location, file.name)
        try:
            with self._local_task(file) as task:
                result = self._engine.execute(task)
        except FetchError as err:
            result = self._lost(task, PaperStatus.CRASHED, str(err))
        except PaperLost as err:
            result = self._lost(task, err.status, str(err))
        if result is None:
            return
        self._keep_result(result)
        self._read_code(self._plan.describe(result.entry))
        calls = self._ask_due(task, result)
        wait(calls)
        if self._claims:
            whole = not self._state.finishing.is_set() and all(not call.cancelled() and call.result() for call in calls)
            self._claims.finish(file, whole=whole)

    @contextlib.contextmanager
    def _local_task(self, file: PaperFile) -> Iterator[Task]:
        """The task. If the engine needs local files, a remote file is on disk inside the context."""
        if not file.location or not self._engine.local_files:
            location = file.location if not file.location or is_url(file.location) else os.path.abspath(file.location)
            yield Task(location, file.name, known=self._ledger.known_by_name(file.name, self._plan.parser, run=self._plan.run.id))
        else:
            with local_copy(file, max_mb=self._plan.max_file_mb) as path:
                sha256 = sha256_of(path)
                known = self._ledger.known(sha256, self._plan.parser) if sha256 else None
                yield Task(os.path.abspath(path), file.name, sha256, known)

    def _lost(self, task: Task, status: PaperStatus, reason: str) -> PaperResult:
        readers = [reader.info for reader in self._plan.readers]
        return unreadable_result(task, self._plan.parser, status, reason, self._plan.questions, readers)

    def _keep_result(self, result: PaperResult) -> None:
        run = self._plan.run.id
        result = replace(result, entry=self._plan.describe(result.entry))
        composed = {name for name, reader in self._readers.items() if isinstance(reader, CompositeReader)}
        asked = [record for record in result.answered if _was_asked(record) and record.reader not in composed]
        calls = [_call_of(record, run, result.entry.name) for record in asked]
        with self._state.writing:
            self._ledger.keep_result(run, result, calls)
            self._state.totals.add(result)
            self._state.report()

    def _read_code(self, entry: PaperEntry) -> None:
        """Here and not in a worker: repositories are few, and each is read in a child process of its own."""
        if self._plan.code is None:
            return
        source = self._plan.code.get(entry.name)
        code = read_code(source, entry, self._ledger, limits=self._plan.code_limits) if source else None
        with self._state.writing:
            keep_code(self._ledger, self._plan.run.id, entry.name, code)
            self._state.totals.add_code(code)

    def _ask_due(self, task: Task, result: PaperResult) -> "list[Future[bool]]":
        if not result.due:
            return []
        if self._pictures:
            self._pictures.add(result.entry.sha256, task.location)
        if result.text is not None:
            paper = decompress(result.text, Paper)
        else:
            paper = task.known.paper() if task.known else Paper(result.entry.sha256, result.parser)
        return self._lanes.submit(result.entry.name, paper, result.due)

    # --- stopping ---------------------------------------------------------------------------------------------------

    def _abandon(self) -> None:
        self._state.finishing.set()
        self._engine.abandon()
        self._close_readers()

    def _close_readers(self) -> None:
        for reader in self._plan.readers:
            if reader.info.remote:
                close_reader(reader)

    @contextlib.contextmanager
    def _finish_on_ctrl_c(self, notify: Callable[[str], None]) -> Iterator[None]:
        """The signal is only recorded, because an exception could arrive in the middle of a write."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        pressed = 0

        def note(_signal: int, _frame: FrameType | None) -> None:
            nonlocal pressed
            pressed += 1
            if pressed == 1:
                self._state.finishing.set()
                # in another thread: the signal may have arrived during a print, which is not reentrant
                message = "finishing the calls in progress; press Ctrl-C again to abandon them"
                threading.Thread(target=notify, args=(message,)).start()
            else:
                threading.Thread(target=self._abandon).start()

        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
        if pressed:
            raise KeyboardInterrupt


def _was_asked(record: CellRecord) -> bool:
    return record.verdict is not None and record.verdict.status is not Status.UNREADABLE


def _call_of(record: CellRecord, run: str, paper: str) -> Call:
    """Calls of local readers are recorded when they have ended: they cost nothing to repeat."""
    at = now()
    call = open_call(run=run, paper=paper, question=record.question, reader=record.reader, cell_key=record.key, at=at)
    return end_call(call, record.verdict.status if record.verdict else Status.FAILED, record.usage, seconds=record.seconds, at=at)
