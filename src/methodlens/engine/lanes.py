"""Readers that only the driver can ask: each has a thread pool, its lane. Calls are recorded before they are made."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from methodlens.engine.execute import CompositeReader, ask, ask_group
from methodlens.engine.run_state import RunState
from methodlens.engine.step_calls import StepCalls
from methodlens.errors import ReaderAbandoned
from methodlens.ledger.calls import Outcome, end_call, open_call
from methodlens.ledger.paper_results import CellRecord, unpack_hits
from methodlens.ledger.repeats import original_name
from methodlens.ledger.store import Ledger, now
from methodlens.records import Cell, Paper, Question
from methodlens.seams import GroupReader, Reader

if TYPE_CHECKING:
    from methodlens.engine.batches import Batches


class Lanes:
    """`batches` takes the cells of readers that are asked in batches."""

    def __init__(
        self, run: str, readers: Mapping[str, Reader], questions: Mapping[str, Question], ledger: Ledger, state: RunState
    ) -> None:
        self._run, self._readers, self._questions, self._ledger, self._state = run, readers, questions, ledger, state
        self._lock = threading.Lock()
        self._lanes: dict[str, ThreadPoolExecutor] = {}
        self.batches: Batches | None = None

    def submit(self, name: str, paper: Paper, dues: Iterable[CellRecord]) -> "list[Future[bool]]":
        """The calls for a paper's due cells. Each results in whether its cells are done."""
        groups: list[Sequence[CellRecord]] = []
        for reader, records in _by_reader(dues):
            if self._readers[reader].info.batched:
                self._add_to_batch(records, name, paper)
            else:
                groups += self._groups(self._readers[reader], records, paper)
        return [self._lane(group[0].reader).submit(self._ask, group, name, paper) for group in groups]

    def close(self) -> None:
        """Waits for the calls in progress; those that have not started are cancelled."""
        for lane in self._lanes.values():
            lane.shutdown(wait=True, cancel_futures=True)

    def _lane(self, name: str) -> ThreadPoolExecutor:
        """Repeats share the lane of their reader."""
        first = original_name(name) if original_name(name) in self._readers else name
        with self._lock:
            if first not in self._lanes:
                concurrency = max(1, self._readers[first].info.concurrency)
                self._lanes[first] = ThreadPoolExecutor(concurrency, thread_name_prefix=first)
            return self._lanes[first]

    def _add_to_batch(self, dues: Sequence[CellRecord], name: str, paper: Paper) -> None:
        due = [record for record in dues if not self._known(record, name, paper)]
        if due and self.batches:
            self.batches.add(name, paper, due)

    def _groups(self, reader: Reader, dues: Sequence[CellRecord], paper: Paper) -> list[Sequence[CellRecord]]:
        """The cells that one call will answer."""
        if not reader.info.grouped:
            return [[due] for due in dues]
        contexts = [hits[:shown] for hits, shown in (unpack_hits(due.passages, paper) for due in dues)]
        groups = cast(GroupReader, reader).groups([self._questions[due.question] for due in dues], paper, contexts)
        return [[dues[index] for index in group] for group in groups]

    def _ask(self, group: Sequence[CellRecord], name: str, paper: Paper) -> bool:
        """Whether the cells of a call are done. A reader that cannot be used stops the run."""
        try:
            due = [record for record in group if not self._known(record, name, paper)]
            if due and isinstance(reader := self._readers[due[0].reader], CompositeReader):
                return self._compose(due[0], name, paper, reader)
            return not due or self._call(due, name, paper)
        except BaseException as err:
            self._state.fail(err)
            return False

    def _known(self, due: CellRecord, name: str, paper: Paper) -> bool:
        """Whether the paper was answered under another name."""
        cell = self._ledger.cell(due.key, paper)
        if cell is None:
            return False
        with self._state.writing:
            self._ledger.link_cell(self._run, name, cell)
            self._state.count(cell.verdict, known=True)
        return True

    def _call(self, group: Sequence[CellRecord], name: str, paper: Paper) -> bool:
        run, state = self._run, self._state
        if state.stopped:
            with state.writing:
                state.left += len(group)
            return False
        at = now()
        calls = [
            open_call(run=run, paper=name, question=due.question, reader=due.reader, cell_key=due.key, at=at) for due in group
        ]
        with state.writing:
            self._ledger.keep_calls(calls)
        try:
            cells = self._cells(group, paper)
        except BaseException as err:
            outcome = Outcome.ABANDONED if isinstance(err, ReaderAbandoned) else Outcome.FAILED
            with state.writing:
                state.left += len(group)
                self._ledger.keep_calls([replace(call, outcome=outcome, ended_at=now()) for call in calls])
            if outcome is Outcome.FAILED:  # the reader refuses: other calls would fail too
                raise
            return False
        for cell in cells:
            state.budget.spend(cell.answer.usage)
        ends = [
            end_call(call, cell.verdict.status, cell.answer.usage, seconds=cell.seconds, at=now())
            for call, cell in zip(calls, cells, strict=True)
        ]
        with state.writing:
            self._ledger.keep_cells(run, name, cells, ends)
            for cell in cells:
                state.count(cell.verdict)
        return True

    def _cells(self, group: Sequence[CellRecord], paper: Paper) -> list[Cell]:
        reader = self._readers[group[0].reader]
        questions = [self._questions[due.question] for due in group]
        contexts = [unpack_hits(due.passages, paper) for due in group]
        if reader.info.grouped:
            return ask_group(paper, questions, cast(GroupReader, reader), contexts)
        return [
            ask(paper, question, reader, hits, shown=shown) for question, (hits, shown) in zip(questions, contexts, strict=True)
        ]

    def _compose(self, due: CellRecord, name: str, paper: Paper, reader: CompositeReader) -> bool:
        """A cascade: each of its readers is asked, booked and stored by itself."""
        state = self._state
        steps = StepCalls(self._ledger, self._run, name, state.budget, state.writing, stopping=state.finishing.is_set)
        hits, shown = unpack_hits(due.passages, paper)
        try:
            cell = reader.compose(paper, self._questions[due.question], hits, shown=shown, ask=steps)
        except BaseException as err:
            with state.writing:
                state.left += 1
            if not isinstance(err, ReaderAbandoned):
                raise
            return False
        with state.writing:
            self._ledger.keep_cell(self._run, name, cell)
            state.left += bool(steps.refused)
            state.count(cell.verdict)
        return not steps.refused


def _by_reader(dues: Iterable[CellRecord]) -> Iterable[tuple[str, list[CellRecord]]]:
    readers: dict[str, list[CellRecord]] = {}
    for due in dues:
        readers.setdefault(due.reader, []).append(due)
    return readers.items()
