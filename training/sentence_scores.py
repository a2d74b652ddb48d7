"""Learn how well a sentence answers each question, from the sentences that people quoted in the gold papers.

One logistic regression for all questions together, since a question has only a few dozen quoted sentences. The study counts
through the learned words, which are a feature.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.sentence_scores import FEATURES, sentence_rows
from methodlens.readers.embedded.weights import SentenceModel
from methodlens.records import Question
from training.gold import contains, squeeze
from training.shared_weights import Array, Block, Pull, fit

_PULL, _PULL_OWN = 10.0, 60.0  # how strongly the weights of features are held at 0: those shared, and a question's differences
_PULL_VECTOR, _PULL_VECTOR_OWN = 20.0, 15.0
_PULL_START = 0.3
_VECTOR_SCALE = 4.0  # brings the vectors, of length 1, near the scale of the features
_STEPS = 60
_WIDEST = 127


class SentenceTable(Struct, frozen=True):
    """The own sentences of a gold cell as numbers; `quoted` are those that people quoted."""

    paper: str
    cq: int
    rows: Array
    quoted: npt.NDArray[np.bool_]


class SentenceModels(Struct, frozen=True):
    any_question: SentenceModel
    questions: Mapping[int, SentenceModel]


def table(paper: str, cq: int, question: Question, own: Sequence[CandidateSentence], quotes: Sequence[str]) -> SentenceTable:
    features, vectors = sentence_rows(question, own) if own else (np.zeros((0, len(FEATURES))), np.zeros((0, 0)))
    theirs = squeeze(" ".join(quotes))
    quoted = [
        bool(quotes) and (contains(theirs, one.text) or any(contains(squeeze(one.text), quote) for quote in quotes))
        for one in own
    ]
    rows = np.hstack([features, _VECTOR_SCALE * vectors]) if own else np.zeros((0, 0))
    return SentenceTable(paper, cq, np.asarray(rows, np.float64), np.array(quoted, bool))


def learn(tables: Sequence[SentenceTable], *, without: Collection[str] = ()) -> SentenceModels:
    """From all papers but these."""
    used = [one for one in tables if one.paper not in without and len(one.quoted)]
    size = len(FEATURES)
    features = np.vstack([one.rows[:, :size] for one in used])
    middle, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    blocks: dict[int, Block] = {}
    for cq in sorted({one.cq for one in used}):
        some = [one for one in used if one.cq == cq]
        rows = np.vstack([one.rows for one in some])
        rows[:, :size] = (rows[:, :size] - middle) / spread
        blocks[cq] = Block(rows, np.concatenate([one.quoted for one in some]).astype(np.float64))
    fitted = fit(list(blocks.values()), _pull(size, width=rows.shape[1]), steps=_STEPS)

    def model(weights: Array, intercept: float) -> SentenceModel:
        plain = weights[:size] / spread
        vector = _VECTOR_SCALE * weights[size:]
        scale = float(f"{np.abs(vector).max() / _WIDEST:.4g}")
        return SentenceModel(
            start=round(intercept - float(plain @ middle), 3),
            features={name: round(weight, 3) for name, weight in zip(FEATURES, plain.tolist(), strict=True)},
            scale=scale,
            vector=tuple(np.clip(np.round(vector / scale), -_WIDEST, _WIDEST).astype(int).tolist()),
        )

    return SentenceModels(
        replace(model(fitted.shared, fitted.start), scale=0.0, vector=()),
        {cq: model(fitted.shared + fitted.own[at], fitted.start + float(fitted.starts[at])) for at, cq in enumerate(blocks)},
    )


def _pull(size: int, width: int) -> Pull:
    """The first `size` columns are features, the others vectors."""
    vectors = np.ones(width - size)
    return Pull(
        np.r_[np.full(size, _PULL), _PULL_VECTOR * vectors],
        np.r_[np.full(size, _PULL_OWN), _PULL_VECTOR_OWN * vectors],
        _PULL_START,
    )
