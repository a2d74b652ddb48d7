"""Finds the shipped question that asks the same as a user's question, by vectors and shared words, and takes over its query,
signs and facts. A question that is like none of them is left as it is."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from methodlens.records import AnswerForm, Question
from methodlens.relevance.understanding import understand
from methodlens.retrieval.query import content_words
from methodlens.text import words
from methodlens.text.stems import stem
from methodlens.text.vectors import Encoder

SAME_QUESTION = 0.72
"""The score from which two questions ask the same; benchmarks/similar_questions.py shows pairs on either side."""
_NAMED = {AnswerForm.LIST: AnswerForm.NAME}  # one thing or several: the same form
_SHARED_WORDS = 0.5  # the weight of shared words relative to the cosine


class SimilarQuestions:
    def __init__(self, known: Sequence[Question], encoder: Encoder) -> None:
        self._known = known
        self._encoder = encoder
        texts = encoder.encode([" ".join(content_words(f"{question.title} {question.text}")) for question in known])
        self._vectors = (texts + encoder.encode([question.query for question in known])) / 2
        self._words = [_words_of(question) for question in known]
        self._frequency = Counter(word for row in self._words for word in row)

    def nearest(self, text: str) -> tuple[Question, float]:
        """The most similar known question, and the score."""
        wanted = set(content_words(text))
        weights = {word: math.log(1 + len(self._known) / (self._frequency[word] or 0.5)) for word in wanted}
        shared = [sum(weight for word, weight in weights.items() if word in row) for row in self._words]
        cosines = self._vectors @ self._encoder.encode([" ".join(content_words(text))])[0]
        scores = cosines + _SHARED_WORDS * np.array(shared) / (sum(weights.values()) or 1.0)
        best = int(np.argmax(scores))
        return self._known[best], float(scores[best])

    def expand(self, question: Question) -> Question:
        """The question with the query, signs and facts of the known one that it is like, if it has none and there is one."""
        if question.query or question.signs:
            return question
        known, score = self.nearest(question.text)
        if score < SAME_QUESTION or not _ask_the_same(question, known):
            return question
        return replace(known, id=question.id, text=question.text, title=question.title, like=known.id)


def _ask_the_same(question: Question, known: Question) -> bool:
    """The same form of answer and the same head noun: "How many images are in a set?" is not "Which datasets were used?"."""
    one, other = understand(question.text), understand(known.text)
    if question.form is not None:
        one = replace(one, form=question.form)
    if _NAMED.get(one.form, one.form) is not _NAMED.get(other.form, other.form):
        return False
    about = {stem(word) for word in (*other.head, *words(known.title))}
    return not one.head or stem(one.head[-1]) in about


def _words_of(question: Question) -> set[str]:
    signs = (word for sign in question.signs for word in words(sign.replace("*", "")))
    return {*content_words(f"{question.title} {question.text}"), *words(question.query), *signs}
