"""Measures of binary decisions against the truth, computed from the confusion matrix.

They accept arrays: the bootstrap computes a thousand resamples at once. Undefined values are NaN, never 0 or 1.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = NDArray[np.float64]


class Counts(NamedTuple):
    """True positives, false positives, false negatives, true negatives."""

    tp: Numbers
    fp: Numbers
    fn: Numbers
    tn: Numbers

    @property
    def n(self) -> Numbers:
        return self.tp + self.fp + self.fn + self.tn


def count(pairs: Iterable[tuple[bool, bool]]) -> Counts:
    """From (truth, decision) pairs.

    >>> count([(True, True), (False, True), (False, False)]).fp
    array(1.)
    """
    cells = [0, 0, 0, 0]
    for truth, decision in pairs:
        cells[(0 if truth else 1) if decision else (2 if truth else 3)] += 1
    return counts(*cells)


def counts(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Counts:
    return Counts(*(np.asarray(part, dtype=np.float64) for part in (tp, fp, fn, tn)))


def accuracy(c: Counts) -> Numbers:
    return ratio(c.tp + c.tn, c.n)


def balanced_accuracy(c: Counts) -> Numbers:
    """The mean of sensitivity and specificity; if only one is defined, that one."""
    yes, no = recall(c), ratio(c.tn, c.tn + c.fp)
    return np.where(np.isnan(yes), no, np.where(np.isnan(no), yes, (yes + no) / 2))


def precision(c: Counts) -> Numbers:
    return ratio(c.tp, c.tp + c.fp)


def recall(c: Counts) -> Numbers:
    return ratio(c.tp, c.tp + c.fn)


def f1(c: Counts) -> Numbers:
    return ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn)


def kappa(c: Counts) -> Numbers:
    """Cohen's kappa: undefined if both sides give the same single label to everything."""
    yes = (c.tp + c.fp) * (c.tp + c.fn)
    no = (c.tn + c.fn) * (c.tn + c.fp)
    return _beyond_chance(accuracy(c), ratio(yes + no, c.n * c.n))


def ac1(c: Counts) -> Numbers:
    """Gwet's AC1 (2008): like kappa, but stable if nearly all labels are the same."""
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


def ratio(numerator: Numbers, denominator: Numbers) -> Numbers:
    """NaN where the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    quotient: Numbers = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient
