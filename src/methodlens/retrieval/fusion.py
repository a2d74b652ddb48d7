"""The default retriever: a weighted sum of all signals, with near-duplicate passages ranked lower.

Three sets of weights: learned for the shipped questions, hand-set for others with a query, and hand-set for those without. With
learned weights, a user's own question is ranked by the model for any question: see `general.py`.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from methodlens.records import Hit, Passage, Question
from methodlens.retrieval.general import GeneralIndex
from methodlens.retrieval.query import Query, query_words
from methodlens.retrieval.ranking import Ranking
from methodlens.retrieval.signals import NAMES, Signals
from methodlens.seams import Index
from methodlens.text.vectors import Encoder, Matrix

_EXAMPLES_AND_QUERY = 0.5  # the weight of the examples' mean vector if the question has a query; without one it is 1
_MOST_QUERIES = 1000  # cached; a set has a few dozen, but a long-lived process may get any number
_GENERAL_SCALE = 0.5  # brings the scores of the model for any question to the range that `damping` is made for
Repeats = Mapping[int, tuple[npt.NDArray[np.int64], Matrix]]


class FusedRetriever:
    def __init__(self, encoder: Encoder, ranking: Ranking) -> None:
        self._encoder = encoder
        self._ranking = ranking
        self._queries: dict[Question, tuple[Query, Matrix]] = {}

    def index(self, passages: Sequence[Passage], *, one_paper: bool = True) -> Index:
        """`one_paper`: the passages follow each other in one paper, so that neighbours and headings say something."""
        return _FusedIndex(self, passages, self._encoder, self._ranking, one_paper=one_paper)

    def is_general(self, question: Question) -> bool:
        """Whether the model for any question ranks it: one without signs or words learned for it, if learned numbers are used."""
        return self._ranking.has_learned and not question.signs and not self._ranking.learned_for(question)

    def query(self, question: Question) -> tuple[Query, Matrix]:
        """The prepared question and its weights, cached for the next paper."""
        if question not in self._queries:
            if len(self._queries) >= _MOST_QUERIES:
                self._queries.clear()
            learned = self._ranking.learned_for(question)
            text = (
                question.query if question.query and not question.like else " ".join(query_words(replace(question, examples=())))
            )
            vector = self._with_examples(self._encoder.encode([text])[0], question)
            query = Query(question, query_words(question), vector, learned.terms if learned else {})
            self._queries[question] = (query, weight_row(self._ranking.weights_for(question)))
        return self._queries[question]

    def _with_examples(self, vector: Matrix, question: Question) -> Matrix:
        """The vector of a question, moved towards the sentences that its author expects as answers."""
        if not question.examples:
            return vector
        mean = self._encoder.encode(question.examples).mean(axis=0)
        moved = vector + (_EXAMPLES_AND_QUERY if question.query else 1.0) * mean
        return np.asarray(moved / (float(np.linalg.norm(moved)) or 1.0), np.float32)


class _FusedIndex:
    @cached_property
    def _general(self) -> GeneralIndex:
        """Made for the first question that needs it."""
        return GeneralIndex(self._passages)

    def __init__(
        self,
        retriever: FusedRetriever,
        passages: Sequence[Passage],
        encoder: Encoder,
        ranking: Ranking,
        *,
        one_paper: bool,
    ) -> None:
        self._retriever = retriever
        self._one_paper = one_paper
        self._passages = passages
        self._signals = Signals(passages, encoder) if passages else None
        self._repeats: Repeats = {}
        if self._signals:
            self._repeats = repetitions(self._signals.vectors, alike=ranking.alike, damping=ranking.damping)

    def rank(self, question: Question) -> Sequence[Hit]:
        if self._signals is None:
            return []
        if self._one_paper and self._retriever.is_general(question):
            order = spread((_GENERAL_SCALE * self._general.scores(question)).astype(np.float32), self._repeats)
            return [Hit(self._passages[index], round(score, 4)) for index, score in order]
        query, weights = self._retriever.query(question)
        rows, related = self._signals.of(query)
        scores = rows @ weights
        order = spread(np.where(related, scores, -np.inf), self._repeats)
        return [Hit(self._passages[index], round(float(score), 4)) for index, score in order]


def weight_row(weights: Mapping[str, float]) -> Matrix:
    return np.array([weights.get(name, 0.0) for name in NAMES], np.float32)


def spread(scores: Matrix, repeats: Repeats, *, choose: int = 24) -> list[tuple[int, float]]:
    """Best first. Passages that repeat a chosen one lose the score given in `repeats`; those scored -inf are left out."""
    left = scores.astype(np.float64)
    order: list[tuple[int, float]] = []
    waiting = np.argsort(-left, kind="stable").tolist()
    while waiting and left[waiting[0]] > -np.inf:
        best = waiting.pop(0)
        order.append((best, float(left[best])))
        if best in repeats and len(order) < choose:
            others, losses = repeats[best]
            left[others] -= losses
            waiting.sort(key=lambda index: (-left[index], index))
    return order


def repetitions(vectors: Matrix, *, alike: float, damping: float) -> Repeats:
    """For each passage, its near-duplicates (cosine above `alike`) and the score they lose when it is chosen."""
    near = vectors @ vectors.T - alike
    np.fill_diagonal(near, 0)
    rows, columns = np.nonzero(near > 0)
    return {int(row): (columns[rows == row], near[row, columns[rows == row]] * damping / (1 - alike)) for row in np.unique(rows)}
