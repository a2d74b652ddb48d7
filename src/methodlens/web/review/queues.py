"""Review queues: which cells a reviewer goes through, and in which order.

A queue may have millions of cells. A window of it, a few hundred cells, is selected in one pass over all of them.
"""

import bisect
from collections import Counter
from collections.abc import Collection, Set
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct

from methodlens.evaluation.sampling import StratifiedSample, StratifyBy, review_priority, sampling_key, shuffled
from methodlens.ledger.overview import CellSummary
from methodlens.records import ContentRef, Status


class Queue(StrEnum):
    ALL = "all"
    WITHHELD = "withheld"
    DISAGREEMENTS = "disagreements"
    RANDOM = "random"
    UNSEEN = "unseen"
    INFORMATIVE = "informative"
    ADJUDICATE = "adjudicate"

    def contains(self, cell: CellSummary) -> bool:
        """Apart from annotations. Cells of unreadable papers are in no queue."""
        match self:
            case Queue.WITHHELD:
                return cell.verdict in (Status.WITHHELD, Status.FAILED)
            case Queue.DISAGREEMENTS:
                return cell.split
            case Queue.ADJUDICATE:
                return False  # what people decided puts a cell there
            case Queue.INFORMATIVE:
                return cell.verdict is not Status.UNREADABLE and cell.uncertainty > _CERTAIN
            case _:
                return cell.verdict is not Status.UNREADABLE

    def sort_key(self, cell: CellSummary, *, seed: int) -> "SortKey":
        return (sampling_key(cell, seed), cell.paper, cell.question) if self is Queue.UNSEEN else review_priority(cell)


OPEN = (Queue.INFORMATIVE, Queue.WITHHELD, Queue.DISAGREEMENTS, Queue.RANDOM, Queue.UNSEEN)
"""The queues for reviewers who see verdicts."""
BLIND = (Queue.RANDOM, Queue.UNSEEN)
"""The queues for blind reviewers: membership in the others reveals the verdict."""
MEASURED = (Queue.RANDOM, Queue.WITHHELD, Queue.UNSEEN)
"""The queues in which everybody's progress is measured."""
DEFAULT_SEED = 7
WALKED = (Queue.ALL, Queue.DISAGREEMENTS)
"""Queues that also show annotated cells, so that reviewers can reconsider. The others end when every cell is annotated."""
SAMPLE = 50
_CERTAIN = 0.1
"""At most this uncertain, a cell teaches nothing worth a look: readers agree, and give a probability of 0.95 or more."""
MOST = 300
"""Cells per window."""

SortKey = tuple[Any, ...]
NO_REFS: frozenset[ContentRef] = frozenset()


class QueueView(Struct, frozen=True):
    """The first few hundred cells of a queue, as paper checksum and question, in review order.

    `left` counts all cells that the reviewer has not annotated; in the queues `all` and `disagreements` it counts all cells.
    """

    queue: str
    seed: int
    cells: tuple[ContentRef, ...]
    left: int


class WindowRequest(NamedTuple):
    """The part of a queue after the key `after`, for one reviewer."""

    queue: Queue
    seed: int
    reviewer: str
    after: SortKey = ()


class Window(NamedTuple):
    """The first cells of the requested part, in order."""

    keys: tuple[SortKey, ...]
    refs: tuple[ContentRef, ...]
    complete: bool
    """No cell of the queue follows these."""
    waiting: int
    """Cells of the whole queue, without those in `done`."""
    done: Set[ContentRef]
    """The cells that the reviewer had annotated when the window was built; it contains none of them."""


def contradicted(cell: CellSummary, people: Collection[Status]) -> bool:
    """People contradict each other, or a person contradicts the verdict."""
    both = {Status.REPORTED, Status.NOT_REPORTED}
    return both <= set(people) or both <= {*people, cell.verdict}


class WindowBuilder:
    """Selects the first `MOST` cells of a queue from a stream of all cells."""

    def __init__(self, request: WindowRequest, done: Set[ContentRef]) -> None:
        self._request, self._done = request, NO_REFS if request.queue in WALKED else done
        self._selected: list[tuple[SortKey, ContentRef]] = []
        self._waiting = self._following = 0

    def add(self, cell: CellSummary, ref: ContentRef) -> None:
        queue, seed, _, after = self._request
        if not queue.contains(cell) or ref in self._done:
            return
        self._waiting += 1
        # cells arrive in run order, so a counter is the key of that order
        key = (self._waiting,) if queue is Queue.ALL else queue.sort_key(cell, seed=seed)
        if key <= after:
            return
        self._following += 1
        if len(self._selected) < MOST or key < self._selected[-1][0]:
            bisect.insort(self._selected, (key, ref))
            del self._selected[MOST:]

    def window(self) -> Window:
        keys, refs = tuple(key for key, _ in self._selected), tuple(ref for _, ref in self._selected)
        return Window(keys, refs, self._following <= MOST, self._waiting, self._done)


class InformativeBuilder:
    """Selects the cells that teach most, as in active learning: the uncertain ones of questions with much doubt.

    The gain of a decision is the cell's uncertainty times the doubt left on its question, divided by the decisions there
    are, counting the cells before it in the queue: after some of one question, another has more to gain.
    """

    def __init__(self, request: WindowRequest, done: Set[ContentRef]) -> None:
        self._seed, self._done = request.seed, done
        self._doubt: dict[str, float] = {}
        self._best: dict[str, list[tuple[float, bytes, ContentRef]]] = {}
        self._waiting = 0

    def add(self, cell: CellSummary, ref: ContentRef) -> None:
        if ref in self._done or not Queue.INFORMATIVE.contains(cell):
            return
        self._waiting += 1
        self._doubt[cell.question] = self._doubt.get(cell.question, 0.0) + cell.uncertainty
        best = self._best.setdefault(cell.question, [])
        bisect.insort(best, (-cell.uncertainty, sampling_key(cell, self._seed), ref))
        del best[MOST:]

    def window(self) -> Window:
        decided = Counter(ref.question for ref in self._done)
        ranked: list[tuple[SortKey, ContentRef]] = []
        for question, best in self._best.items():
            for rank, (negative_uncertainty, tie_break, ref) in enumerate(best, 1):
                gain = negative_uncertainty * self._doubt[question] / (decided[question] + rank)
                ranked.append(((gain, tie_break, *ref), ref))
        ranked = sorted(ranked)[:MOST]
        keys, refs = tuple(key for key, _ in ranked), tuple(ref for _, ref in ranked)
        return Window(keys, refs, self._waiting <= len(refs), self._waiting, self._done)


class SampleBuilder:
    """Draws fifty cells spread over the questions; the same sample for every reviewer."""

    def __init__(self, request: WindowRequest) -> None:
        self._seed = request.seed
        self._sample = StratifiedSample(SAMPLE, by=[StratifyBy.QUESTION], seed=request.seed)
        self._refs: dict[tuple[str, str], ContentRef] = {}

    def add(self, cell: CellSummary, ref: ContentRef) -> None:
        if Queue.RANDOM.contains(cell) and self._sample.add(cell):
            self._refs[cell.paper, cell.question] = ref

    def window(self) -> Window:
        refs = tuple(self._refs[cell.paper, cell.question] for cell in shuffled(self._sample.draw(), seed=self._seed))
        return Window(tuple((number,) for number in range(len(refs))), refs, True, len(refs), NO_REFS)
