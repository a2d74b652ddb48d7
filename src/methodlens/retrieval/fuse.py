"""The retriever that is used: every signal weighted and added up, near-repetitions damped.

Three sets of weights: learned for the questions they were learned from, hand-set for others that come with a query, and a
third for a bare question, which has only its own words.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from methodlens.records import Hit, Passage, Question
from methodlens.retrieval.ranking import Ranking
from methodlens.retrieval.signals import NAMES, Query, Signals, query_words
from methodlens.retrieval.vectors import Encoder, Matrix
from methodlens.seams import Index


class FusedRetriever:
    """A Retriever."""

    def __init__(self, encoder: Encoder, ranking: Ranking) -> None:
        self._encoder = encoder
        self._ranking = ranking
        self._queries: dict[Question, tuple[Query, Matrix]] = {}

    def index(self, passages: Sequence[Passage]) -> Index:
        return _FusedIndex(self, passages, self._encoder, self._ranking)

    def query(self, question: Question) -> tuple[Query, Matrix]:
        """The question made ready, with its weights; kept, since the next paper is asked the same."""
        if question not in self._queries:
            learned = self._ranking.learned_for(question)
            vector = self._encoder.encode([question.query or " ".join(query_words(question))])[0]
            query = Query(question, query_words(question), vector, learned.terms if learned else {})
            self._queries[question] = (query, weight_row(self._ranking.weights_for(question)))
        return self._queries[question]


class _FusedIndex:
    def __init__(self, retriever: FusedRetriever, passages: Sequence[Passage], encoder: Encoder, ranking: Ranking) -> None:
        self._retriever = retriever
        self._passages = passages
        self._signals = Signals(passages, encoder) if passages else None
        self._alike = ranking.alike
        self._damping = ranking.damping

    def rank(self, question: Question) -> Sequence[Hit]:
        if self._signals is None:
            return []
        query, weights = self._retriever.query(question)
        rows, related = self._signals.of(query)
        scores = rows @ weights
        order = spread(np.where(related, scores, -np.inf), self._signals.vectors, alike=self._alike, damping=self._damping)
        return [Hit(self._passages[index], round(float(score), 4)) for index, score in order]


def weight_row(weights: Mapping[str, float]) -> Matrix:
    return np.array([weights.get(name, 0.0) for name in NAMES], np.float32)


def spread(scores: Matrix, vectors: Matrix, *, alike: float, damping: float, choose: int = 24) -> list[tuple[int, float]]:
    """Best first. A passage that nearly repeats a chosen one (cosine above `alike`) sinks by up to `damping`.

    Passages scored -inf are left out.
    """
    left = scores.astype(np.float64).copy()
    order: list[tuple[int, float]] = []
    for _ in range(min(choose, len(left))):
        best = int(np.argmax(left))
        if left[best] == -np.inf:
            return order
        order.append((best, left[best]))
        left[best] = -np.inf
        repeats = vectors @ vectors[best] - alike
        left -= np.where(repeats > 0, repeats * damping / (1 - alike), 0)
    rest = [index for index in np.argsort(-left, kind="stable").tolist() if left[index] > -np.inf]
    return order + [(index, float(left[index])) for index in rest]
