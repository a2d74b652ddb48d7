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

from msgspec.structs import replace

from methodlens.engine.budget import Budget
from methodlens.engine.engines import Engine, PaperLost
from methodlens.engine.execute import Task, ask, unreadable_result
from methodlens.engine.plan import Plan
from methodlens.engine.totals import Summary, Totals
from methodlens.errors import ReaderAbandoned
from methodlens.ledger.calls import Call, Outcome, end_call, open_call
from methodlens.ledger.claims import Claims
from methodlens.ledger.packing import decompress
from methodlens.ledger.paper_results import CellRecord, PaperResult, unpack_hits
from methodlens.ledger.repeats import original_name
from methodlens.ledger.store import Ledger, now
from methodlens.papers import FetchError, PaperFile, local_copy, sha256_of
from methodlens.papers.remote_files import is_url
from methodlens.records import Paper, PaperStatus, Question, Status
from methodlens.seams import Reader, close_reader

_SIGNAL_S = 0.5

Watch = Callable[[int, int], None]
"""Called with the papers read and the cells done so far."""


def run(
    plan: Plan,
    engine: Engine,
    ledger: Ledger,
    *,
    budget: Budget | None = None,
    watch: Watch = lambda _papers, _cells: None,
    notify: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Do the plan. Every result is stored as it comes, then `watch` is called.

    Ctrl-C: nothing new is started and calls in progress are finished; a second Ctrl-C abandons them.
    """
    return _Driver(plan, engine, ledger, budget or Budget(), watch).run(notify)


class _Driver:
    def __init__(self, plan: Plan, engine: Engine, ledger: Ledger, budget: Budget, watch: Watch) -> None:
        self._plan, self._engine, self._ledger, self._budget, self._watch = plan, engine, ledger, budget, watch
        self._readers = {reader.info.name: reader for reader in plan.readers}
        self._questions = {question.id: question for question in plan.questions}
        self._claims: Claims[PaperFile] | None = None
        self._finishing = threading.Event()
        self._writing = threading.Lock()
        self._next = threading.Lock()
        self._lane_lock = threading.Lock()
        self._failure: BaseException | None = None
        self._lanes: dict[str, ThreadPoolExecutor] = {}
        self._totals = Totals()
        self._left = 0

    def run(self, notify: Callable[[str], None]) -> Summary:
        started = time.monotonic()
        self._budget.check(self._plan.readers)
        lost = self._ledger.mark_interrupted_calls()
        self._ledger.begin(self._plan.run, self._plan.names)
        self._claims = self._ledger.claims(self._plan.run.id)
        papers: Iterable[PaperFile] = self._plan.papers
        if self._claims:
            papers = self._claims.papers(papers, stopping=self._finishing.is_set)
        with self._claims.at_work() if self._claims else contextlib.nullcontext(), self._finish_on_ctrl_c(notify):
            self._do_all(iter(papers))
        if self._claims:  # of drivers that died during this run
            lost += self._ledger.mark_interrupted_calls()
        if not self._left:
            self._ledger.end(self._plan.run.id)
        return self._totals.summary(
            seconds=time.monotonic() - started,
            left=self._left,
            stopped=self._budget.exhausted if self._left else "",
            lost=lost,
            elsewhere=self._claims.elsewhere if self._claims else 0,
        )

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
            for lane in self._lanes.values():  # complete now: only those threads create lanes
                lane.shutdown(wait=True, cancel_futures=True)
        if self._failure:
            raise self._failure

    def _take_papers(self, papers: Iterator[PaperFile]) -> None:
        """A thread takes a file when it is free, so what is in progress is bounded, however many papers there are."""
        try:
            while not self._finishing.is_set():
                with self._next:
                    file = next(papers, None)
                if file is None:
                    return
                self._do(file)
        except BaseException as err:
            self._fail(err)

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
        calls = self._ask_due(task, result)
        wait(calls)
        if self._claims:
            whole = not self._finishing.is_set() and all(not call.cancelled() and call.result() for call in calls)
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
        calls = [_call_of(record, run, result.entry.name) for record in result.answered if _was_asked(record)]
        with self._writing:
            self._ledger.keep_result(run, result, calls)
            self._totals.add(result)
            self._report_progress()

    def _report_progress(self) -> None:
        self._watch(self._totals.papers.total(), self._totals.cells.total())

    # --- readers that only the driver can ask -----------------------------------------------------------------------

    def _ask_due(self, task: Task, result: PaperResult) -> "list[Future[bool]]":
        if not result.due:
            return []
        if result.text is not None:
            paper = decompress(result.text, Paper)
        else:
            paper = task.known.paper() if task.known else Paper(result.entry.sha256, result.parser)
        return [self._lane(due.reader).submit(self._ask, due, result.entry.name, paper) for due in result.due]

    def _lane(self, name: str) -> ThreadPoolExecutor:
        """Repeats share the lane of their reader."""
        first = original_name(name) if original_name(name) in self._readers else name
        with self._lane_lock:
            if first not in self._lanes:
                concurrency = max(1, self._readers[first].info.concurrency)
                self._lanes[first] = ThreadPoolExecutor(concurrency, thread_name_prefix=first)
            return self._lanes[first]

    def _ask(self, due: CellRecord, name: str, paper: Paper) -> bool:
        """Whether the cell is done. A reader that cannot be used stops the run."""
        try:
            return self._call(due, name, paper, self._questions[due.question], self._readers[due.reader])
        except BaseException as err:
            self._fail(err)
            return False

    def _call(self, due: CellRecord, name: str, paper: Paper, question: Question, reader: Reader) -> bool:
        run = self._plan.run.id
        if cell := self._ledger.cell(due.key, paper):  # the paper was answered under another name
            with self._writing:
                self._ledger.link_cell(run, name, cell)
                self._totals.add_cell(cell.verdict, known=True)
                self._report_progress()
            return True
        if self._finishing.is_set() or self._budget.exhausted:
            with self._writing:
                self._left += 1
            return False
        call = open_call(run=run, paper=name, question=due.question, reader=due.reader, cell_key=due.key, at=now())
        with self._writing:
            self._ledger.keep_call(call)
        hits, shown = unpack_hits(due.passages, paper)
        try:
            cell = ask(paper, question, reader, hits, shown=shown)
        except BaseException as err:
            outcome = Outcome.ABANDONED if isinstance(err, ReaderAbandoned) else Outcome.FAILED
            with self._writing:
                self._left += 1
                self._ledger.keep_call(replace(call, outcome=outcome, ended_at=now()))
            if outcome is Outcome.FAILED:  # the reader refuses: other calls would fail too
                raise
            return False
        self._budget.spend(cell.answer.usage)
        end = end_call(call, cell.verdict.status, cell.answer.usage, seconds=cell.seconds, at=now())
        with self._writing:
            self._ledger.keep_cell(run, name, cell, end)
            self._totals.add_cell(cell.verdict, known=False)
            self._report_progress()
        return True

    # --- stopping ---------------------------------------------------------------------------------------------------

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self._finishing.set()

    def _abandon(self) -> None:
        self._finishing.set()
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
                self._finishing.set()
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
