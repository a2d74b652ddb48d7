"""BM25 over the passages of one paper, searched with the query of a question."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from methodlens.records import Hit, Passage, Question
from methodlens.seams import Index
from methodlens.text import words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class LexicalRetriever:
    """Ranks by BM25 alone. bm25s computes the scores; `text.words` tokenizes."""

    def index(self, passages: Sequence[Passage]) -> Index:
        return _LexicalIndex(passages)


class _LexicalIndex:
    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._bm25 = Bm25([words(passage.text) for passage in passages])

    def rank(self, question: Question) -> Sequence[Hit]:
        scores = self._bm25.scores(words(question.query or question.text)).tolist()
        order = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        return [Hit(self._passages[index], round(scores[index], 4)) for index in order if scores[index] > 0]


class Bm25:
    """bm25s without its pitfalls: an empty index and unknown words give zeros."""

    def __init__(self, tokens: Sequence[list[str]]) -> None:
        self._size = len(tokens)
        self._vocabulary = {word for row in tokens for word in row}
        self._model = _bm25s(tokens) if self._vocabulary else None

    def scores(self, query: Sequence[str]) -> "npt.NDArray[np.float32]":
        """One per passage; repeated words of the query count once."""
        import numpy as np

        known = list(dict.fromkeys(word for word in query if word in self._vocabulary))
        if self._model is None or not known:
            return np.zeros(self._size, np.float32)
        return np.asarray(self._model.get_scores(known), np.float32)


def _bm25s(tokens: Sequence[list[str]]):  # type: ignore[no-untyped-def]  # bm25s has no types
    import bm25s  # numpy comes with it: too slow to import for --help

    model = bm25s.BM25(k1=1.2, b=0.6)
    model.index(tokens, show_progress=False)
    return model
