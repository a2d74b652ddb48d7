"""Batches of a run: cells are collected, handed in, waited for and stored. Nothing is handed in twice.

The row of a batch is written before it is handed in, and says which cells it covers. A start first looks up the batches that
earlier ones left: cells that one of them covers are waited for, and a batch that may or may not have reached the provider is
searched for there before its cells are asked again.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from methodlens.engine.batch_results import Collected, collect_item
from methodlens.engine.budget import Budget
from methodlens.errors import InputError, ReaderAbandoned, ReaderError
from methodlens.ledger import batches as rows
from methodlens.ledger.batches import Batch, BatchCell, BatchItem, BatchState
from methodlens.ledger.keys import digest
from methodlens.ledger.paper_results import CellRecord, unpack_hits
from methodlens.ledger.store import Ledger, now
from methodlens.readers.batched_chat import BatchedChatReader
from methodlens.readers.batches.batch_api import BatchUnclear, Line, Phase, Progress, Request
from methodlens.records import Cell, Paper, Question, Usage

MAX_REQUESTS = 2000
"""In one batch. Providers allow more; a smaller one ends sooner and is lost sooner if it expires."""
_MAX_CHARS = 40_000_000
_SUBMIT_ATTEMPTS = 5
_PAUSE_S = 0.5
_REFUSED = "check that the model can be used in batches; a rerun hands its cells in again"


class Hooks(NamedTuple):
    """What the driver lends: its writing lock, whether it stops, how it counts cells, and where messages go."""

    writing: threading.Lock
    stopping: threading.Event
    count_cell: Callable[[Cell], None]
    notify: Callable[[str], None]


class _Queue:
    """Requests of one reader that are not handed in yet."""

    def __init__(self) -> None:
        self.items: list[BatchItem] = []
        self.requests: list[Request] = []
        self.chars = 0
        self.estimate = Usage()


class Batches:
    """The batches of a run's readers. `add` may be called from several threads."""

    def __init__(
        self, run: str, readers: Mapping[str, BatchedChatReader], questions: Mapping[str, Question], ledger: Ledger,
        budget: Budget, hooks: Hooks,
    ) -> None:  # fmt: skip
        self._run, self._readers, self._questions = run, readers, dict(questions)
        self._ledger, self._budget, self._hooks = ledger, budget, hooks
        self._lock = threading.RLock()
        self._queues: dict[str, _Queue] = {}
        self._open: dict[str, Batch] = {}
        """Handed in and not collected, without their bodies."""
        self._covered: set[str] = set()
        """Keys of cells that are in a queue or an open batch."""
        self._names: dict[str, list[str]] = {}
        """By cell key: the names of the papers it answers for."""
        self._reserved: dict[str, Usage] = {}
        self._told: dict[str, int] = {}
        self.left = 0

    @property
    def pending(self) -> int:
        """Cells of this run that a provider has not answered yet."""
        return sum(len(self._names[key]) for key in self._covered if key in self._names)

    def resume(self) -> None:
        """Take over the batches that earlier starts left. Raises ReaderError if a provider cannot say what became of one."""
        if self._ledger.shared:
            raise InputError("batches need a ledger of their own", "use a SQLite ledger: omit --ledger")
        for batch in rows.listed(self._ledger, rows.UNFINISHED):
            reader = self._readers.get(batch.reader)
            if reader is None:
                continue
            if batch.state is BatchState.PREPARED:
                try:
                    found = self._find(reader, batch)
                except BatchUnclear as err:
                    raise ReaderError(err.problem, "a batch may be pending there; rerun when the server answers") from err
                if found is None:
                    self._keep(replace(batch, state=BatchState.DROPPED, ended_at=now(), note="it was not handed in"))
                    continue
                batch = replace(batch, state=BatchState.SUBMITTED, provider_id=found, submitted_at=now())
                self._keep(batch)
            self._open[batch.batch_id] = replace(batch, body=b"")
            self._covered |= {cell.key for item in batch.content.items for cell in item.cells}

    # --- handing in -------------------------------------------------------------------------------------------------

    def add(self, name: str, paper: Paper, dues: Sequence[CellRecord]) -> None:
        """Cells of one paper and one reader."""
        reader = self._readers[dues[0].reader]
        with self._lock:
            for due in dues:
                self._names.setdefault(due.key, []).append(name)
            new = [due for due in dues if due.key not in self._covered]
            contexts = [hits[:shown] for hits, shown in (unpack_hits(due.passages, paper) for due in new)]
            questions = [self._questions[due.question] for due in new]
            for group in reader.groups(questions, paper, contexts) if new else ():
                cells = tuple(BatchCell(new[i].key, new[i].question, new[i].passages) for i in group)
                item = BatchItem(_custom_id(cells), name, paper.sha256, paper.parser, cells)
                self._enqueue(dues[0].reader, item, paper)

    def _enqueue(self, name: str, item: BatchItem, paper: Paper) -> None:
        if self._hooks.stopping.is_set() or self._budget.exhausted:
            self._covered -= {cell.key for cell in item.cells}
            self.left += len(item.cells)
            return
        questions = [self._questions[cell.question] for cell in item.cells]
        contexts = [hits[:shown] for hits, shown in (unpack_hits(cell.passages, paper) for cell in item.cells)]
        request = self._readers[name].request(questions, paper, contexts)
        if request is None:
            self._store(collect_item(self._readers[name], item, paper, questions, batch_id=""))
            return
        queue = self._queues.setdefault(name, _Queue())
        size = 4 * request.estimate.tokens_in
        if len(queue.items) >= MAX_REQUESTS or queue.chars + size > _MAX_CHARS:
            self._submit(name)
            queue = self._queues.setdefault(name, _Queue())
        self._budget.spend(request.estimate)
        queue.items.append(item)
        queue.requests.append(Request(item.custom_id, request.body))
        queue.chars += size
        queue.estimate += request.estimate
        self._covered |= {cell.key for cell in item.cells}

    def _submit(self, name: str) -> None:
        queue = self._queues.pop(name)
        reader = self._readers[name]
        batch = rows.prepare(self._run, name, self._questions, queue.items)
        self._keep(batch)
        try:
            provider_id = self._hand_in(reader, batch, queue.requests)
        except (BatchUnclear, ReaderAbandoned):
            raise  # the next start finds out whether it arrived
        except ReaderError as err:
            self._keep(replace(batch, state=BatchState.REFUSED, ended_at=now(), note=err.problem))
            raise
        batch = replace(batch, state=BatchState.SUBMITTED, provider_id=provider_id, submitted_at=now())
        self._keep(batch)
        self._open[batch.batch_id] = replace(batch, body=b"")
        self._reserved[batch.batch_id] = queue.estimate
        self._hooks.notify(f"{name}: batch {provider_id} handed in, {len(queue.items)} requests for {batch.cells} cells")

    def _hand_in(self, reader: BatchedChatReader, batch: Batch, requests: Sequence[Request]) -> str:
        """Without a response it may have arrived, so the provider is asked before it is sent again."""
        for attempt in range(_SUBMIT_ATTEMPTS):
            try:
                return reader.api.submit(batch.batch_id, requests)
            except BatchUnclear:
                self._hooks.stopping.wait(_PAUSE_S * 2**attempt)
                if found := self._find(reader, batch, size=len(requests)):
                    return found
                if attempt + 1 == _SUBMIT_ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    def _find(self, reader: BatchedChatReader, batch: Batch, *, size: int = 0) -> str | None:
        size = size or len(batch.content.items)
        known = rows.provider_ids(self._ledger)
        return reader.api.find(batch.batch_id, size=size, since=batch.prepared_at, known=known)

    # --- waiting ----------------------------------------------------------------------------------------------------

    def finish(self, *, wait: bool) -> None:
        """Hand in what is left and wait for the results, or only look once."""
        while True:
            with self._lock:
                if self._hooks.stopping.is_set():
                    self._leave_queues()
                for name in list(self._queues):
                    self._submit(name)
            for batch in list(self._open.values()):
                if self._hooks.stopping.is_set():
                    return
                self._look_at(batch)
            if self._queues:  # some are asked again
                continue
            if not self._open or not wait:
                return
            if self._hooks.stopping.wait(min(self._readers[batch.reader].poll_s for batch in self._open.values())):
                return

    def _leave_queues(self) -> None:
        for queue in self._queues.values():
            cells = [cell.key for item in queue.items for cell in item.cells]
            self._covered -= set(cells)
            self.left += len(cells)
        self._queues = {}

    def _look_at(self, batch: Batch) -> None:
        api = self._readers[batch.reader].api
        try:
            progress = api.progress(batch.provider_id)
            if progress.phase is Phase.ENDED:
                self._collect(batch, progress)
        except BatchUnclear as err:  # it will answer later
            if self._told.get(batch.batch_id) != -1:
                self._hooks.notify(f"{err.problem}; still waiting")
            self._told[batch.batch_id] = -1
            return
        if progress.phase is Phase.REFUSED:
            self._close(batch, BatchState.REFUSED, progress.reason)
            raise ReaderError(f"{batch.reader}: the provider refused batch {batch.provider_id} ({progress.reason})", _REFUSED)
        if progress.phase is Phase.WAITING and self._told.get(batch.batch_id) != progress.done:
            self._told[batch.batch_id] = progress.done
            self._hooks.notify(f"{batch.reader}: batch {batch.provider_id}: {progress.done} requests done")

    def _collect(self, batch: Batch, progress: Progress) -> None:
        stored = rows.load(self._ledger, batch.batch_id)
        reader, content = self._readers[batch.reader], stored.content
        lines: dict[str, Line] = {}
        for line in reader.api.results(batch.provider_id):
            if line.custom_id not in lines or (lines[line.custom_id].content is None and line.content is not None):
                lines[line.custom_id] = line
        self._questions = {**{question.id: question for question in content.questions}, **self._questions}
        asked = {question.id: question for question in content.questions}
        foreign = bool(lines) and not any(item.custom_id in lines for item in content.items)
        missing = Line("", problem=progress.reason, again=progress.again)
        again: list[BatchItem] = list(content.items) if foreign else []
        paper: Paper | None = None
        for item in () if foreign else content.items:
            if paper is None or (paper.sha256, paper.parser) != (item.paper_sha256, item.parser):
                paper = self._ledger.paper(item.paper_sha256, item.parser)
            if paper is None:
                continue  # its text is damaged: the paper is read again by the next start
            questions = [asked[cell.question] for cell in item.cells]
            line = lines.get(item.custom_id, missing)
            collected = collect_item(reader, item, paper, questions, batch_id=batch.batch_id, line=line)
            self._store(collected, batch)
            again += collected.again
        state = BatchState.DROPPED if foreign else BatchState.COLLECTED
        self._close(batch, state, "none of its results is ours" if foreign else "")
        self._ask_again(batch.reader, again)

    def _ask_again(self, reader: str, items: Sequence[BatchItem]) -> None:
        """Only what this run asks: other cells are asked again by theirs."""
        for item in items:
            self._covered -= {cell.key for cell in item.cells}
            cells = tuple(cell for cell in item.cells if cell.key in self._names)
            paper = self._ledger.paper(item.paper_sha256, item.parser)
            if cells and paper:
                with self._lock:
                    self._enqueue(reader, replace(item, cells=cells, custom_id=_custom_id(cells)), paper)

    def _store(self, collected: Collected, batch: Batch | None = None) -> None:
        self._covered -= {cell.key for cell in collected.cells}
        cells = [(cell, self._names.get(cell.key, [])) for cell in collected.cells]
        calls = [replace(call, run=batch.run, started_at=batch.submitted_at) for call in collected.calls] if batch else []
        with self._hooks.writing:
            rows.keep_results(self._ledger, self._run, cells, calls)
            for cell, names in cells:
                for _ in names:
                    self._hooks.count_cell(cell)
        for usage in collected.used:
            self._budget.spend(usage)

    def _close(self, batch: Batch, state: BatchState, note: str) -> None:
        stored = rows.load(self._ledger, batch.batch_id)
        self._keep(replace(stored, state=state, ended_at=now(), note=note))
        del self._open[batch.batch_id]
        reserved = self._reserved.pop(batch.batch_id, Usage())
        cost = None if reserved.cost is None else -reserved.cost
        self._budget.spend(Usage(-reserved.tokens_in, -reserved.tokens_out, cost=cost))

    def _keep(self, batch: Batch) -> None:
        with self._hooks.writing:
            rows.keep(self._ledger, batch)


def _custom_id(cells: Sequence[BatchCell]) -> str:
    """The key of the cell, or a hash of the keys of a group: 64 characters, the most that providers allow."""
    return cells[0].key if len(cells) == 1 else digest([cell.key for cell in cells])


def batched_readers(readers: Mapping[str, Any]) -> dict[str, BatchedChatReader]:
    return {name: reader for name, reader in readers.items() if reader.info.batched}
