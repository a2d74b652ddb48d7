"""The learned model: which sentences answer a question, and whether a paper does. training/general.py makes its numbers.

Linear weights and a learned likeness of question and sentence score the sentences of a paper, `reranker` takes a second look at
the best of them, and `cell_model` turns what was found into the probability that the paper reports an answer. Numbers only: no
text of any paper is in the file.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from methodlens.records import Question
from methodlens.relevance.cell_features import cell_features
from methodlens.relevance.cell_model import CellModel, CellNumbers
from methodlens.relevance.features import NAMES, AskedQuestion, features, prepare
from methodlens.relevance.paper_kind import kinds_data
from methodlens.relevance.reranker import Network, Reranker
from methodlens.relevance.sentence_table import HEADING_LOSS, SentenceTable
from methodlens.relevance.topics import topics_data
from methodlens.text.vectors import Matrix, StaticVectors, load_vectors

_EXAMPLES = 12.0  # set by hand: what a sentence gains that reads just like an example of an answer
_MOST_QUESTIONS = 1000

Scores = npt.NDArray[np.float64]


class Likeness(Struct, frozen=True, forbid_unknown_fields=True):
    """A matrix of low rank, which relates what questions mean to what their answers mean: `scale` x sentences x questions.

    Each row of the two has the numbers of one dimension of the vectors.
    """

    scale: float
    sentences: Sequence[Sequence[int]]
    questions: Sequence[Sequence[int]]


class LearnedModel(Struct, frozen=True, forbid_unknown_fields=True):
    note: str
    linear: Mapping[str, float]
    likeness: Likeness
    reranking: Network
    cell: CellNumbers


class Relevance(NamedTuple):
    """The sentences of a paper for a question: their features, and their scores."""

    asked: AskedQuestion
    table: SentenceTable
    rows: Matrix
    scores: Scores
    """After the second look: what is quoted is decided by these."""
    first_scores: Scores
    """Before it: whether the paper answers is decided by these, since they are comparable between papers."""


class GeneralModel:
    def __init__(self, learned: LearnedModel, encoder: StaticVectors) -> None:
        self.encoder = encoder
        self._linear = np.array([learned.linear.get(name, 0.0) for name in NAMES], np.float32)
        self._likeness = matrix(learned.likeness)
        self._reranker = Reranker(learned.reranking)
        self._cell = CellModel(learned.cell)
        self._asked: dict[Question, AskedQuestion] = {}

    def asked(self, question: Question) -> AskedQuestion:
        if question not in self._asked:
            if len(self._asked) >= _MOST_QUESTIONS:
                self._asked.clear()
            self._asked[question] = prepare(question, self.encoder)
        return self._asked[question]

    def score(self, question: Question, table: SentenceTable, *, second_look: bool = True) -> Relevance:
        """Passages are ranked without the second look, which takes time and helps quotes most."""
        asked = self.asked(question)
        rows = features(asked, table)
        first = sentence_scores(asked, rows, table, self._linear, self._likeness)
        scores = self._reranker.reranked(asked, rows, first, table) if second_look else first
        if len(asked.answers):
            gained = _EXAMPLES * np.maximum((table.vectors @ asked.answers.T).max(axis=1), 0)
            first, scores = first + gained, scores + gained
        return Relevance(asked, table, rows, scores, first)

    def p_reported(self, relevance: Relevance) -> float:
        values = cell_features(relevance.asked, relevance.rows, relevance.first_scores, relevance.table)
        return self._cell.probabilities(values[None, :])[0]


def chunk_scores(table: SentenceTable, scores: Scores) -> Scores:
    """The score of each chunk: its sentences add up, as they do in what was learned. -inf for a chunk without sentences."""
    best = float(scores.max()) if len(scores) else 0.0
    total = np.zeros(table.chunks)
    np.add.at(total, table.chunk_of, np.exp(scores - best))
    return np.asarray(np.log(total, out=np.full(table.chunks, -np.inf), where=total > 0) + best)


def sentence_scores(asked: AskedQuestion, rows: Matrix, table: SentenceTable, weights: Matrix, likeness: Matrix) -> Scores:
    scores = (rows @ weights + table.vectors @ (likeness @ asked.text_vector)).astype(np.float64)
    scores[table.is_heading] -= HEADING_LOSS
    return scores


def matrix(likeness: Likeness) -> Matrix:
    sentences, questions = (np.array(side, np.float32) for side in (likeness.sentences, likeness.questions))
    return np.asarray(likeness.scale * sentences @ questions.T, np.float32)


@cache
def load_model() -> GeneralModel:
    """Always with the shipped vectors: the numbers were learned with them."""
    return GeneralModel(msgspec.json.decode(_data(), type=LearnedModel), load_vectors())


@cache
def model_sha256() -> str:
    """Of everything that decides the scores: the learned numbers, the list of topics and the signs of a paper's kind."""
    return hashlib.sha256(_data() + topics_data() + kinds_data()).hexdigest()


def _data() -> bytes:
    return (resources.files("methodlens.relevance") / "data" / "general.json").read_bytes()
