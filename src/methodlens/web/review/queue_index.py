"""The queues of a run. One pass over all cells selects the windows that are needed; a few windows and cells are cached and
dropped when the run changes. Memory does not grow with the size of the run."""

import bisect
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from cachetools import LRUCache

from methodlens.evaluation.sampling import review_priority
from methodlens.ledger import overview
from methodlens.ledger.listing import PAGE
from methodlens.ledger.overview import CellSummary
from methodlens.ledger.store import Ledger, Run
from methodlens.records import ContentRef, Status
from methodlens.web.cooldown import Cooldown
from methodlens.web.review.queues import (
    NO_REFS,
    InformativeBuilder,
    Queue,
    SampleBuilder,
    SortKey,
    Window,
    WindowBuilder,
    WindowRequest,
    contradicted,
)
from methodlens.web.review.run_order import first_listed, page_count

_CACHED_PAGES = 2  # of papers with their cells, so that runs of up to 1,000 papers are not read again
_CACHED_WINDOWS = 40
_CACHED_CELLS = 20_000  # cells that were looked up individually
_QUICK_S = 0.2
_EVERYTHING = WindowRequest(Queue.ALL, 0, "")

Cells = Sequence[tuple[CellSummary, ContentRef]]
Statuses = Mapping[ContentRef, Sequence[Status]]
"""The annotations on each cell."""


