"""Agreement among several raters, people or readers, on cells that not everyone rated."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from methodlens.evaluation.counts import ac1, accuracy, count, kappa

Cell = tuple[str, str]
"""Paper and question."""
Ratings = Mapping[str, Mapping[Cell, bool]]
"""By rater: what he or it decided. A cell that is not there was not rated, or not decided."""


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
    a, b = ratings[first], ratings[second]
    shared = [(a[cell], b[cell]) for cell in a if cell in b]
    found = count(shared)
    agreed = int(found.tp + found.tn)
    return PairAgreement(first, second, len(shared), agreed, float(accuracy(found)), float(kappa(found)), float(ac1(found)))


def pairs(ratings: Ratings) -> tuple[PairAgreement, ...]:
    return tuple(pair(ratings, first, second) for first, second in combinations(ratings, 2))


def group(ratings: Ratings) -> GroupAgreement:
    units: dict[Cell, list[bool]] = {}
    for rated in ratings.values():
        for cell, decision in rated.items():
            units.setdefault(cell, []).append(decision)
    complete = [unit for unit in units.values() if len(unit) == len(ratings)]
    pairable = [unit for unit in units.values() if len(unit) > 1]
    return GroupAgreement(tuple(ratings), len(complete), len(pairable), fleiss_kappa(complete), krippendorff_alpha(pairable))


def fleiss_kappa(units: Sequence[Sequence[Hashable]]) -> float:
    """Fleiss (1971). Each unit has the labels it was given; every unit must have as many, two at least."""
    if not units or len(units[0]) < 2:
        return float("nan")
    n = len(units[0])
    if any(len(unit) != n for unit in units):
        raise ValueError("Fleiss' kappa needs the same number of labels for every unit")
    tables = [Counter(unit) for unit in units]
    agreed = sum(c * (c - 1) for table in tables for c in table.values()) / (len(units) * n * (n - 1))
    totals = sum(tables, Counter[Hashable]())
    chance = sum((c / (len(units) * n)) ** 2 for c in totals.values())
    return float("nan") if chance == 1 else (agreed - chance) / (1 - chance)


def krippendorff_alpha(units: Sequence[Sequence[Hashable]]) -> float:
    """Nominal alpha (Krippendorff 2011). Units may have any number of labels; one with a single label tells nothing."""
    tables = [Counter(unit) for unit in units if len(unit) > 1]
    totals = sum(tables, Counter[Hashable]())
    n = totals.total()
    expected = n * n - sum(c * c for c in totals.values())
    if not expected:  # nothing to compare, or one label all over
        return float("nan")
    observed = sum((t.total() ** 2 - sum(c * c for c in t.values())) / (t.total() - 1) for t in tables)
    return 1 - (n - 1) * observed / expected
