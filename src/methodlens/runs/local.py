"""The driver on one machine: papers side by side in threads, PDFs in child processes, one thread that writes the ledger."""

import contextlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct

from methodlens.papers import PaperFile
from methodlens.records import PaperStatus, Status
from methodlens.runs.execute import CellDone, PaperRead, Stages, work
from methodlens.runs.ledger import Ledger
from methodlens.runs.plan import Plan

_WAITING = 64  # events that may wait for the ledger: more than that, and the readers wait
Event = PaperRead | CellDone


class Summary(Struct, frozen=True):
    """What became of a run. `asked` counts the readers' calls of this time; `kept` the cells that stood already."""

    papers: dict[PaperStatus, int]
    cells: dict[Status, int]
    asked: int
    kept: int
    seconds: float


def run(plan: Plan, stages: Stages, ledger: Ledger, *, workers: int, watch: Callable[[Event], None] = lambda _: None) -> Summary:
    """Do the plan and keep every paper and cell as it comes. `watch` is told of each, after it is kept."""
    started = time.monotonic()
    papers: Counter[PaperStatus] = Counter()
    cells: Counter[Status] = Counter()
    asked = kept = 0
    ledger.begin(plan.run)
    with contextlib.closing(_events(plan, stages, ledger, workers)) as events:
        for event in events:
            if isinstance(event, PaperRead):
                if not event.known:
                    ledger.keep_paper(event.paper)
                ledger.keep_entry(plan.run.id, event.entry, event.paper.parser)
                papers[event.entry.status] += 1
            else:
                keep = ledger.reuse_cell if event.known else ledger.keep_cell
                keep(plan.run.id, event.entry.name, event.cell)
                cells[event.cell.verdict.status] += 1
                kept += event.known
                asked += not event.known and event.cell.verdict.status is not Status.UNREADABLE
            watch(event)
    ledger.end(plan.run.id)
    return Summary(dict(papers), dict(cells), asked, kept, time.monotonic() - started)


def _events(plan: Plan, stages: Stages, ledger: Ledger, workers: int) -> Generator[Event, None, None]:
    """Events of all papers as they come. Closing the iterator stops the threads at their next event."""
    waiting: queue.Queue[Event | BaseException | None] = queue.Queue(_WAITING)
    stop = threading.Event()

    def put(event: Event | BaseException | None) -> None:
        while not stop.is_set():
            with contextlib.suppress(queue.Full):
                waiting.put(event, timeout=0.2)
                return

    def do(file: PaperFile) -> None:
        try:
            for event in work(file, stages, ledger):
                put(event)
                if stop.is_set():
                    return
            put(None)
        except BaseException as err:  # handed to the driver, which raises it
            put(err)

    pool = ThreadPoolExecutor(max(1, workers), thread_name_prefix="paper")
    try:
        for file in plan.papers:
            pool.submit(do, file)
        left = len(plan.papers)
        while left:
            event = waiting.get()
            if event is None:
                left -= 1
            elif isinstance(event, BaseException):
                raise event
            else:
                yield event
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
