"""Which cells a person is led through, and in which order: some hundreds at a time, chosen while all of them pass by."""

import bisect
from collections.abc import Collection, Set
from enum import StrEnum
from typing import Any, NamedTuple

from methodlens.evaluation.raters import Cell as Place
from methodlens.evaluation.sampling import StratifiedSample, StratifyBy, review_priority, sampling_key, shuffled
from methodlens.ledger.overview import CellSummary
from methodlens.records import Status


class Queue(StrEnum):
    ALL = "all"
    WITHHELD = "withheld"
    DISAGREEMENTS = "disagreements"
    RANDOM = "random"
    UNSEEN = "unseen"


BLIND = (Queue.RANDOM, Queue.UNSEEN)
"""The others would give away what the readers, or the other person, said of their cells."""
WALKED = (Queue.ALL, Queue.DISAGREEMENTS)
"""Looked through from the first to the last: who differs should look again. The others end when all is decided."""
SAMPLE = 50
MOST = 300
"""Cells of a queue that are held and sent at once; those after them follow when these are done."""

Key = tuple[Any, ...]
"""Where a cell stands in its queue: the smaller, the sooner."""
NOBODY: frozenset[Place] = frozenset()


class Asked(NamedTuple):
    """A part of a queue: what follows `after`, for one person."""

    queue: Queue
    seed: int
    person: str
    after: Key = ()


class Window(NamedTuple):
    """The first cells of what was asked for, in order. `waiting` counts those of the whole queue that it is not yet done with."""

    keys: tuple[Key, ...]
    places: tuple[Place, ...]
    whole: bool
    """Nothing of the queue comes after these."""
    waiting: int
    done: Set[Place]
    """What that person had decided when this was chosen; none of it is here."""


def key_of(queue: Queue, cell: CellSummary, *, seed: int) -> Key:
    return (sampling_key(cell, seed), cell.paper, cell.question) if queue is Queue.UNSEEN else review_priority(cell)


def belongs(queue: Queue, cell: CellSummary) -> bool:
    """Whatever people say. Cells of papers that could not be read have nothing to look at."""
    match queue:
        case Queue.WITHHELD:
            return cell.verdict in (Status.WITHHELD, Status.FAILED)
        case Queue.DISAGREEMENTS:
            return cell.split
        case _:
            return cell.verdict is not Status.UNREADABLE


def contradicted(cell: CellSummary, people: Collection[Status]) -> bool:
    """People contradict each other, or a person contradicts the verdict."""
    both = {Status.REPORTED, Status.NOT_REPORTED}
    return both <= set(people) or both <= {*people, cell.verdict}


class Chooser:
    """Holds no more than `MOST` cells of those that are shown to it."""

    def __init__(self, asked: Asked, done: Set[Place]) -> None:
        self._asked, self._done = asked, NOBODY if asked.queue in WALKED else done
        self._found: list[tuple[Key, Place]] = []
        self._waiting = self._following = 0

    def see(self, cell: CellSummary, place: Place) -> None:
        queue, seed, _, after = self._asked
        if not belongs(queue, cell) or place in self._done:
            return
        self._waiting += 1
        # in the order of the run, each that comes is the last
        key = (self._waiting,) if queue is Queue.ALL else key_of(queue, cell, seed=seed)
        if key <= after:
            return
        self._following += 1
        if len(self._found) < MOST or key < self._found[-1][0]:
            bisect.insort(self._found, (key, place))
            del self._found[MOST:]

    def window(self) -> Window:
        keys, places = tuple(key for key, _ in self._found), tuple(place for _, place in self._found)
        return Window(keys, places, self._following <= MOST, self._waiting, self._done)


class Sampler:
    """Fifty cells, spread over the questions; the same for everybody."""

    def __init__(self, asked: Asked) -> None:
        self._seed = asked.seed
        self._urn = StratifiedSample(SAMPLE, by=[StratifyBy.QUESTION], seed=asked.seed)
        self._places: dict[tuple[str, str], Place] = {}

    def see(self, cell: CellSummary, place: Place) -> None:
        if belongs(Queue.RANDOM, cell) and self._urn.add(cell):
            self._places[cell.paper, cell.question] = place

    def window(self) -> Window:
        places = tuple(self._places[one.paper, one.question] for one in shuffled(self._urn.draw(), seed=self._seed))
        return Window(tuple((number,) for number in range(len(places))), places, True, len(places), NOBODY)
