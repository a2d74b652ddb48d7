"""The published study's search, for runs that repeat it: vectors only, and the whole prompt is the query."""

from collections.abc import Sequence

import numpy as np

from methodlens.records import Hit, Passage, Question
from methodlens.seams import Index
from methodlens.text.vectors import Encoder
from methodlens.transcripts import instructions


class PromptRetriever:
    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def index(self, passages: Sequence[Passage]) -> Index:
        return _PromptIndex(passages, self._encoder)


class _PromptIndex:
    """Exact search by cosine: for vectors of length 1 it gives the order of FAISS's flat index."""

    def __init__(self, passages: Sequence[Passage], encoder: Encoder) -> None:
        self._passages, self._encoder = passages, encoder
        self._vectors = encoder.encode([passage.text for passage in passages])

    def rank(self, question: Question) -> Sequence[Hit]:
        if not self._passages:
            return []
        scores = self._vectors @ self._encoder.encode([instructions(question.text)])[0]
        return [Hit(self._passages[index], round(float(scores[index]), 4)) for index in np.argsort(-scores, kind="stable")]
