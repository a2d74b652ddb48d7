"""Which cells a person is led through, and in which order."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from methodlens.evaluation.raters import Cell as Place
from methodlens.evaluation.sampling import By, Candidate, draw, most_doubtful_first, shuffled
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


def ordered(
    queue: Queue, cells: Sequence[Candidate], decided: Mapping[Place, Collection[Status]], *, seed: int
) -> list[Candidate]:
    """`decided` has what people said of each cell. Cells of papers that could not be read have nothing to look at."""
    readable = [cell for cell in cells if cell.verdict is not Status.UNREADABLE]
    match queue:
        case Queue.ALL:
            return readable
        case Queue.WITHHELD:
            undecided = (Status.WITHHELD, Status.FAILED)
            return most_doubtful_first([cell for cell in readable if cell.verdict in undecided])
        case Queue.DISAGREEMENTS:
            return most_doubtful_first([cell for cell in readable if _differ(cell, decided.get((cell.paper, cell.question), ()))])
        case Queue.RANDOM:
            return shuffled(draw(readable, SAMPLE, by=[By.QUESTION], seed=seed), seed=seed)
        case Queue.UNSEEN:
            return shuffled(readable, seed=seed)


def _differ(cell: Candidate, people: Collection[Status]) -> bool:
    """Readers contradict each other, people do, or a person contradicts the verdict."""
    both = {Status.REPORTED, Status.NOT_REPORTED}
    return cell.split or both <= set(people) or both <= {*people, cell.verdict}
