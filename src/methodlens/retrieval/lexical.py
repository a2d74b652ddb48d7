"""BM25 over the passages of one paper, asked with the question's own query: the words a paper uses when it answers."""

from collections.abc import Sequence

from methodlens.records import Hit, Passage, Question
from methodlens.seams import Index
from methodlens.text import words


class LexicalRetriever:
    """A Retriever. bm25s does the arithmetic; what counts as a word is ours."""

    def index(self, passages: Sequence[Passage]) -> Index:
        return _LexicalIndex(passages)


class _LexicalIndex:
    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        tokens = [words(passage.text) for passage in passages]
        self._vocabulary = {word for row in tokens for word in row}
        self._bm25 = _bm25(tokens) if self._vocabulary else None

    def rank(self, question: Question) -> Sequence[Hit]:
        """bm25s raises on an empty index and scores unknown words as 0: both are "nothing found" here."""
        query = list(dict.fromkeys(w for w in words(question.query or question.text) if w in self._vocabulary))
        if self._bm25 is None or not query:
            return []
        scores = self._bm25.get_scores(query).tolist()
        order = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        return [Hit(self._passages[index], round(scores[index], 4)) for index in order if scores[index] > 0]


def _bm25(tokens: list[list[str]]):  # type: ignore[no-untyped-def]  # bm25s has no types
    import bm25s  # numpy comes with it: too slow to import for --help

    model = bm25s.BM25(k1=1.2, b=0.6)
    model.index(tokens, show_progress=False)
    return model
