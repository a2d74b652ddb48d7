"""Boosted trees as numbers: evaluated with numpy alone, for as many rows as there are."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct


class Trees(Struct, frozen=True, forbid_unknown_fields=True):
    """A sum of decision trees, all nodes in one list. A leaf is its own child on both sides: walks may be of any length."""

    start: float
    depth: int
    roots: Sequence[int]
    feature: Sequence[int]
    threshold: Sequence[float]
    left: Sequence[int]
    right: Sequence[int]
    value: Sequence[float]


class TreeSum:
    """`Trees` ready for use.

    >>> trees = Trees(0.5, 1, [0], [0, 0, 0], [1.0, 0.0, 0.0], [1, 1, 2], [2, 1, 2], [0.0, -1.0, 2.0])
    >>> TreeSum(trees).margins(np.array([[0.0], [3.0]])).tolist()
    [-0.5, 2.5]
    """

    def __init__(self, trees: Trees) -> None:
        self._start, self._depth = trees.start, trees.depth
        self._roots = np.array(trees.roots, np.int64)
        self._feature = np.array(trees.feature, np.int64)
        self._threshold = np.array(trees.threshold, np.float64)
        self._children = np.array([trees.right, trees.left], np.int64)
        self._value = np.array(trees.value, np.float64)

    def margins(self, rows: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """The log odds of each row."""
        at = np.repeat(self._roots[None, :], len(rows), axis=0)
        number = np.arange(len(rows))[:, None]
        for _ in range(self._depth):
            goes_left = rows[number, self._feature[at]] <= self._threshold[at]
            at = self._children[goes_left.astype(np.int64), at]
        return np.asarray(self._start + self._value[at].sum(axis=1), np.float64)
