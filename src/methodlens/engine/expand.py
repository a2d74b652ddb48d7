"""A bare question gets the query, signs and facts of a calibrated question that asks the same."""

from collections.abc import Sequence

from methodlens.questions import calibrated_questions
from methodlens.records import Question
from methodlens.settings import RetrievalSettings


def expand_questions(questions: Sequence[Question], settings: RetrievalSettings) -> tuple[Question, ...]:
    """Questions with a query or signs, and those that resemble none of the calibrated ones, stay as they are."""
    if not settings.expand or all(question.query or question.signs for question in questions):
        return tuple(questions)
    from methodlens.retrieval.similar_questions import SimilarQuestions
    from methodlens.text.vectors import load_vectors

    similar = SimilarQuestions(calibrated_questions(), load_vectors())
    return tuple(similar.expand(question) for question in questions)
