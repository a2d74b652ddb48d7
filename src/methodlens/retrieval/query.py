"""A question as the ranking uses it."""

from collections.abc import Mapping

from msgspec import Struct

from methodlens.records import Question
from methodlens.text import words
from methodlens.text.vectors import Matrix

_QUESTION_WORDS = frozenset(
    """use used using uses deep learning model models pipeline paper study author authors report reported describe described give
    given apply applied one many much kind type name named employ employed say said way which example instance was done made
    method technique approach during before after between within step strategy process procedure through under about""".split()
)


class Query(Struct, frozen=True):
    """Prepared once per question, used for every paper. `terms` are learned weights of words in sentences that answer it."""

    question: Question
    words: tuple[str, ...]
    vector: Matrix
    terms: Mapping[str, float]


def content_words(text: str) -> list[str]:
    """The words of a question without those that only ask.

    >>> content_words("Which GPUs were used for training the deep learning model?")
    ['gpu', 'training']
    """
    tokens = words(text)
    return [word for word in tokens if word not in _QUESTION_WORDS] or tokens


def query_words(question: Question) -> tuple[str, ...]:
    """The words to search for: those of the query, and those of a user's own question and of its examples."""
    own = content_words(question.text) if question.like or not question.query else []
    return tuple(dict.fromkeys([*own, *words(question.query), *_example_words(question)]))


def _example_words(question: Question) -> list[str]:
    """None if there is a query: a query lists what papers have in common, examples are particular. Numbers are never common."""
    if question.query:
        return []
    return [word for example in question.examples for word in content_words(example) if not word[0].isdigit()]
