"""A question of the user's own that asks what a shipped one asks gets what is known of that one: the words that papers use
when they answer it, its signs, its facts. Found by meaning (static vectors) and by words; what is like none stays as it is."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from methodlens.records import Question
from methodlens.retrieval.query import content_words
from methodlens.retrieval.vectors import Encoder
from methodlens.text import words

SAME_QUESTION = 0.72
"""From here on two questions ask the same; benchmarks/questions.py shows what lies on either side."""
_BY_WORDS = 0.5  # how much shared words count beside the cosine


class SimilarQuestions:
    """The known questions, made ready once."""

    def __init__(self, known: Sequence[Question], encoder: Encoder) -> None:
        self._known = known
        self._encoder = encoder
        asked = encoder.encode([" ".join(content_words(f"{one.title} {one.text}")) for one in known])
        answered = encoder.encode([one.query for one in known])
        self._vectors = (asked + answered) / 2
        self._words = [_words_of(one) for one in known]
        self._spread = Counter(word for found in self._words for word in found)

    def nearest(self, text: str) -> tuple[Question, float]:
        """The known question that asks most nearly this, and how nearly."""
        wanted = set(content_words(text))
        weights = {word: math.log(1 + len(self._known) / (self._spread[word] or 0.5)) for word in wanted}
        shared = [sum(weight for word, weight in weights.items() if word in found) for found in self._words]
        meant = self._vectors @ self._encoder.encode([" ".join(content_words(text))])[0]
        scores = meant + _BY_WORDS * np.array(shared) / (sum(weights.values()) or 1.0)
        best = int(np.argmax(scores))
        return self._known[best], float(scores[best])

    def expand(self, question: Question) -> Question:
        """With what is known of its like, if it brings nothing of its own and there is one."""
        if question.query or question.signs:
            return question
        like, score = self.nearest(question.text)
        if score < SAME_QUESTION:
            return question
        return replace(
            question,
            title=question.title or like.title,
            query=like.query,
            signs=like.signs,
            facts=like.facts,
            patterns=like.patterns,
            like=like.id,
            decided_by=like.decided_by,
        )


def _words_of(question: Question) -> set[str]:
    signs = (word for sign in question.signs for word in words(sign.replace("*", "")))
    return {*content_words(f"{question.title} {question.text}"), *words(question.query), *signs}
