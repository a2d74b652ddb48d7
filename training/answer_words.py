"""Per question, the words of sentences that answer it: one logistic regression each, on the contexts of the study's models.

A context counts as answering where both Mixtral models say so, or the people who judged their answers. Their weights are free
(Apache-2.0), those of the other three models are not; docs/decisions/0012 has what that costs. The words of a whole context are
learned from; a sentence is scored by the same weights.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from methodlens.readers.embedded.weights import SHORT_SENTENCE, LearnedQuestion
from methodlens.text import words
from training.cells import StudyCell
from training.study import is_free
from training.vocabulary import vocabulary

MOST = 100
FOLDS = 5
_STRENGTH = 10.0
Label = Callable[[StudyCell], bool]
AnswerWords = Mapping[int, LearnedQuestion]


def mixtral(cell: StudyCell) -> bool:
    judged = [yes for model, yes in cell.human.items() if is_free(model)]
    return all(judged) if judged else all(yes for model, yes in cell.said.items() if is_free(model))


def vote(cell: StudyCell) -> bool:
    return sum(cell.said.values()) * 2 > len(cell.said)


class Contexts:
    """The study's cells as rows of a sparse matrix of words."""

    def __init__(self, cells: Sequence[StudyCell]) -> None:
        self.cells = cells
        tokens = [frozenset[str]().union(*(words(found.text) for found in cell.own)) for cell in cells]
        by_paper: dict[str, set[str]] = {}
        for cell, row in zip(cells, tokens, strict=True):
            by_paper.setdefault(cell.paper, set()).update(row)
        sentences = {found.text: words(found.text) for cell in cells for found in cell.own}
        self.words = vocabulary(by_paper.values(), sentences.items())
        column = {word: index for index, word in enumerate(self.words)}
        at = np.array([(row, column[word]) for row, found in enumerate(tokens) for word in found if word in column]).T
        held = sparse.csr_matrix((np.ones(at.shape[1]), (at[0], at[1])), shape=(len(cells), len(self.words)))
        lengths = np.array([1 / math.sqrt(max(SHORT_SENTENCE, len(found))) for found in tokens])
        self.rows = (sparse.diags(lengths) @ held).tocsr()
        self._cq = np.array([cell.cq for cell in cells])
        self._papers = np.array([cell.paper for cell in cells])

    def learn(self, label: Label = mixtral, *, without: Collection[str] = ()) -> AnswerWords:
        """The words of every question, from all papers but these."""
        answered = np.array([label(cell) for cell in self.cells])
        kept = ~np.isin(self._papers, list(without))
        return {cq: self._question(np.flatnonzero(kept & (self._cq == cq)), answered) for cq in range(1, 29)}

    def _question(self, at: npt.NDArray[np.int64], answered: npt.NDArray[np.bool_]) -> LearnedQuestion:
        model = LogisticRegression(C=_STRENGTH, max_iter=300).fit(self.rows[at], answered[at])
        weights = dict(zip(self.words, model.coef_[0].tolist(), strict=True))
        best = sorted(weights, key=lambda word: (-abs(weights[word]), word))[:MOST]
        return LearnedQuestion(
            start=round(float(model.intercept_[0]), 2), words={word: round(weights[word], 1) for word in sorted(best)}
        )


def folds(cells: Sequence[StudyCell]) -> dict[str, int]:
    """By paper. A gold paper that the study has is in its twin's fold; one that it has not may use any."""
    return {paper: number % FOLDS for number, paper in enumerate(sorted({cell.paper for cell in cells}))}


def unseen(contexts: Contexts, label: Label = mixtral) -> Callable[[str], AnswerWords]:
    """For any paper, the words as learned without it."""
    fold_of = folds(contexts.cells)
    learned = [contexts.learn(label, without=[p for p, at in fold_of.items() if at == fold]) for fold in range(FOLDS)]
    return lambda paper: learned[fold_of.get(paper, 0)]
