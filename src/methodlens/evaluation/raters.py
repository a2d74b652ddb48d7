"""Agreement among several raters, people or readers, on cells that not everyone rated.

All of it follows from how often each pattern of decisions occurs, so that a corpus of any size fits in a few counts.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from msgspec import Struct

from methodlens.evaluation.counts import ac1, accuracy, counts, kappa

Cell = tuple[str, str]
"""Paper and question."""
Ratings = Mapping[str, Mapping[Cell, bool]]
"""By rater: what he or it decided. A cell that is not there was not rated, or not decided."""
Pattern = tuple[bool | None, ...]
"""What the raters decided of one cell, in their order; None where one did not."""


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
    """Fleiss' kappa stands on the `complete` cells that every rater decided, alpha on the `pairable` ones of two or more."""

    raters: tuple[str, ...]
    complete: int
    pairable: int
    fleiss_kappa: float
    alpha: float


def pair(ratings: Ratings, first: str, second: str) -> PairAgreement:
    return pairs({first: ratings[first], second: ratings[second]})[0]


def pairs(ratings: Ratings) -> tuple[PairAgreement, ...]:
    return pairs_counted(tuple(ratings), patterns(ratings))


def group(ratings: Ratings) -> GroupAgreement:
    return group_counted(tuple(ratings), patterns(ratings))


def patterns(ratings: Ratings) -> Counter[Pattern]:
    cells = dict.fromkeys(cell for rated in ratings.values() for cell in rated)
    return Counter(tuple(rated.get(cell) for rated in ratings.values()) for cell in cells)


def pairs_counted(raters: Sequence[str], found: Mapping[Pattern, int]) -> tuple[PairAgreement, ...]:
    """Each with each, where patterns are counted and not cells."""
    return tuple(_pair(raters, found, first, second) for first, second in combinations(range(len(raters)), 2))


def _pair(raters: Sequence[str], found: Mapping[Pattern, int], first: int, second: int) -> PairAgreement:
    both: Counter[Pattern] = Counter()
    for pattern, times in found.items():
        both[pattern[first], pattern[second]] += times
    of = counts(both[True, True], both[False, True], both[True, False], both[False, False])
    n, agreed = int(of.n), int(of.tp + of.tn)
    return PairAgreement(raters[first], raters[second], n, agreed, float(accuracy(of)), float(kappa(of)), float(ac1(of)))


def group_counted(raters: Sequence[str], found: Mapping[Pattern, int]) -> GroupAgreement:
    """All of them together, where patterns are counted and not cells."""
    units: Counter[tuple[Hashable, ...]] = Counter()
    for pattern, times in found.items():
        units[tuple(decision for decision in pattern if decision is not None)] += times
    complete = Counter({unit: times for unit, times in units.items() if len(unit) == len(raters)})
    pairable = Counter({unit: times for unit, times in units.items() if len(unit) > 1})
    return GroupAgreement(tuple(raters), complete.total(), pairable.total(), _fleiss(complete), _alpha(pairable))


def fleiss_kappa(units: Iterable[Sequence[Hashable]]) -> float:
    """Fleiss (1971). Each unit has the labels it was given; every unit must have as many, two at least."""
    return _fleiss(Counter(map(tuple, units)))


def krippendorff_alpha(units: Iterable[Sequence[Hashable]]) -> float:
    """Nominal alpha (Krippendorff 2011). Units may have any number of labels; one with a single label tells nothing."""
    return _alpha(Counter(tuple(unit) for unit in units if len(unit) > 1))


def _fleiss(units: Counter[tuple[Hashable, ...]]) -> float:
    n = len(next(iter(units), ()))
    if n < 2:
        return float("nan")
    if any(len(unit) != n for unit in units):
        raise ValueError("Fleiss' kappa needs the same number of labels for every unit")
    total = units.total()
    agreed = sum(times * c * (c - 1) for unit, times in units.items() for c in Counter(unit).values()) / (total * n * (n - 1))
    chance = sum((c / (total * n)) ** 2 for c in _labels(units).values())
    return float("nan") if chance == 1 else (agreed - chance) / (1 - chance)


def _alpha(units: Counter[tuple[Hashable, ...]]) -> float:
    labels = _labels(units)
    n = labels.total()
    expected = n * n - sum(c * c for c in labels.values())
    if not expected:  # nothing to compare, or one label all over
        return float("nan")
    observed = Fraction()  # exact, so that neither the order nor the number of cells matters
    for unit, times in units.items():
        observed += Fraction(times * (len(unit) ** 2 - sum(c * c for c in Counter(unit).values())), len(unit) - 1)
    return 1 - float((n - 1) * observed / expected)


def _labels(units: Mapping[tuple[Hashable, ...], int]) -> Counter[Hashable]:
    found: Counter[Hashable] = Counter()
    for unit, times in units.items():
        for label in unit:
            found[label] += times
    return found
