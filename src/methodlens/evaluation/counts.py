"""Measures of a yes/no decision against the truth, all from four counts. Arrays go through as they are: the bootstrap
asks for a thousand resamples at once. What is undefined (no yes to find, nothing but yes) is NaN, never a made-up 0 or 1.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = NDArray[np.float64]


class Counts(NamedTuple):
    """Yes and yes, yes where the truth is no, no where it is yes, no and no."""

    tp: Numbers
    fp: Numbers
    fn: Numbers
    tn: Numbers

    @property
    def n(self) -> Numbers:
        return self.tp + self.fp + self.fn + self.tn


def count(pairs: Iterable[tuple[bool, bool]]) -> Counts:
    """From (truth, said) pairs.

    >>> count([(True, True), (False, True), (False, False)]).fp
    array(1.)
    """
    cells = [0, 0, 0, 0]
    for truth, said in pairs:
        cells[(0 if truth else 1) if said else (2 if truth else 3)] += 1
    return counts(*cells)


def counts(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Counts:
    return Counts(*(np.asarray(part, dtype=np.float64) for part in (tp, fp, fn, tn)))


def accuracy(c: Counts) -> Numbers:
    return ratio(c.tp + c.tn, c.n)


def balanced_accuracy(c: Counts) -> Numbers:
    """The mean of the recalls of yes and of no; of the one that there is, where the truth knows only one."""
    yes, no = recall(c), ratio(c.tn, c.tn + c.fp)
    return np.where(np.isnan(yes), no, np.where(np.isnan(no), yes, (yes + no) / 2))


def precision(c: Counts) -> Numbers:
    return ratio(c.tp, c.tp + c.fp)


def recall(c: Counts) -> Numbers:
    return ratio(c.tp, c.tp + c.fn)


def f1(c: Counts) -> Numbers:
    return ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn)


def kappa(c: Counts) -> Numbers:
    """Cohen's: undefined when both say one and the same of everything."""
    yes = (c.tp + c.fp) * (c.tp + c.fn)
    no = (c.tn + c.fn) * (c.tn + c.fp)
    return _beyond_chance(accuracy(c), ratio(yes + no, c.n * c.n))


def ac1(c: Counts) -> Numbers:
    """Gwet's first-order agreement coefficient (2008): as kappa, but steady where nearly everything is yes, or no."""
    share = ratio(2 * c.tp + c.fp + c.fn, 2 * c.n)
    return _beyond_chance(accuracy(c), 2 * share * (1 - share))


MEASURES: Mapping[str, Callable[[Counts], Numbers]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "kappa": kappa,
    "ac1": ac1,
}


def _beyond_chance(agreed: Numbers, chance: Numbers) -> Numbers:
    return ratio(agreed - chance, 1 - chance)


def ratio(above: Numbers, below: Numbers) -> Numbers:
    """NaN where there is nothing to divide by."""
    above, below = np.broadcast_arrays(above, below)
    found: Numbers = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=found, where=below != 0)
    return found
