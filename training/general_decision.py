"""Fit what decides whether a paper reports an answer: boosted trees and a linear model over the features of cells."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from methodlens.relevance.cell_features import NEVER_LOWERS, PRIOR
from methodlens.relevance.cell_model import CellNumbers, Linear
from methodlens.relevance.trees import Trees
from training.general_cells import Asked

_ROUNDS, _DEPTH = 120, 3
_STRENGTH = 0.005  # the inverse of how strongly the linear weights are held at 0
_PRIOR_FREER = 2.0  # the prior is spread out this much more than other features, so its weight is held a quarter as strongly
_LARGE = 1000  # cells of a source
_SEED = 7

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def fit_cell(questions: Sequence[Asked], values: Sequence[Array]) -> CellNumbers:
    """Each source counts the same, small ones less: a cell of theirs would weigh too much."""
    sizes = Counter(question.source for question in questions)
    weights = np.array([len(questions) / max(_LARGE, sizes[question.source]) for question in questions])
    rows, truth = np.array(values), np.array([question.reported for question in questions])
    return CellNumbers(_trees(rows, truth, weights), _linear(rows, truth, weights))


def _linear(rows: Array, truth: Bools, weights: Array) -> Linear:
    """Fitted to features of mean 0 and spread 1, stored for the features as they are."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread < 1e-9] = 1.0
    spread[PRIOR] /= _PRIOR_FREER
    fitted = LogisticRegression(C=_STRENGTH, max_iter=1000).fit((rows - mean) / spread, truth, sample_weight=weights)
    slopes = fitted.coef_[0] / spread
    start = float(fitted.intercept_[0] - slopes @ mean)
    return Linear(round(start, 5), *(_short(each) for each in (slopes, rows.min(axis=0), rows.max(axis=0))))


def _short(numbers: Array) -> list[float]:
    return [float(f"{number:.5g}") for number in numbers]


def _trees(rows: Array, truth: Bools, weights: Array) -> Trees:
    """A better match never lowers the probability."""
    boosted = HistGradientBoostingClassifier(
        max_iter=_ROUNDS,
        max_depth=_DEPTH,
        learning_rate=0.06,
        l2_regularization=10,
        min_samples_leaf=30,
        early_stopping=False,
        random_state=_SEED,
        monotonic_cst=[int(never_lowers) for never_lowers in NEVER_LOWERS],
    ).fit(rows, truth, sample_weight=weights)
    trees = Trees(round(float(boosted._baseline_prediction[0, 0]), 5), _DEPTH, [], [], [], [], [], [])
    for (predictor,) in boosted._predictors:
        base = len(trees.feature)
        trees.roots.append(base)  # type: ignore[attr-defined]
        for number, node in enumerate(predictor.nodes):
            leaf_node = bool(node["is_leaf"])
            trees.feature.append(0 if leaf_node else int(node["feature_idx"]))  # type: ignore[attr-defined]
            trees.threshold.append(0.0 if leaf_node else float(f"{node['num_threshold']:.6g}"))  # type: ignore[attr-defined]
            trees.left.append(base + (number if leaf_node else int(node["left"])))  # type: ignore[attr-defined]
            trees.right.append(base + (number if leaf_node else int(node["right"])))  # type: ignore[attr-defined]
            trees.value.append(round(float(node["value"]), 5) if leaf_node else 0.0)  # type: ignore[attr-defined]
    return trees
