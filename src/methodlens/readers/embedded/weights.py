"""The numbers of the embedded reader, learned by training/verdicts.py (data/learned.json).

Learned numbers belong to a question as it was when they were learned: a changed question under the same id gets none of them.
"""

import hashlib
import math
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct, field

from methodlens.facts import deciding_type
from methodlens.records import Question

SHORT_SENTENCE = 6
"""Words: shorter sentences are scored as if they had this many, or a single word would count too much."""


class SentenceModel(Struct, frozen=True, forbid_unknown_fields=True):
    """Weights of the features in sentence_scores.py and of a sentence's static vector, the latter in whole numbers."""

    start: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict)
    scale: float = 0.0
    vector: tuple[int, ...] = ()


class LearnedQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    asked: str = ""
    """The `question_fingerprint` that the numbers were learned for."""
    bias: float = 0.0
    """How much more often than others papers answer it."""
    start: float = 0.0
    words: Mapping[str, float] = field(default_factory=dict)
    sentences: SentenceModel | None = None

    def score(self, tokens: Collection[str]) -> float:
        """Above 0 if a sentence with these words is likely to answer the question."""
        total = sum(self.words.get(word, 0.0) for word in tokens) if self.words else 0.0
        return self.start + total / math.sqrt(max(SHORT_SENTENCE, len(tokens)))


NOTHING_LEARNED = LearnedQuestion()


class LearnedVerdicts(Struct, frozen=True, forbid_unknown_fields=True):
    """`reported` weights the features of a cell; `typical_words` replaces the word score if no words were learned, and
    `any_question` the sentence model. `no_required_fact` is the probability if the fact that a question requires is missing."""

    note: str
    reported: Mapping[str, float]
    typical_words: float
    no_required_fact: float
    any_question: SentenceModel
    questions: Mapping[str, LearnedQuestion]

    def of(self, question: Question) -> LearnedQuestion:
        learned = self.questions.get(question.like or question.id)
        return learned if learned and learned.asked == question_fingerprint(question) else NOTHING_LEARNED

    def sentence_model(self, question: Question) -> SentenceModel:
        return self.of(question).sentences or self.any_question


def question_fingerprint(question: Question) -> str:
    """Twelve digits that change with the query, the signs and the deciding fact, but not with the question's text."""
    deciding = deciding_type(question).key
    parts = [question.query, *question.signs, *([deciding] if deciding else [])]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


@cache
def load_learned() -> LearnedVerdicts:
    return msgspec.json.decode(_data(), type=LearnedVerdicts)


@cache
def data_sha256() -> str:
    """The checksum of the data file, for the reader's fingerprint."""
    return hashlib.sha256(_data()).hexdigest()


def _data() -> bytes:
    return (resources.files("methodlens.readers.embedded") / "data" / "learned.json").read_bytes()
