"""The driver: an engine does the papers, a crew of threads asks remote readers, and this one alone writes the ledger."""

import contextlib
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType

from msgspec import Struct

from methodlens.engine import crew as crews
from methodlens.engine.budget import Budget
from methodlens.engine.crew import CallNoted, CellCalled, Crew, PaperEnded
from methodlens.engine.engine import Engine, PaperDone
from methodlens.engine.execute import CellDone, PaperRead
from methodlens.engine.messages import PackedCell
from methodlens.engine.plan import Plan
from methodlens.ledger.calls import Call, ended, opened
from methodlens.ledger.ledger import Ledger, now
from methodlens.records import Cell, PaperStatus, Status, Verdict

_REASONS = 100  # why cells failed: so many are told apart, however many papers there are

Event = PaperRead | CellDone | PaperDone


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
    elsewhere: int = 0
    """Papers that other drivers did meanwhile, where several share a ledger."""
    failures: dict[str, int] = {}
    """Why cells failed, and how many each time."""


def run(
    plan: Plan,
    engine: Engine,
    ledger: Ledger,
    *,
    budget: Budget | None = None,
    watch: Callable[[Event], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Do the plan and keep every paper and cell as it comes. `watch` is told of each, after it is kept.

    Ctrl-C: nothing new is begun and calls under way are finished; a second one abandons them.
    """
    started = time.monotonic()
    budget = budget or Budget()
    budget.check(plan.readers)
    sums = _Sums()
    lost = ledger.lose_open_calls()
    ledger.begin(plan.run, plan.names)
    crew = Crew(plan.run.id, engine, plan.readers, budget)
    claims = ledger.claims(plan.run.id)
    papers = claims.papers(plan.papers, stopping=lambda: crew.finishing) if claims else plan.papers
    with (
        claims.at_work() if claims else contextlib.nullcontext(),
        _finishing_on_ctrl_c(crew, say),
        contextlib.closing(crew.events(papers)) as events,
    ):
        for event in events:
            _keep(event, plan.run.id, ledger)
            if isinstance(event, PaperEnded):
                if claims:
                    claims.finish(event.file, whole=event.whole)
            elif not isinstance(event, CallNoted):
                done = event.done if isinstance(event, CellCalled) else event
                sums.add(done)
                watch(done)
    if claims:  # of drivers that died while this one was at work
        lost += ledger.lose_open_calls()
    if not crew.left:
        ledger.end(plan.run.id)
    return Summary(
        dict(sums.papers),
        dict(sums.cells),
        sums.asked,
        sums.kept,
        time.monotonic() - started,
        left=crew.left,
        stopped=budget.spent_up if crew.left else "",
        lost=lost,
        elsewhere=claims.elsewhere if claims else 0,
        failures=dict(sums.failures),
    )


class _Sums:
    """What a run adds up; it does not grow with the papers."""

    def __init__(self) -> None:
        self.papers: Counter[PaperStatus] = Counter()
        self.cells: Counter[Status] = Counter()
        self.failures: Counter[str] = Counter()
        self.asked = self.kept = 0

    def add(self, done: Event) -> None:
        match done:
            case PaperRead(entry, _, _):
                self.papers[entry.status] += 1
            case CellDone(_, cell, known):
                self._add_cell(cell.verdict, known=known)
            case PaperDone(parcel):
                self.papers[parcel.entry.status] += 1
                for packed in parcel.cells:
                    self._add_cell(packed.verdict, known=False)
                for stood in parcel.known:
                    self._add_cell(stood.verdict, known=True)

    def _add_cell(self, verdict: Verdict, *, known: bool) -> None:
        self.cells[verdict.status] += 1
        self.kept += known
        self.asked += not known and verdict.status is not Status.UNREADABLE
        if verdict.status is Status.FAILED:
            new = verdict.reason not in self.failures and len(self.failures) >= _REASONS
            self.failures["other reasons" if new else verdict.reason] += 1


def _keep(event: crews.Event, run: str, ledger: Ledger) -> None:
    match event:
        case PaperRead(entry, paper, known):
            if not known:
                ledger.keep_paper(paper)
            ledger.keep_entry(run, entry, paper.parser)
        case PaperDone(parcel):
            ledger.keep_parcel(run, parcel, [_own_work(cell, run, parcel.entry.name) for cell in parcel.cells if _answered(cell)])
        case CallNoted(call):
            ledger.keep_call(call)
        case CellCalled(done, call):
            ledger.keep_cell(run, done.entry.name, done.cell, call)
        case CellDone(entry, cell, known):
            if known:
                ledger.reuse_cell(run, entry.name, cell)
            else:
                ledger.keep_cell(run, entry.name, cell, _own_work(cell, run, entry.name) if _answered(cell) else None)


def _answered(cell: Cell | PackedCell) -> bool:
    return cell.verdict.status is not Status.UNREADABLE


def _own_work(cell: Cell | PackedCell, run: str, paper: str) -> Call:
    """What a reader of our own did is booked too, but only when it is done: it costs nothing to do again."""
    at = now()
    call = opened(run=run, paper=paper, question=cell.question, reader=cell.reader, cell_key=cell.key, at=at)
    usage = cell.usage if isinstance(cell, PackedCell) else cell.answer.usage
    return ended(call, cell.verdict.status, usage, seconds=cell.seconds, at=at)


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
            crew.finish()
            # by another thread: the signal may have come in the middle of a print, which cannot be entered twice
            threading.Thread(target=say, args=("finishing what is under way; press Ctrl-C again to abandon it",)).start()
        else:
            crew.abandon()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
