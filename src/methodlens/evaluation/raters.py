"""Agreement among raters (annotators or readers) on cells that not all of them rated.

Everything is computed from the counts of decision patterns, so memory does not grow with the number of cells.
"""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from msgspec import Struct

from methodlens.evaluation.counts import ac1, accuracy, counts, kappa

C = TypeVar("C", bound=Hashable)
Ratings = Mapping[str, Mapping[C, bool]]
"""The decisions of each rater. A missing cell was not rated, or not decided."""
Pattern = tuple[bool | None, ...]
"""The decisions on one cell, in the order of the raters; None for a rater without a decision."""


class PairAgreement(Struct, frozen=True):
    """Two raters on the `n` cells that both decided."""

    first: str
    second: str
    n: int
    agreed: int
    agreement: float
    kappa: float
    ac1: float


class GroupAgreement(Struct, frozen=True):
    """Fleiss' kappa uses the `complete` cells that all raters decided, alpha the `pairable` cells that at least two decided."""

    raters: tuple[str, ...]
    complete: int
    pairable: int
    fleiss_kappa: float
    alpha: float


class McNemar(Struct, frozen=True):
    """The numbers of cells on which only one of two raters is right, with the p-value of McNemar's exact test (two-sided).

    Cells of one paper are not independent, so treat a p near the significance level with caution.
    """

    first: str
    second: str
    only_first: int
    only_second: int
    p: float


def pair_agreement(ratings: Ratings[C], first: str, second: str) -> PairAgreement:
    return pairwise_agreement({first: ratings[first], second: ratings[second]})[0]


def pairwise_agreement(ratings: Ratings[C]) -> tuple[PairAgreement, ...]:
    return pairwise_from_counts(tuple(ratings), _count_patterns(ratings))


def group_agreement(ratings: Ratings[C]) -> GroupAgreement:
    return group_from_counts(tuple(ratings), _count_patterns(ratings))


def _count_patterns(ratings: Ratings[C]) -> Counter[Pattern]:
    cells = dict.fromkeys(cell for decisions in ratings.values() for cell in decisions)
    return Counter(tuple(decisions.get(cell) for decisions in ratings.values()) for cell in cells)


def pairwise_from_counts(raters: Sequence[str], patterns: Mapping[Pattern, int]) -> tuple[PairAgreement, ...]:
    """Every pair of raters, from the number of cells per pattern."""
    return tuple(_pair(raters, patterns, first, second) for first, second in combinations(range(len(raters)), 2))


def _pair(raters: Sequence[str], patterns: Mapping[Pattern, int], first: int, second: int) -> PairAgreement:
    both: Counter[Pattern] = Counter()
    for pattern, times in patterns.items():
        both[pattern[first], pattern[second]] += times
    table = counts(both[True, True], both[False, True], both[True, False], both[False, False])
    agreed = int(table.tp + table.tn)
    statistics = float(accuracy(table)), float(kappa(table)), float(ac1(table))
    return PairAgreement(raters[first], raters[second], int(table.n), agreed, *statistics)


def group_from_counts(raters: Sequence[str], patterns: Mapping[Pattern, int]) -> GroupAgreement:
    """All raters together, from the number of cells per pattern."""
    units: Counter[tuple[Hashable, ...]] = Counter()
    for pattern, times in patterns.items():
        units[tuple(decision for decision in pattern if decision is not None)] += times
    complete = Counter({unit: times for unit, times in units.items() if len(unit) == len(raters)})
    pairable = Counter({unit: times for unit, times in units.items() if len(unit) > 1})
    return GroupAgreement(tuple(raters), complete.total(), pairable.total(), fleiss_kappa(complete), krippendorff_alpha(pairable))


def fleiss_kappa(units: Counter[tuple[Hashable, ...]]) -> float:
    """Fleiss (1971). A unit is the tuple of labels of one item, here with its frequency; all units need the same length."""
    n = len(next(iter(units), ()))
    if n < 2:
        return math.nan
    if any(len(unit) != n for unit in units):
        raise ValueError("Fleiss' kappa needs the same number of labels for every unit")
    total = units.total()
    agreed = sum(times * c * (c - 1) for unit, times in units.items() for c in Counter(unit).values()) / (total * n * (n - 1))
    chance = sum((c / (total * n)) ** 2 for c in _count_labels(units).values())
    return math.nan if chance == 1 else (agreed - chance) / (1 - chance)


def krippendorff_alpha(units: Counter[tuple[Hashable, ...]]) -> float:
    """Nominal alpha (Krippendorff 2011). Units may differ in length, but need at least two labels."""
    labels = _count_labels(units)
    n = labels.total()
    expected = n * n - sum(c * c for c in labels.values())
    if not expected:  # no labels, or all labels are the same
        return math.nan
    observed = Fraction()  # exact, so the result does not depend on the order of the units
    for unit, times in units.items():
        observed += Fraction(times * (len(unit) ** 2 - sum(c * c for c in Counter(unit).values())), len(unit) - 1)
    return 1 - float((n - 1) * observed / expected)


def _count_labels(units: Mapping[tuple[Hashable, ...], int]) -> Counter[Hashable]:
    labels: Counter[Hashable] = Counter()
    for unit, times in units.items():
        for label in unit:
            labels[label] += times
    return labels


def mcnemar_p(only_first: int, only_second: int) -> float:
    """
    >>> mcnemar_p(1, 9)
    0.021484375
    """
    n, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    total: int = 2**n
    return min(1.0, 2 * tail / total)  # integers up to here: floats would overflow for thousands of cells
