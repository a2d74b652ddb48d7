"""One logistic regression for all questions together: each question's weights are shared ones plus its own differences, both held
near 0, since a question has few examples of its own."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.optimize import minimize

Array = npt.NDArray[np.float64]


class Block(Struct, frozen=True):
    """All examples of one question."""

    rows: Array
    labels: Array
    """1 or 0."""


class Pull(Struct, frozen=True):
    """How strongly weights are held at 0, by column: those shared, and a question's differences from them."""

    shared: Array
    own: Array
    start: float
    """The same for a question's intercept; the shared one is free."""


class SharedWeights(Struct, frozen=True):
    shared: Array
    start: float
    own: Array
    """By block, what its question adds to the shared weights."""
    starts: Array


def fit(blocks: Sequence[Block], pull: Pull, *, steps: int) -> SharedWeights:
    width, count = blocks[0].rows.shape[1], len(blocks)
    end = width + 1 + count * width

    def loss(values: Array) -> tuple[float, Array]:
        shared, start, own, starts = values[:width], values[width], values[width + 1 : end].reshape(count, width), values[end:]
        total = float(pull.shared @ shared**2 + (own**2 @ pull.own).sum() + pull.start * (starts @ starts)) / 2
        slopes, slope_start, own_slopes, start_slopes = pull.shared * shared, 0.0, pull.own * own, pull.start * starts
        for at, block in enumerate(blocks):
            z = block.rows @ (shared + own[at]) + start + starts[at]
            total += float((np.logaddexp(0, z) - block.labels * z).sum())
            error = 1 / (1 + np.exp(-z)) - block.labels
            slope = error @ block.rows
            slopes = slopes + slope
            own_slopes[at] += slope
            slope_start += float(error.sum())
            start_slopes[at] += error.sum()
        return total, np.r_[slopes, slope_start, own_slopes.ravel(), start_slopes]

    found = minimize(loss, np.zeros(end + count), jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
    return SharedWeights(found[:width], float(found[width]), found[width + 1 : end].reshape(count, width), found[end:])