class QueueIndex:
    """Covers one run at a time. Thread-safe: calls wait for each other."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.RLock()
        self._cooldown = Cooldown(_QUICK_S)
        self._run = ""
        self._stamp: tuple[object, ...] = ()
        self._clear()

    def _clear(self) -> None:
        self._pages: dict[int, Cells] = {}
        self._windows: LRUCache[WindowRequest, Window] = LRUCache(_CACHED_WINDOWS)
        self._cells: LRUCache[ContentRef, CellSummary | None] = LRUCache(_CACHED_CELLS)

    def _refresh(self, run: Run) -> None:
        """Clear the caches if the run has changed; during a cooldown, accept that they are slightly out of date."""
        if run.id == self._run and self._cooldown.active:
            return
        with self._cooldown.timing():
            stamp = overview.version(self._ledger, run)
            if stamp != self._stamp:
                self._run, self._stamp = run.id, stamp
                self._clear()

    # --- individual cells -------------------------------------------------------------------------------------------

    def cells(self, run: Run, refs: Iterable[ContentRef]) -> dict[ContentRef, CellSummary | None]:
        """The cells of `refs` that are in the run; None for those without an answer yet."""
        wanted = dict.fromkeys(refs)
        with self._lock:
            self._refresh(run)
            cells = {ref: self._cells[ref] for ref in wanted if ref in self._cells}
            unknown = list(dict.fromkeys(ref.paper_sha256 for ref in wanted if ref not in cells))
            for start in range(0, len(unknown), PAGE):
                loaded = self._load(run, unknown[start : start + PAGE])
                self._cells.update(loaded)
                cells |= loaded
        return {ref: cells[ref] for ref in wanted if ref in cells}

    def _load(self, run: Run, sha256s: Sequence[str]) -> dict[ContentRef, CellSummary | None]:
        names = overview.names_of(self._ledger, run, sha256s)
        sha256_of = {first_listed(self._ledger, run, same): sha256 for sha256, same in names.items()}
        cells: dict[ContentRef, CellSummary | None] = {
            ContentRef(sha256, question.id): None for sha256 in sha256_of.values() for question in run.questions
        }
        for cell in self._summaries(run, list(sha256_of)):
            cells[ContentRef(sha256_of[cell.paper], cell.question)] = cell
        return cells

    # --- queues -----------------------------------------------------------------------------------------------------

    def windows(self, run: Run, requests: Sequence[WindowRequest], done: Set[ContentRef]) -> list[Window]:
        """One window per request; those not cached are selected in a single pass. `done` are the reviewer's annotated cells."""
        with self._lock:
            self._refresh(run)
            missing = [request for request in requests if not _is_valid(self._windows.get(request), done)]
            if missing:
                # a reviewer who sees the matrix opens a cell next, and that page shows the number of all cells
                missing += {_EVERYTHING} - self._windows.keys() - set(missing)
                builders = {request: _builder(request, done) for request in missing}
                with self._cooldown.timing():
                    for cell, ref in self._all(run):
                        for builder in builders.values():
                            builder.add(cell, ref)
                    self._windows.update({request: builder.window() for request, builder in builders.items()})
            return [self._windows[request] for request in requests]

    def left(self, run: Run, queue: Queue, window: Window, done: Set[ContentRef]) -> int:
        """How many cells of the queue the reviewer has not annotated. `window` is the first of the queue."""
        if queue is Queue.RANDOM:
            return sum(ref not in done for ref in window.refs)
        since = self.cells(run, done - window.done).values()
        return window.waiting - sum(cell is not None and queue.contains(cell) for cell in since)

    def next_cell(self, run: Run, request: WindowRequest, ref: ContentRef, done: Set[ContentRef]) -> ContentRef | None:
        """The next cell after `ref` that is not annotated; at the end of the queue, starts again at its beginning."""
        if request.queue is Queue.INFORMATIVE:
            return self._next_informative(run, request, ref, done)
        key = self._key(run, request, ref)
        for window in self._windows_from(run, request, key, done):
            begin = bisect.bisect_right(window.keys, key)
            for candidate in window.refs[begin:]:
                if candidate not in done and candidate != ref:
                    return candidate
        (first,) = self.windows(run, [request], done)
        return next((candidate for candidate in first.refs if candidate not in done and candidate != ref), None)

    def _next_informative(self, run: Run, request: WindowRequest, ref: ContentRef, done: Set[ContentRef]) -> ContentRef | None:
        """Its order changes with every new window, so there is only one window at a time."""
        (window,) = self.windows(run, [request], done)
        begin = window.refs.index(ref) + 1 if ref in window.refs else 0
        candidates = (*window.refs[begin:], *window.refs[:begin])
        return next((candidate for candidate in candidates if candidate not in done and candidate != ref), None)

    def contradictions(self, run: Run, statuses: Statuses) -> list[tuple[SortKey, ContentRef]]:
        """Cells on which the readers agree, but people contradict each other or the verdict; in the order of the queue."""
        cells = self.cells(run, statuses)
        agreed = [(ref, cell) for ref, cell in cells.items() if cell and Queue.ALL.contains(cell) and not cell.split]
        return sorted((review_priority(cell), ref) for ref, cell in agreed if contradicted(cell, statuses[ref]))

    def next_disagreement(self, run: Run, request: WindowRequest, ref: ContentRef, statuses: Statuses) -> ContentRef | None:
        key = self._key(run, request, ref)
        following = [item for item in self.contradictions(run, statuses) if item[0] > key][:1]
        for window in self._windows_from(run, request, key, NO_REFS):
            begin = bisect.bisect_right(window.keys, key)
            following += list(zip(window.keys, window.refs, strict=True))[begin : begin + 1]
            if len(window.keys) > begin:
                break
        return min(following)[1] if following else None

    def _key(self, run: Run, request: WindowRequest, ref: ContentRef) -> SortKey:
        if request.queue is Queue.RANDOM:
            (window,) = self.windows(run, [request], NO_REFS)
            return (window.refs.index(ref),) if ref in window.refs else ()
        cell = self.cells(run, [ref]).get(ref)
        return request.queue.sort_key(cell, seed=request.seed) if cell else ()

    def _windows_from(self, run: Run, request: WindowRequest, key: SortKey, done: Set[ContentRef]) -> Iterator[Window]:
        """The window that contains `key`, then those after it."""
        with self._lock:
            self._refresh(run)
            (first,) = self.windows(run, [request], done)
            covering = (
                cached.after
                for cached, window in self._windows.items()
                if cached._replace(after=()) == request
                and cached.after <= key
                and _is_valid(window, done)
                and _reaches(window, key)
            )
            after = () if _reaches(first, key) else next(covering, key)
        while True:
            (window,) = self.windows(run, [request._replace(after=after)], done)
            yield window
            if window.complete or not window.keys:
                return
            after = window.keys[-1]

    def _all(self, run: Run) -> Iterator[tuple[CellSummary, ContentRef]]:
        """Every cell in run order; of files with the same content, only the cells of the first."""
        known: set[int] = set()
        for number in range(page_count(run)):
            page = self._pages.get(number)
            if page is None:
                page = self._page(run, number)
                if number < _CACHED_PAGES:
                    self._pages[number] = page
            paper, duplicate = "", False
            for cell, ref in page:
                if cell.paper != paper:
                    paper, content = cell.paper, hash(ref.paper_sha256)
                    duplicate = content in known
                    known.add(content)
                if not duplicate:
                    yield cell, ref

    def _summaries(self, run: Run, names: Sequence[str]) -> Iterator[CellSummary]:
        """With probabilities, unless the run is so large that reading its answers would take too long."""
        return overview.summaries_of(self._ledger, run, names, probabilities=run.papers <= _CACHED_PAGES * PAGE)

    def _page(self, run: Run, number: int) -> Cells:
        names = list(self._ledger.names(run, page=number))
        sha256_of = overview.content_hashes(self._ledger, run, names)
        cells = self._summaries(run, names)
        return [(cell, ContentRef(sha256_of[cell.paper], cell.question)) for cell in cells if cell.paper in sha256_of]


def _builder(request: WindowRequest, done: Set[ContentRef]) -> SampleBuilder | InformativeBuilder | WindowBuilder:
    if request.queue is Queue.RANDOM:
        return SampleBuilder(request)
    return (InformativeBuilder if request.queue is Queue.INFORMATIVE else WindowBuilder)(request, done)


def _is_valid(window: Window | None, done: Set[ContentRef]) -> bool:
    """Not after an undo, and not if every cell of the window is annotated and more cells follow."""
    if window is None or not window.done <= done:
        return False
    return window.complete or not window.keys or any(ref not in done for ref in window.refs)


def _reaches(window: Window, key: SortKey) -> bool:
    return window.complete or not window.keys or key <= window.keys[-1]
