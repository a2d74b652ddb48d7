"""The threads of a run: some read papers, some call each remote reader. They hand in what they have; they write nothing.

Whoever hands in a call or a cell waits until it is kept. So a kill loses at most the calls that are under way.
"""

import contextlib
import queue
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from msgspec.structs import replace

from methodlens.errors import ReaderAbandoned
from methodlens.papers import PaperFile
from methodlens.runs.budget import Budget
from methodlens.runs.calls import Call, Outcome, ended, opened
from methodlens.runs.execute import CellDone, CellDue, Memory, PaperRead, Stages, work
from methodlens.runs.ledger import now
from methodlens.runs.repeats import first_of
from methodlens.seams import RemoteReader

_WAITING = 64  # deliveries that may wait for the ledger: more than that, and the readers wait


class CallNoted(NamedTuple):
    """A call begins, or has ended without a cell."""

    call: Call


class CellCalled(NamedTuple):
    """A cell, with the call that gave it."""

    done: CellDone
    call: Call


Event = PaperRead | CellDone | CallNoted | CellCalled


class _Delivery(NamedTuple):
    what: Event | BaseException | None
    """None: one paper is through."""
    kept: threading.Event


class Crew:
    """Iterate over `events()`; each is taken for kept when the next one is asked for."""

    def __init__(self, run: str, stages: Stages, memory: Memory, budget: Budget) -> None:
        self._run, self._stages, self._memory, self._budget = run, stages, memory, budget
        self._inbox: queue.Queue[_Delivery] = queue.Queue(_WAITING)
        self._finishing = threading.Event()
        self._nobody_listens = threading.Event()
        self._left = 0
        self._count = threading.Lock()
        self._remote = {reader.name: reader for reader in stages.readers if isinstance(reader, RemoteReader)}
        self._lanes = {
            name: ThreadPoolExecutor(max(1, reader.concurrency), thread_name_prefix=name)
            for name, reader in self._remote.items()
            if name == first_of(name) or first_of(name) not in self._remote  # asked again is asked in the same lane
        }

    @property
    def left(self) -> int:
        """Cells that were due and not asked."""
        return self._left

    def finish(self) -> None:
        """Begin nothing new; what is under way is finished."""
        self._finishing.set()

    def abandon(self) -> None:
        """... and wait for no reply either."""
        self.finish()
        for reader in self._remote.values():
            reader.close()

    def events(self, files: Sequence[PaperFile], *, workers: int) -> Generator[Event, None, None]:
        """As they come, from all papers. The first error stops everything new, and is raised when all has ended."""
        readers = ThreadPoolExecutor(max(1, workers), thread_name_prefix="paper")
        failure: BaseException | None = None
        try:
            left = len(files)
            for file in files:
                readers.submit(self._read, file)
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
            self.abandon()
            for pool in (readers, *self._lanes.values()):
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

    def _read(self, file: PaperFile) -> None:
        """One paper: what needs nobody else here, the rest by those who call."""
        try:
            calls: list[Future[None]] = []
            for event in () if self._finishing.is_set() else work(file, self._stages, self._memory):
                if isinstance(event, CellDue):
                    calls.append(self._lane(event.reader.name).submit(self._call, event))
                else:
                    self._hand_in(event)
                if self._finishing.is_set():
                    break
            wait(calls)
        except BaseException as err:  # handed to the driver, which raises it
            self._hand_in(err)
        self._hand_in(None)

    def _lane(self, name: str) -> ThreadPoolExecutor:
        return self._lanes[name] if name in self._lanes else self._lanes[first_of(name)]

    def _call(self, due: CellDue) -> None:
        if self._finishing.is_set() or self._budget.spent_up:
            with self._count:
                self._left += 1
            return
        call = opened(
            run=self._run,
            paper=due.entry.name,
            question=due.question.id,
            reader=due.reader.name,
            cell_key=due.key,
            at=now(),
        )
        if not self._hand_in(CallNoted(call)):
            return
        try:
            done = due.ask()
            self._budget.spend(done.cell.answer.usage)
            self._hand_in(CellCalled(done, ended(call, done.cell, now())))
        except ReaderAbandoned:
            self._hand_in(CallNoted(replace(call, outcome=Outcome.ABANDONED, ended_at=now())))
        except BaseException as err:  # refused: nothing more can be asked there
            self.finish()
            self._hand_in(CallNoted(replace(call, outcome=Outcome.FAILED, ended_at=now())))
            self._hand_in(err)
