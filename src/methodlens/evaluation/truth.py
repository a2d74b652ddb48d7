"""Several people's labels -> one truth a cell, and the cells they do not agree on."""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from methodlens.evaluation.gold import Label
from methodlens.evaluation.raters import Cell
from methodlens.records import Status

ADJUDICATED = "adjudicated"
"""The annotator whose word settles what others disagree on."""


class Dispute(Struct, frozen=True):
    """A cell without a truth: people differ evenly, or nobody is sure."""

    paper: str
    question: str
    said: Mapping[str, Status]


class Truth(Struct, frozen=True):
    reported: Mapping[Cell, bool]
    soft: frozenset[Cell]
    """Cells that a person marked as borderline."""
    disputes: tuple[Dispute, ...]
    annotators: Mapping[str, Mapping[Cell, bool]]
    """What each decided, for the agreement among them."""


def truth(labels: Iterable[Label]) -> Truth:
    """The adjudicated label where there is one, else the majority of those who decided."""
    by_cell: dict[Cell, dict[str, Label]] = {}
    for label in labels:
        by_cell.setdefault((label.paper, label.question), {})[label.annotator] = label
    reported: dict[Cell, bool] = {}
    disputes: list[Dispute] = []
    annotators: dict[str, dict[Cell, bool]] = {}
    for cell, given in by_cell.items():
        said = {name: label.status for name, label in given.items()}
        for name, status in said.items():
            rated = annotators.setdefault(name, {})
            if status.reported is not None:
                rated[cell] = status.reported
        decided = settle(said)
        if decided is None:
            disputes.append(Dispute(*cell, said))
        else:
            reported[cell] = decided
    soft = frozenset(cell for cell, given in by_cell.items() if not all(label.firm for label in given.values()))
    return Truth(reported, soft, tuple(disputes), annotators)


def settle(said: Mapping[str, Status]) -> bool | None:
    """
    >>> settle({"ann": Status.REPORTED, "bob": Status.NOT_REPORTED, ADJUDICATED: Status.NOT_REPORTED})
    False
    """
    if ADJUDICATED in said:
        return said[ADJUDICATED].reported
    votes = Counter(status.reported for status in said.values())
    return None if votes[True] == votes[False] else votes[True] > votes[False]


def disagreements(truth: Truth, first: str, second: str) -> list[Cell]:
    """The cells on which two annotators decided differently, in order."""
    a, b = truth.annotators[first], truth.annotators[second]
    return [cell for cell in a if cell in b and a[cell] != b[cell]]
