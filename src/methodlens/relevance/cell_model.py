"""From the features of a cell to the probability that the paper reports an answer: boosted trees and a linear model together.

Trees fit the kinds of questions that they saw better, and a linear model errs less on others: on questions left out of training,
both together are better than each. Numbers only, evaluated with numpy alone.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from methodlens.relevance.trees import Trees, TreeSum

_OF_THE_LINEAR = 0.2  # its share of the log odds; chosen on questions that were held out
_SUREST = 0.97


class Linear(Struct, frozen=True, forbid_unknown_fields=True):
    """`least` and `most` are the ends of what each feature was in training."""

    start: float
    weights: Sequence[float]
    least: Sequence[float]
    most: Sequence[float]


class LinearSum:
    """`Linear` ready for use. A value beyond those of training counts as the nearest of them: a line has no end.

    >>> LinearSum(Linear(0.5, [2.0], [0.0], [1.0])).margins(np.array([[0.5], [9.0]])).tolist()
    [1.5, 2.5]
    """

    def __init__(self, linear: Linear) -> None:
        self._start = linear.start
        self._weights, self._least, self._most = (np.array(each, float) for each in (linear.weights, linear.least, linear.most))

    def margins(self, rows: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """The log odds of each row."""
        return np.asarray(self._start + np.clip(rows, self._least, self._most) @ self._weights, np.float64)


class CellNumbers(Struct, frozen=True, forbid_unknown_fields=True):
    trees: Trees
    linear: Linear


class CellModel:
    """`CellNumbers` ready for use."""

    def __init__(self, numbers: CellNumbers) -> None:
        self._trees, self._linear = TreeSum(numbers.trees), LinearSum(numbers.linear)

    def probabilities(self, rows: npt.NDArray[np.floating]) -> list[float]:
        """One per row of `cell_features`."""
        margins = (1 - _OF_THE_LINEAR) * self._trees.margins(rows) + _OF_THE_LINEAR * self._linear.margins(rows)
        return [probability(margin) for margin in margins.tolist()]


def probability(margin: float) -> float:
    """Of log odds; never quite sure.

    >>> probability(0.0), probability(50.0)
    (0.5, 0.97)
    """
    return round(min(_SUREST, max(1 - _SUREST, 1 / (1 + math.exp(-margin)))), 4)
