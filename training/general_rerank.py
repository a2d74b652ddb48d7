"""Fit the network that takes a second look at the best sentences of a paper: see relevance/reranker.py.

It learns from first scores by models that saw neither the paper nor the question: it meets such scores in use.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from methodlens.relevance.rerank_features import MOST_CANDIDATES, RERANK_NAMES
from methodlens.relevance.reranker import Network, standard
from methodlens.text.vectors import Matrix

_NETWORKS, _UNITS = 3, 24  # several small networks from other starts, taken together, err less than one
_EPOCHS, _BATCH = 16, 64
_RATE, _WARM_UP = 2e-3, 0.15  # of Adam, and the share of the steps until it is reached
_DROPPED = 0.3  # the share of hidden units left out at each step
_DECAY = 0.1
_KEPT = 0.8  # the weight of the first score to begin with
_TRUSTED = 0.5  # the share of the network in the second score, the rest is the first: it is too sure on its own
_NO_SENTENCE = -1e4  # the score of a place without a sentence
_LARGE = 1000  # cells of a source

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]


class Rivals(NamedTuple):
    """The best sentences for a question to a paper: their features, first scores, and which of them answer."""

    source: str
    features: Matrix
    scores: npt.NDArray[np.float64]
    answers: Bools


def fit_network(lists: Sequence[Rivals]) -> Network:
    """Softmax over the best sentences; what is raised is the share of those that answer. Each source counts the same, small ones
    less."""
    used = [each for each in lists if each.answers.any()]
    sizes = Counter(each.source for each in used)
    weights = np.array([min(1.0, _LARGE / sizes[each.source]) for each in used], np.float32)
    values = np.concatenate([each.features for each in used])
    mean, spread = values.mean(axis=0), values.std(axis=0) + np.float32(1e-6)
    shape = (len(used), MOST_CANDIDATES)
    data = _Data(
        np.zeros((*shape, len(RERANK_NAMES)), np.float32), np.full(shape, -1e4, np.float32), np.zeros(shape, bool), weights
    )
    for number, each in enumerate(used):
        count = len(each.scores)
        data.inputs[number, :count] = standard(each.features, mean, spread)
        data.scores[number, :count] = each.scores
        data.answers[number, :count] = each.answers
    fitted = [_fit(data, seed) for seed in range(_NETWORKS)]
    return Network(
        _short(mean),
        _short(spread),
        [_short(unit) for each in fitted for unit in each[0].T],
        [number for each in fitted for number in _short(each[1])],
        [number for each in fitted for number in _short(each[2] * _TRUSTED / _NETWORKS)],
        float(f"{_TRUSTED * np.mean([each[3][0] for each in fitted]) + 1 - _TRUSTED:.4g}"),
    )


class _Data(NamedTuple):
    """One row per cell."""

    inputs: Floats
    scores: Floats
    answers: Bools
    weights: Floats


def _fit(data: _Data, seed: int) -> list[Floats]:
    """Hidden weights, biases, output weights and the weight of the first score, by Adam."""
    chance = np.random.default_rng(seed)
    width = data.inputs.shape[2]
    bound = width**-0.5
    parameters = [
        chance.uniform(-bound, bound, (width, _UNITS)).astype(np.float32),
        chance.uniform(-bound, bound, _UNITS).astype(np.float32),
        np.zeros(_UNITS, np.float32),
        np.array([_KEPT], np.float32),
    ]
    first, second = ([np.zeros_like(each) for each in parameters] for _ in range(2))
    steps, step = _EPOCHS * -(-len(data.scores) // _BATCH), 0
    for _ in range(_EPOCHS):
        order = chance.permutation(len(data.scores))
        for start in range(0, len(order), _BATCH):
            step += 1
            kept = (chance.random(_UNITS * _BATCH).reshape(_BATCH, 1, _UNITS) >= _DROPPED).astype(np.float32) / (1 - _DROPPED)
            slopes = _slopes(parameters, data, order[start : start + _BATCH], kept)
            rate = _RATE * min(step / (_WARM_UP * steps), (steps - step) / ((1 - _WARM_UP) * steps))
            for place, slope in enumerate(slopes):
                first[place] = 0.9 * first[place] + 0.1 * slope
                second[place] = 0.999 * second[place] + 0.001 * slope**2
                move = first[place] / (1 - 0.9**step) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
                held = _DECAY * parameters[place] if place in (0, 2) else 0.0
                parameters[place] = (parameters[place] - rate * (move + held)).astype(np.float32)
    return parameters


def _slopes(parameters: Sequence[Floats], data: _Data, batch: npt.NDArray[np.int64], kept: Floats) -> list[Floats]:
    hidden, bias, out, weight = parameters
    inputs, scores, answers = data.inputs[batch], data.scores[batch], data.answers[batch]
    before = inputs @ hidden + bias
    active = np.maximum(before, 0) * kept[: len(batch)]
    raised = weight * scores + active @ out
    share = np.exp(raised - raised.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    right = share * answers
    loss = (share - right / (right.sum(axis=1, keepdims=True) + 1e-12)) * (data.weights[batch] / len(batch))[:, None]
    back = loss[:, :, None] * out * kept[: len(batch)] * (before > 0)
    flat = inputs.reshape(-1, inputs.shape[2])
    return [
        flat.T @ back.reshape(-1, len(out)),
        back.sum(axis=(0, 1)),
        np.tensordot(loss, active, axes=2),
        np.array([(loss * np.where(scores > _NO_SENTENCE, scores, 0)).sum()], np.float32),
    ]


def _short(numbers: npt.NDArray[np.floating]) -> list[float]:
    return [float(f"{number:.4g}") for number in numbers]
