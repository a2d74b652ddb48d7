"""The weights of the ranking: set by hand in fusion.toml, learned in ranking.json."""

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct, field

from methodlens.records import Question
from methodlens.retrieval.pattern_index import families_of


class LearnedTerms(Struct, frozen=True, forbid_unknown_fields=True):
    asked: str
    """The `question_fingerprint` that the terms were learned for: a changed question gets none of them."""
    terms: Mapping[str, float]


class LearnedRanking(Struct, frozen=True, forbid_unknown_fields=True):
    signals: Mapping[str, float] = field(default_factory=dict)
    questions: Mapping[str, LearnedTerms] = field(default_factory=dict)
    note: str = ""


class Ranking(Struct, frozen=True, forbid_unknown_fields=True):
    plain: Mapping[str, float]
    bare: Mapping[str, float]
    alike: float
    damping: float
    learned: LearnedRanking = field(default_factory=LearnedRanking)

    @property
    def has_learned(self) -> bool:
        return bool(self.learned.questions)

    def learned_for(self, question: Question) -> LearnedTerms | None:
        learned = self.learned.questions.get(question.id)
        return learned if learned and learned.asked == question_fingerprint(question) else None

    def weights_for(self, question: Question) -> Mapping[str, float]:
        if self.learned_for(question):
            return self.learned.signals
        return self.plain if question.query else self.bare


def question_fingerprint(question: Question) -> str:
    """Twelve digits that change with everything the signals depend on."""
    parts = "\n".join([question.text, question.query, *question.signs, *sorted(families_of(question))])
    return hashlib.sha256(parts.encode()).hexdigest()[:12]


@cache
def load_ranking(*, learned: bool = True) -> Ranking:
    folder = resources.files("methodlens.retrieval") / "data"
    ranking = msgspec.convert(tomllib.loads((folder / "fusion.toml").read_text(encoding="utf-8")), Ranking, strict=False)
    path = folder / "ranking.json"
    if learned and path.is_file():
        return msgspec.structs.replace(ranking, learned=msgspec.json.decode(path.read_bytes(), type=LearnedRanking))
    return ranking
