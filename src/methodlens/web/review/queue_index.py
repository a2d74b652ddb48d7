"""The whole run, for people who are led through it. All its cells are looked through once and a few hundred are kept; again
when the run has gone on, or when somebody is done with what was kept. Nothing that is kept here grows with the run."""

import bisect
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from methodlens.evaluation.raters import Cell as Place
from methodlens.evaluation.sampling import review_priority
from methodlens.ledger import overview
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.listing import PAGE
from methodlens.ledger.overview import CellSummary
from methodlens.records import Status
from methodlens.web.review.queues import Asked, Chooser, Key, Queue, Sampler, Window, belongs, contradicted, key_of
from methodlens.web.review.run_order import first_listed

_PAGES_KEPT = 2  # of papers, with their cells: runs of up to a thousand papers are held
_WINDOWS_KEPT = 40
_CELLS_KEPT = 20_000  # those that were looked up one by one
_QUICK_S = 0.2
_REST = 10  # between two looks that are not quick lies so many times the time that one took

_EVERYTHING = Asked(Queue.ALL, 0, "")

Cells = Sequence[tuple[CellSummary, Place]]
People = Mapping[Place, Sequence[Status]]
"""What people said of cells."""


class Survey:
    """Of one run at a time. Safe to use from several threads, one after the other."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.RLock()
        self._run, self._rest_until = "", 0.0
        self._stamp: tuple[object, ...] = ()
        self._forget()

    def _forget(self) -> None:
        self._pages: dict[int, Cells] = {}
        self._windows: OrderedDict[Asked, Window] = OrderedDict()
        self._cells: dict[Place, CellSummary | None] = {}

    def _look(self, run: Run) -> None:
        """Forget everything if the run has gone on. A large run that goes on all the time is not looked at all the time."""
        started = time.monotonic()
        if run.id == self._run and started < self._rest_until:
            return
        stamp = overview.stamp(self._ledger, run)
        if stamp != self._stamp:
            self._run, self._stamp = run.id, stamp
            self._forget()
        self._rest(started)

    def _rest(self, started: float) -> None:
        ended = time.monotonic()
        if ended - started > _QUICK_S:
            self._rest_until = max(self._rest_until, ended + _REST * (ended - started))

    # --- some cells -------------------------------------------------------------------------------------------------

    def cells(self, run: Run, places: Iterable[Place]) -> dict[Place, CellSummary | None]:
        """Those of the places that are in the run, with what is said there; None where nobody has answered yet."""
        wanted = dict.fromkeys(places)
        with self._lock:
            self._look(run)
            if len(self._cells) > _CELLS_KEPT:
                self._cells = {}
            unknown = list(dict.fromkeys(place[0] for place in wanted if place not in self._cells))
            for start in range(0, len(unknown), PAGE):
                self._look_up(run, unknown[start : start + PAGE])
            return {place: self._cells[place] for place in wanted if place in self._cells}

    def _look_up(self, run: Run, sha256s: Sequence[str]) -> None:
        alike = overview.names_of(self._ledger, run, sha256s)
        sha256 = {first_listed(self._ledger, run, names): sha for sha, names in alike.items()}
        self._cells.update({(sha, question.id): None for sha in sha256.values() for question in run.questions})
        for cell in overview.glance_at(self._ledger, run, list(sha256)):
            self._cells[sha256[cell.paper], cell.question] = cell

    # --- queues -----------------------------------------------------------------------------------------------------

    def windows(self, run: Run, asked: Sequence[Asked], done: Set[Place]) -> list[Window]:
        """The first cells of each; all that are not known are chosen in one go. `done` is what the person has decided."""
        with self._lock:
            self._look(run)
            unknown = [one for one in asked if not _fits(self._windows.get(one), done)]
            if unknown:
                started = time.monotonic()
                # who looks at the matrix opens a cell next, and that says how many there are
                unknown += {_EVERYTHING} - self._windows.keys() - set(unknown)
                choosers = {one: Sampler(one) if one.queue is Queue.RANDOM else Chooser(one, done) for one in unknown}
                for cell, place in self._all(run):
                    for chooser in choosers.values():
                        chooser.see(cell, place)
                for one, chooser in choosers.items():
                    self._windows[one] = chooser.window()
                    self._windows.move_to_end(one)
                found = [self._windows[one] for one in asked]
                while len(self._windows) > _WINDOWS_KEPT:
                    self._windows.popitem(last=False)
                self._rest(started)
                return found
            return [self._windows[one] for one in asked]

    def left(self, run: Run, queue: Queue, window: Window, done: Set[Place]) -> int:
        """How many cells of the queue wait for the person. `window` is the first of the queue."""
        if queue is Queue.RANDOM:
            return sum(place not in done for place in window.places)
        since = self.cells(run, done - window.done).values()
        return window.waiting - sum(cell is not None and belongs(queue, cell) for cell in since)

    def following(self, run: Run, asked: Asked, place: Place, done: Set[Place]) -> Place | None:
        """The next cell after `place` on which the person has no word; from the beginning again at the queue's end."""
        key = self._key(run, asked, place)
        for window in self._onwards(run, asked, key, done):
            begin = bisect.bisect_right(window.keys, key)
            for one in window.places[begin:]:
                if one not in done and one != place:
                    return one
        (first,) = self.windows(run, [asked], done)
        return next((one for one in first.places if one not in done and one != place), None)

    def contradictions(self, run: Run, people: People) -> list[tuple[Key, Place]]:
        """Where people contradict each other or the verdict, and readers do not; in the order of the queue."""
        cells = self.cells(run, people)
        found = [(place, cell) for place, cell in cells.items() if cell and belongs(Queue.ALL, cell) and not cell.split]
        return sorted((review_priority(cell), place) for place, cell in found if contradicted(cell, people[place]))

    def next_disagreement(self, run: Run, asked: Asked, place: Place, people: People) -> Place | None:
        key = self._key(run, asked, place)
        after = [one for one in self.contradictions(run, people) if one[0] > key][:1]
        for window in self._onwards(run, asked, key, frozenset()):
            begin = bisect.bisect_right(window.keys, key)
            after += list(zip(window.keys, window.places, strict=True))[begin : begin + 1]
            if len(window.keys) > begin:
                break
        return min(after)[1] if after else None

    def _key(self, run: Run, asked: Asked, place: Place) -> Key:
        if asked.queue is Queue.RANDOM:
            (window,) = self.windows(run, [asked], frozenset())
            return (window.places.index(place),) if place in window.places else ()
        cell = self.cells(run, [place]).get(place)
        return key_of(asked.queue, cell, seed=asked.seed) if cell else ()

    def _onwards(self, run: Run, asked: Asked, key: Key, done: Set[Place]) -> Iterator[Window]:
        """The window that `key` falls into, then those after it."""
        with self._lock:
            self._look(run)
            (first,) = self.windows(run, [asked], done)
            others = [one for one in self._windows if one._replace(after=()) == asked and _fits(self._windows[one], done)]
            covering = (one for one in others if one.after <= key and _reaches(self._windows[one], key))
            after = () if _reaches(first, key) else next(covering, asked._replace(after=key)).after
        while True:
            (window,) = self.windows(run, [asked._replace(after=after)], done)
            yield window
            if window.whole or not window.keys:
                return
            after = window.keys[-1]

    def _all(self, run: Run) -> Iterator[tuple[CellSummary, Place]]:
        """Every cell in the run's order, of files that are the same paper those of the first."""
        known: set[int] = set()
        for number in range(-(-run.papers // PAGE)):
            page = self._pages.get(number)
            if page is None:
                page = self._page(run, number)
                if number < _PAGES_KEPT:
                    self._pages[number] = page
            paper, again = "", False
            for cell, place in page:
                if cell.paper != paper:
                    paper, mark = cell.paper, hash(place[0])
                    again = mark in known
                    known.add(mark)
                if not again:
                    yield cell, place

    def _page(self, run: Run, number: int) -> Cells:
        names = list(self._ledger.names(run, page=number))
        sha256 = overview.contents(self._ledger, run, names)
        glanced = overview.glance_at(self._ledger, run, names)
        return [(cell, (sha256[cell.paper], cell.question)) for cell in glanced if cell.paper in sha256]


def _fits(window: Window | None, done: Set[Place]) -> bool:
    """Not if the person took back what was done then, nor if all that is here is done and more may come."""
    if window is None or not window.done <= done:
        return False
    return window.whole or not window.keys or any(place not in done for place in window.places)


def _reaches(window: Window, key: Key) -> bool:
    return window.whole or not window.keys or key <= window.keys[-1]
