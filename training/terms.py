"""Per question, the weight of each word for a sentence being the answer: one small logistic regression each."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from training.documents import Document
from training.vocabulary import vocabulary

ANSWERS_IN = 5  # papers that answer the question with the term: general words, nothing of any one paper
MOST = 40
_LEAST = 0.15
_STRENGTH = 0.1  # of the fit; less keeps weights nearer to 0
_TYPICAL = 12  # as in retrieval.signals


class Corpus:
    """Every sentence of every paper once, as rows of a sparse matrix."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        pairs = ((text, found) for one in documents for text, found in zip(one.sentences, one.tokens, strict=True))
        self.words = vocabulary((frozenset[str]().union(*one.tokens) for one in documents), pairs)
        column = {word: index for index, word in enumerate(self.words)}
        rows = [(row, column[word]) for row, found in enumerate(self._sentences()) for word in found if word in column]
        size = sum(len(one.tokens) for one in documents)
        ones = np.ones(len(rows), np.float32)
        at = np.array(rows).T
        self.held = sparse.csr_matrix((ones, (at[0], at[1])), shape=(size, len(self.words)))
        lengths = np.sqrt(np.array([max(6, len(found)) for found in self._sentences()], np.float32) / _TYPICAL)
        self.scaled = (sparse.diags(1 / lengths) @ self.held).tocsr()
        self.paper = np.repeat(np.arange(len(documents)), [len(one.tokens) for one in documents])
        self._first = np.searchsorted(self.paper, np.arange(len(documents)))

    def _sentences(self) -> Iterator[frozenset[str]]:
        return (found for one in self.documents for found in one.tokens)

    def terms(self, *, without: frozenset[str] = frozenset()) -> dict[int, dict[str, float]]:
        """The terms of every question, learned from the papers that are not `without`."""
        kept = np.array([one.paper not in without for one in self.documents])[self.paper]
        return {cq: self._question(cq, kept) for cq in range(1, 29)}

    def _question(self, cq: int, kept: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> dict[str, float]:
        answer = np.zeros(len(self.paper), bool)
        for number, one in enumerate(self.documents):
            answer[[self._first[number] + index for index in one.answers.get(cq, ())]] = True
        answering = np.flatnonzero(answer & kept)
        # how many different papers answer with the word, by cutting sentences of the same paper down to one
        by_paper = sparse.csr_matrix(
            (np.ones(len(answering)), (self.paper[answering], np.arange(len(answering)))),
            shape=(len(self.documents), len(answering)),
        )
        support = np.asarray(((by_paper @ self.held[answering]) > 0).sum(axis=0)).ravel()
        columns = np.flatnonzero(support >= ANSWERS_IN)
        if len(columns) < 3:
            return {}
        model = LogisticRegression(C=_STRENGTH, max_iter=300).fit(self.scaled[kept][:, columns], answer[kept])
        weights: Mapping[str, float] = dict(zip((self.words[column] for column in columns), model.coef_[0].tolist(), strict=True))
        best = sorted(weights, key=lambda word: (-abs(weights[word]), word))[:MOST]
        return {word: round(weights[word], 2) for word in best if abs(weights[word]) >= _LEAST}
