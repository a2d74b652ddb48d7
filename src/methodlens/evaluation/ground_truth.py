"""Merge the labels of several annotators into one label per cell, and list the cells they disagree on."""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from methodlens.evaluation.labels import Label
from methodlens.ledger.annotations import ADJUDICATED
from methodlens.records import CellRef, Status


class Dispute(Struct, frozen=True):
    """A cell without ground truth: annotators are evenly split, or none of them is sure."""

    paper: str
    question: str
    said: Mapping[str, Status]


class GroundTruth(Struct, frozen=True):
    reported: Mapping[CellRef, bool]
    soft: frozenset[CellRef]
    """Cells that an annotator marked as borderline."""
    disputes: tuple[Dispute, ...]
    annotators: Mapping[str, Mapping[CellRef, bool]]
    """The decisions of each annotator."""


def ground_truth(labels: Iterable[Label]) -> GroundTruth:
    """The adjudicated label of each cell if it has one, else the majority of the annotators that decided."""
    by_cell: dict[CellRef, dict[str, Label]] = {}
    for label in labels:
        by_cell.setdefault(CellRef(label.paper, label.question), {})[label.annotator] = label
    reported: dict[CellRef, bool] = {}
    disputes: list[Dispute] = []
    annotators: dict[str, dict[CellRef, bool]] = {}
    for cell, by_annotator in by_cell.items():
        statuses = {name: label.status for name, label in by_annotator.items()}
        for name, status in statuses.items():
            decisions = annotators.setdefault(name, {})
            if status.reported is not None:
                decisions[cell] = status.reported
        merged = _merge(statuses)
        if merged is None:
            disputes.append(Dispute(*cell, statuses))
        else:
            reported[cell] = merged
    soft = frozenset(cell for cell, given in by_cell.items() if not all(label.firm for label in given.values()))
    return GroundTruth(reported, soft, tuple(disputes), annotators)


def _merge(statuses: Mapping[str, Status]) -> bool | None:
    """
    >>> _merge({"ann": Status.REPORTED, "bob": Status.NOT_REPORTED, ADJUDICATED: Status.NOT_REPORTED})
    False
    """
    if ADJUDICATED in statuses:
        return statuses[ADJUDICATED].reported
    votes = Counter(status.reported for status in statuses.values())
    return None if votes[True] == votes[False] else votes[True] > votes[False]


def disagreements(truth: GroundTruth, first: str, second: str) -> list[CellRef]:
    """The cells on which two annotators decided differently."""
    a, b = truth.annotators[first], truth.annotators[second]
    return [cell for cell in a if cell in b and a[cell] != b[cell]]
