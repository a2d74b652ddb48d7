"""The threads of a run: some have papers done by the engine, some call each remote reader. They hand in what they have;
they write nothing.

Whoever hands in a call or a cell waits until it is kept. So a kill loses at most the calls that are under way.
"""

import contextlib
import queue
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from msgspec.structs import replace

from methodlens.engine.budget import Budget
from methodlens.engine.engine import Engine, PaperDone
from methodlens.engine.execute import CellDone, CellDue, PaperRead
from methodlens.errors import ReaderAbandoned
from methodlens.ledger.calls import Call, Outcome, ended, opened
from methodlens.ledger.ledger import now
from methodlens.ledger.repeats import first_of
from methodlens.papers import PaperFile
from methodlens.seams import Reader, close_reader

_WAITING = 64  # deliveries that may wait for the ledger: more than that, and the readers wait


class CallNoted(NamedTuple):
    """A call begins, or has ended without a cell."""

    call: Call


class CellCalled(NamedTuple):
    """A cell, with the call that gave it."""

    done: CellDone
    call: Call


class PaperEnded(NamedTuple):
    """Nothing more comes of this paper; all that came before it is kept. `whole`: nothing of it is left to do."""

    file: PaperFile
    whole: bool


Event = PaperEnded | PaperRead | CellDone | PaperDone | CallNoted | CellCalled


class _Delivery(NamedTuple):
    what: Event | BaseException | None
    """None: a thread has no more papers to do."""
    kept: threading.Event


class Crew:
    """Iterate over `events()`; each is taken for kept when the next one is asked for."""

    def __init__(self, run: str, engine: Engine, readers: Sequence[Reader], budget: Budget) -> None:
        self._run, self._engine, self._budget = run, engine, budget
        self._inbox: queue.Queue[_Delivery] = queue.Queue(_WAITING)
        self._finishing = threading.Event()
        self._nobody_listens = threading.Event()
        self._left = 0
        self._count = threading.Lock()
        self._next = threading.Lock()
        self._remote = {reader.info.name: reader for reader in readers if reader.info.remote}
        self._lanes = {
            name: ThreadPoolExecutor(max(1, reader.info.concurrency), thread_name_prefix=name)
            for name, reader in self._remote.items()
            if name == first_of(name) or first_of(name) not in self._remote  # asked again is asked in the same lane
        }

    @property
    def left(self) -> int:
        """Cells that were due and not asked."""
        return self._left

    @property
    def finishing(self) -> bool:
        return self._finishing.is_set()

    def finish(self) -> None:
        """Begin nothing new; what is under way is finished."""
        self._finishing.set()

    def abandon(self) -> None:
        """... and wait for no reply either."""
        self.finish()
        self._engine.abandon()
        self._hang_up()

    def _hang_up(self) -> None:
        for reader in self._remote.values():
            close_reader(reader)

    def events(self, files: Iterable[PaperFile]) -> Generator[Event, None, None]:
        """As they come, from all papers. The first error stops everything new, and is raised when all has ended.

        A file is taken up when a thread is free for it: what is under way is bounded, however many papers there are.
        """
        at_once = max(1, self._engine.at_once)
        threads = ThreadPoolExecutor(at_once, thread_name_prefix="paper")
        failure: BaseException | None = None
        todo, left = iter(files), at_once
        try:
            for _ in range(at_once):
                threads.submit(self._take_papers, todo)
            while left:
                delivery = self._inbox.get()
                if delivery.what is None:
                    left -= 1
                elif isinstance(delivery.what, BaseException):
                    failure = failure or delivery.what
                    self.finish()
                else:
                    yield delivery.what
                delivery.kept.set()
        finally:
            self._nobody_listens.set()
            self._hang_up()
            if left:  # the driver gave up in the middle
                self.abandon()
            for pool in (threads, *self._lanes.values()):
                pool.shutdown(wait=True, cancel_futures=True)
        if failure:
            raise failure

    def _hand_in(self, what: Event | BaseException | None) -> bool:
        """Whether it was kept; only what a call costs is worth waiting for that."""
        delivery = _Delivery(what, threading.Event())
        while not self._nobody_listens.is_set():
            with contextlib.suppress(queue.Full):
                self._inbox.put(delivery, timeout=0.2)
                break
        while isinstance(what, CallNoted | CellCalled) and not self._nobody_listens.is_set():
            if delivery.kept.wait(0.2):
                return True
        return False

    def _take_papers(self, todo: Iterator[PaperFile]) -> None:
        """One paper after the other, until there are no more or none may be begun."""
        try:
            while not self._finishing.is_set():
                with self._next:
                    file = next(todo, None)
                if file is None:
                    break
                self._do(file)
        except BaseException as err:  # handed to the driver, which raises it
            self._hand_in(err)
        self._hand_in(None)

    def _do(self, file: PaperFile) -> None:
        """One paper: what needs nobody else by the engine, the rest by those who call."""
        calls: list[Future[bool]] = []
        for event in self._engine.work(file):
            if isinstance(event, CellDue):
                calls.append(self._lane(event.reader.info.name).submit(self._call, event))
            else:
                self._hand_in(event)
            if self._finishing.is_set():
                break
        wait(calls)
        whole = not self._finishing.is_set() and all(not call.cancelled() and call.result() for call in calls)
        self._hand_in(PaperEnded(file, whole))

    def _lane(self, name: str) -> ThreadPoolExecutor:
        return self._lanes[name] if name in self._lanes else self._lanes[first_of(name)]

    def _call(self, due: CellDue) -> bool:
        """Whether it was asked."""
        if self._finishing.is_set() or self._budget.spent_up:
            with self._count:
                self._left += 1
            return False
        call = opened(
            run=self._run,
            paper=due.entry.name,
            question=due.question.id,
            reader=due.reader.info.name,
            cell_key=due.key,
            at=now(),
        )
        if not self._hand_in(CallNoted(call)):
            return False
        try:
            done = due.ask()
            cell, usage = done.cell, done.cell.answer.usage
            self._budget.spend(usage)
            self._hand_in(CellCalled(done, ended(call, cell.verdict.status, usage, seconds=cell.seconds, at=now())))
        except ReaderAbandoned:
            self._hand_in(CallNoted(replace(call, outcome=Outcome.ABANDONED, ended_at=now())))
        except BaseException as err:  # refused: nothing more can be asked there
            self.finish()
            self._hand_in(CallNoted(replace(call, outcome=Outcome.FAILED, ended_at=now())))
            self._hand_in(err)
        return True
