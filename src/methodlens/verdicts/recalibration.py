"""Refit the probabilities of a question to what the reviewers of a corpus decided.

A reader's log odds are shifted and stretched, so its order of the papers stays. Both are held near "no change": a few dozen
decisions leave much to chance.
"""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

LEAST_DECISIONS = 30
"""With fewer, chance moves the probabilities more than the reviewers do."""
_FOLDS = 10
_SMALLEST = 0.005  # probabilities are kept this far from 0 and 1
_PENALTY = np.array([0.3, 5.0])  # holds the offset at 0 and the slope at 1; chosen on checklist items of other fields
_STEPS = 40


class Decision(Struct, frozen=True):
    """What reviewers decided on a cell, and the reader's probability before it."""

    p: float
    reported: bool


class Recalibration(Struct, frozen=True):
    """New log odds = offset + slope x the reader's. `decisions` is how many it was fitted to."""

    offset: float
    slope: float
    decisions: int

    def __call__(self, p: float) -> float:
        """
        >>> round(Recalibration(offset=1.0, slope=1.0, decisions=30)(0.5), 2)
        0.73
        """
        return _probability(self.offset + self.slope * _log_odds(p))


def recalibrate(decisions: Sequence[Decision]) -> Recalibration:
    """Newton's method on the log loss, with a penalty for changing the reader's log odds."""
    odds = np.array([_log_odds(decision.p) for decision in decisions])
    truth = np.array([decision.reported for decision in decisions], float)
    rows = np.stack([np.ones(len(odds)), odds], axis=1)
    change = np.zeros(2)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(odds + rows @ change)))
        gradient = rows.T @ (p - truth) + _PENALTY * change
        curvature = (rows * (p * (1 - p))[:, None]).T @ rows + np.diag(_PENALTY)
        change -= np.clip(np.linalg.solve(curvature, gradient), -1, 1)  # longer steps overshoot where the loss is flat
    return Recalibration(round(float(change[0]), 4), round(max(0.0, 1 + float(change[1])), 4), len(decisions))


def cross_validated(decisions: Sequence[Decision]) -> list[float]:
    """The probability of each decided cell, by a recalibration that did not see its decision."""
    p = [decision.p for decision in decisions]
    # each fold has its share of yes and no, and of high and low probabilities; the order of the decisions does not matter
    order = sorted(range(len(decisions)), key=lambda number: (decisions[number].reported, decisions[number].p))
    for left_out in (order[start::_FOLDS] for start in range(_FOLDS)):
        others = set(order).difference(left_out)
        fitted = recalibrate([decisions[number] for number in order if number in others])
        for number in left_out:
            p[number] = fitted(decisions[number].p)
    return p


def _log_odds(p: float) -> float:
    kept = min(max(p, _SMALLEST), 1 - _SMALLEST)
    return math.log(kept / (1 - kept))


def _probability(log_odds: float) -> float:
    return min(max(1 / (1 + math.exp(-log_odds)), _SMALLEST), 1 - _SMALLEST)
