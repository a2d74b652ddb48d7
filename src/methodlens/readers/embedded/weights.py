"""The numbers of the embedded reader: set by hand (data/weights.toml), and learned by training/verdicts.py (data/learned.json).

Learned numbers belong to a question as it was when they were learned: a changed question under the same id gets none of them.
"""

import hashlib
import math
import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct, field

from methodlens.facts import deciding_type
from methodlens.records import Question

SHORT_SENTENCE = 6
"""Words: shorter sentences are scored as if they had this many, or a single word would count too much."""


class OwnQuestionWeights(Struct, frozen=True, forbid_unknown_fields=True):
    """For a user's question, of which nothing was learned."""

    intercept: float
    best: float
    examples: float
    most: float
    like_most: float


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    revision: int
    own_question: OwnQuestionWeights


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
def load_weights() -> Weights:
    return msgspec.convert(tomllib.loads(_data("weights.toml").decode("utf-8")), Weights, strict=False)


@cache
def load_learned() -> LearnedVerdicts:
    return msgspec.json.decode(_data("learned.json"), type=LearnedVerdicts)


@cache
def data_sha256s() -> str:
    """Checksums of both data files, for the reader's fingerprint."""
    return "-".join(hashlib.sha256(_data(name)).hexdigest() for name in ("weights.toml", "learned.json"))


def _data(name: str) -> bytes:
    return (resources.files("methodlens.readers.embedded") / "data" / name).read_bytes()
