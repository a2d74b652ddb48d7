"""How far two raters agree, with an interval that allows for the cells of a paper being alike.

Only sums over papers are kept, so memory does not grow with the corpus.
"""

import math
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from methodlens.evaluation.counts import Counts, Numbers, count, kappa
from methodlens.reports.figures.proportions import Z_95

_STEP = 1e-4  # of all cells


class Rater(NamedTuple):
    """A reader or a person: a person may have the name of a reader."""

    kind: str
    name: str


READER = "reader"
PERSON = "person"


class PairKappa(NamedTuple):
    """Cohen's kappa of two raters on the `n` cells of `papers` papers that both decided; NaN if undefined."""

    first: Rater
    second: Rater
    papers: int
    n: int
    agreed: int
    kappa: float
    interval: tuple[float, float] | None


class _Sums:
    """Of one pair: the confusion counts, and the sum of their outer products by paper."""

    def __init__(self) -> None:
        self.papers = 0
        self.total = np.zeros(4)
        self.squares = np.zeros((4, 4))

    def add(self, counts: Numbers) -> None:
        self.papers += 1
        self.total += counts
        self.squares += np.outer(counts, counts)


class RaterPairs:
    """Call `add` once per paper."""

    def __init__(self) -> None:
        self._sums: dict[tuple[Rater, Rater], _Sums] = {}

    def add(self, decisions: Mapping[Rater, Mapping[str, bool]]) -> None:
        """The decisions of each rater on a paper, by question."""
        for first, second in combinations(sorted(decisions, key=lambda rater: (rater.kind == PERSON, rater)), 2):
            pairs = [
                (reported, decisions[second][question])
                for question, reported in decisions[first].items()
                if question in decisions[second]
            ]
            if pairs:
                self._sums.setdefault((first, second), _Sums()).add(np.array([float(part) for part in count(pairs)]))

    def kappas(self) -> list[PairKappa]:
        """Every pair that has decided a cell in common: readers first, then readers with people, then people."""
        return [_pair_kappa(*pair, sums) for pair, sums in sorted(self._sums.items(), key=lambda item: _order(item[0]))]


def _order(pair: tuple[Rater, Rater]) -> tuple[int, tuple[Rater, Rater]]:
    return sum(rater.kind == PERSON for rater in pair), pair


def _pair_kappa(first: Rater, second: Rater, sums: _Sums) -> PairKappa:
    value = _kappa(sums.total)
    n, agreed = int(sums.total.sum()), int(sums.total[0] + sums.total[3])
    return PairKappa(first, second, sums.papers, n, agreed, value, _interval(value, sums))


def _interval(value: float, sums: _Sums) -> tuple[float, float] | None:
    """The delta method with papers as clusters; None if there is only one, or no disagreement to learn from."""
    if math.isnan(value) or sums.papers < 2 or abs(value) == 1:
        return None
    gradient = _gradient(sums.total)
    # kappa stays the same when all counts are scaled, so the gradient times the mean counts is 0: nothing to subtract
    variance = float(gradient @ sums.squares @ gradient) * sums.papers / (sums.papers - 1)
    spread = Z_95 * math.sqrt(max(variance, 0.0))
    return max(-1.0, value - spread), min(1.0, value + spread)


def _gradient(counts: Numbers) -> Numbers:
    """How kappa changes with each of the four counts, by small steps to both sides."""
    steps = np.eye(4) * _STEP * counts.sum()
    below, above = np.maximum(counts - steps, 0), counts + steps
    changes = np.array([_kappa(after) - _kappa(before) for before, after in zip(below, above, strict=True)])
    slopes: Numbers = changes / (above - below).sum(axis=1)
    return slopes


def _kappa(counts: Numbers) -> float:
    return float(kappa(Counts(*counts)))
