"""Ranks the passages of a paper for any question, by the model that was learned over many: the sentences of a passage add up."""

from collections.abc import Sequence

import numpy as np

from methodlens.records import Passage, Question
from methodlens.relevance.features import NAMES
from methodlens.relevance.model import Scores, chunk_scores, load_model
from methodlens.relevance.sentence_table import Chunk, SentenceTable

_RELATED = 0.3  # cosine from which a sentence is related to the question even without a shared word


class GeneralIndex:
    """Passages, prepared with the shipped vectors, whatever vectors the other signals use."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        chunks = [Chunk(passage.start, passage.section, passage.text) for passage in passages]
        self._table = SentenceTable(chunks, load_model().encoder)

    def scores(self, question: Question) -> Scores:
        """One per passage, -inf for those that share nothing with the question."""
        if not len(self._table):
            return np.full(len(self._passages), -np.inf)
        relevance = load_model().score(question, self._table, second_look=False)
        near, meaning = (relevance.rows[:, NAMES.index(name)] for name in ("near_words", "text_meaning"))
        # facts may be in any words: a question that names some leaves no passage out
        related = np.full(len(self._passages), bool(question.facts))
        related[self._table.chunk_of[(near > 0) | (meaning >= _RELATED)]] = True
        return np.where(related, chunk_scores(self._table, relevance.scores), -np.inf)
