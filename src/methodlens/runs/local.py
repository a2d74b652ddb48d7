"""The driver on one machine: a crew of threads reads papers and asks readers, this one writes the ledger."""

import contextlib
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType

from msgspec import Struct

from methodlens.records import PaperStatus, Status
from methodlens.runs import crew as crews
from methodlens.runs.budget import Budget
from methodlens.runs.calls import Call, ended, opened
from methodlens.runs.crew import CallNoted, CellCalled, Crew
from methodlens.runs.execute import CellDone, PaperRead, Stages
from methodlens.runs.ledger import Ledger, now
from methodlens.runs.plan import Plan

Event = PaperRead | CellDone


class Summary(Struct, frozen=True):
    """What became of a run. `asked` counts the readers' calls of this time; `kept` the cells that stood already.

    `left` cells were not asked, for the reason in `stopped`; `lost` calls of an earlier start were cut short by a kill.
    """

    papers: dict[PaperStatus, int]
    cells: dict[Status, int]
    asked: int
    kept: int
    seconds: float
    left: int = 0
    stopped: str = ""
    lost: int = 0
    failures: dict[str, int] = {}
    """Why cells failed, and how many each time."""


def run(
    plan: Plan,
    stages: Stages,
    ledger: Ledger,
    *,
    workers: int,
    budget: Budget | None = None,
    watch: Callable[[Event], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Do the plan and keep every paper and cell as it comes. `watch` is told of each, after it is kept.

    Ctrl-C: nothing new is begun and calls under way are finished; a second one abandons them.
    """
    started = time.monotonic()
    budget = budget or Budget()
    budget.check(stages.readers)
    papers: Counter[PaperStatus] = Counter()
    cells: Counter[Status] = Counter()
    failures: Counter[str] = Counter()
    asked = kept = 0
    lost = ledger.lose_open_calls()
    ledger.begin(plan.run)
    crew = Crew(plan.run.id, stages, ledger, budget)
    with _finishing_on_ctrl_c(crew, say), contextlib.closing(crew.events(plan.papers, workers=workers)) as events:
        for event in events:
            _keep(event, plan.run.id, ledger)
            if isinstance(event, PaperRead):
                papers[event.entry.status] += 1
                watch(event)
            elif not isinstance(event, CallNoted):
                done = event.done if isinstance(event, CellCalled) else event
                cells[done.cell.verdict.status] += 1
                if done.cell.verdict.status is Status.FAILED:
                    failures[done.cell.verdict.reason] += 1
                kept += done.known
                asked += not done.known and done.cell.verdict.status is not Status.UNREADABLE
                watch(done)
    if not crew.left:
        ledger.end(plan.run.id)
    return Summary(
        dict(papers),
        dict(cells),
        asked,
        kept,
        time.monotonic() - started,
        left=crew.left,
        stopped=budget.spent_up if crew.left else "",
        lost=lost,
        failures=dict(failures),
    )


def _keep(event: crews.Event, run: str, ledger: Ledger) -> None:
    match event:
        case PaperRead(entry, paper, known):
            if not known:
                ledger.keep_paper(paper)
            ledger.keep_entry(run, entry, paper.parser)
        case CallNoted(call):
            ledger.keep_call(call)
        case CellCalled(done, call):
            ledger.keep_cell(run, done.entry.name, done.cell, call)
        case CellDone(entry, cell, known):
            if known:
                ledger.reuse_cell(run, entry.name, cell)
            else:
                ledger.keep_cell(run, entry.name, cell, _own_work(event, run))


def _own_work(done: CellDone, run: str) -> Call | None:
    """What a reader of our own did is booked too, but only when it is done: it costs nothing to do again."""
    cell = done.cell
    if cell.verdict.status is Status.UNREADABLE:
        return None
    at = now()
    call = opened(run=run, paper=done.entry.name, question=cell.question, reader=cell.reader, cell_key=cell.key, at=at)
    return ended(call, cell, at)


@contextlib.contextmanager
def _finishing_on_ctrl_c(crew: Crew, say: Callable[[str], None]) -> Iterator[None]:
    """An exception at any moment could fall into the middle of a write; a signal that is noted cannot."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = 0

    def note(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        pressed += 1
        if pressed == 1:
            say("finishing what is under way; press Ctrl-C again to abandon it")
            crew.finish()
        else:
            crew.abandon()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
