"""The second look at the best sentences: a small network moves score between them by what sets them apart from each other."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from methodlens.relevance.features import AskedQuestion
from methodlens.relevance.rerank_features import Scores, candidates, rerank_features
from methodlens.relevance.sentence_table import SentenceTable
from methodlens.text.vectors import Matrix

_FARTHEST = 4.0  # spreads from the mean up to which a feature counts


class Network(Struct, frozen=True, forbid_unknown_fields=True):
    """One hidden layer. Features are centred by `mean` and divided by `spread`; `kept` is the weight of the first score."""

    mean: Sequence[float]
    spread: Sequence[float]
    hidden: Sequence[Sequence[float]]
    """One row per unit."""
    bias: Sequence[float]
    out: Sequence[float]
    kept: float


class Reranker:
    """`Network` ready for use."""

    def __init__(self, network: Network) -> None:
        self._mean, self._spread = (np.array(each, np.float32) for each in (network.mean, network.spread))
        self._hidden = np.array(network.hidden, np.float32).reshape(len(network.bias), len(network.mean)).T
        self._bias, self._out = (np.array(each, np.float32) for each in (network.bias, network.out))
        self._kept = network.kept

    def reranked(self, asked: AskedQuestion, rows: Matrix, scores: Scores, table: SentenceTable) -> Scores:
        """The scores of all sentences. Those of the best change, but together they weigh what they did before, so that they
        stay comparable with the others."""
        order = candidates(scores, table)
        if len(order) < 2:
            return scores
        return redistributed(scores, order, self.second_scores(rerank_features(asked, rows, scores, table, order), scores[order]))

    def second_scores(self, features: Matrix, scores: Scores) -> Scores:
        active = np.maximum(standard(features, self._mean, self._spread) @ self._hidden + self._bias, 0)
        return np.asarray(self._kept * scores + active @ self._out, np.float64)


def redistributed(scores: Scores, order: npt.NDArray[np.int64], second: Scores) -> Scores:
    """The scores with those at `order` replaced, moved by the number that keeps the sum of their exponentials.

    >>> redistributed(np.array([0.0, 1.0, 2.0]), np.array([2, 1]), np.array([5.0, 6.0])).round(9).tolist()
    [0.0, 2.0, 1.0]
    """
    changed = scores.copy()
    changed[order] = second + (_log_sum(scores[order]) - _log_sum(second))
    return changed


def standard(features: Matrix, mean: Matrix, spread: Matrix) -> Matrix:
    return np.asarray(np.clip((features - mean) / spread, -_FARTHEST, _FARTHEST), np.float32)


def _log_sum(values: Scores) -> float:
    best = float(values.max())
    return best + float(np.log(np.exp(values - best).sum()))
