"""What was learned from papers: which words speak for an answer to a question, and how much each sign of one counts.

The numbers are made by training/verdicts.py and read from data/learned.json. They belong to a question as it was asked when
they were learned: another question under the same id gets none of them.
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

FEWEST = 6
"""Words: a shorter sentence does not count as surer for being short."""


class LearnedQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    asked: str = ""
    bias: float = 0.0
    """How much more often than others a paper answers it."""
    start: float = 0.0
    words: Mapping[str, float] = field(default_factory=dict)

    def say(self, tokens: Collection[str]) -> float:
        """Above 0: these words, all of one sentence, speak for an answer."""
        total = sum(self.words.get(word, 0.0) for word in tokens) if self.words else 0.0
        return self.start + total / math.sqrt(max(FEWEST, len(tokens)))


NOTHING_LEARNED = LearnedQuestion()


class LearnedVerdicts(Struct, frozen=True, forbid_unknown_fields=True):
    """`reported` weighs what speaks for a cell as a whole; `typical_words` stands in where no words were learned."""

    note: str
    reported: Mapping[str, float]
    typical_words: float
    questions: Mapping[str, LearnedQuestion]

    def of(self, question: Question) -> LearnedQuestion:
        found = self.questions.get(question.like or question.id)
        return found if found and found.asked == asked(question) else NOTHING_LEARNED


def asked(question: Question) -> str:
    """Twelve digits that change with what its answers are known by; the wording of the question itself may change."""
    deciding = deciding_type(question)
    parts = [question.query, *question.signs, *([deciding.key] if deciding else [])]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


@cache
def load_learned() -> LearnedVerdicts:
    return msgspec.json.decode(_bytes(), type=LearnedVerdicts)


@cache
def learned_sha256() -> str:
    return hashlib.sha256(_bytes()).hexdigest()


def _bytes() -> bytes:
    return (resources.files("methodlens.readers.embedded") / "data" / "learned.json").read_bytes()
