"""The probability that the paper reports it, from everything its sentences say. Calibrated: training/verdicts.py measures it."""

import math
from collections.abc import Mapping, Sequence

from methodlens.facts import deciding_type
from methodlens.readers.embedded.candidates import ASKING, CandidateSentence, stem
from methodlens.readers.embedded.learned import LearnedVerdicts
from methodlens.readers.embedded.selection import fact_decides, score
from methodlens.readers.embedded.weights import Weights
from methodlens.records import Question
from methodlens.text import words

NOTHING_OWN = 0.02
"""No sentence on the authors' own work was found at all."""
NO_REQUIRED_FACT = 0.05
"""Link questions need a sentence with a link."""
NO_SIGN = 0.05
"""Where no words were learned, the signs of a question are all there is to know an answer by."""
_PARTICULAR = 0.4  # what is lost where none of a question's own words is met
_WORDS_AT_MOST = 4.0  # either way: no single sentence is surer than this


def p_reported(question: Question, own: Sequence[CandidateSentence], weights: Weights, learned: LearnedVerdicts) -> float:
    """Only sentences on the authors' own work are given."""
    if not own:
        return NOTHING_OWN
    if not question.signs:
        return _p_own_question(own, weights)
    if lacks_required_fact(question, own):
        return NO_REQUIRED_FACT
    found = features(question, own, weights)
    if not learned.of(question).words:
        if not found["signs"]:
            return NO_SIGN
        found = {**found, "words": learned.typical_words}
    total = sum(weight * found.get(name, 1.0) for name, weight in learned.reported.items())
    p = logistic(total + learned.of(question).bias)
    return min(weights.own_question.like_most, round(p * _asked_for(question, own), 4)) if question.like else p


def features(question: Question, own: Sequence[CandidateSentence], weights: Weights) -> Mapping[str, float]:
    """What speaks for the cell as a whole."""
    deciding = fact_decides(question)
    scores = sorted((score(candidate, weights, fact=deciding) for candidate in own), reverse=True)
    signs = frozenset[str]().union(*(candidate.signs for candidate in own))
    return {
        "best": scores[0],
        "second": scores[1] if len(scores) > 1 else 0.0,
        "sentences": math.sqrt(sum(bool(candidate.signs) for candidate in own)),
        "signs": math.sqrt(len(signs)),
        "fact": float(deciding and any(candidate.has_fact for candidate in own)),
        "facts": math.sqrt(sum(candidate.has_fact for candidate in own)),
        "words": min(_WORDS_AT_MOST, max(-_WORDS_AT_MOST, max(candidate.words_say for candidate in own))),
    }


def lacks_required_fact(question: Question, own: Sequence[CandidateSentence]) -> bool:
    deciding = deciding_type(question)
    return deciding is not None and deciding.required and not any(candidate.has_fact for candidate in own)


def logistic(x: float) -> float:
    return round(min(0.98, max(0.02, 1 / (1 + math.exp(-x)))), 4)


def _asked_for(question: Question, own: Sequence[CandidateSentence]) -> float:
    """A question that is like a shipped one may ask for something in particular. Where its own words stand nowhere, what is
    found answers the shipped question rather than this one."""
    known = {stem(word) for word in words(f"{question.query} {' '.join(question.signs)}".replace("*", ""))}
    extra = {stem(word) for word in words(question.text)} - known - ASKING
    met = {stem(word) for candidate in own for word in words(candidate.text)} & extra
    return 1.0 if not extra else 1 - _PARTICULAR * (1 - len(met) / len(extra))


def _p_own_question(own: Sequence[CandidateSentence], weights: Weights) -> float:
    """A question of the user's own: the share of its words that one sentence covers, and the examples it names."""
    by = weights.own_question
    share = max(candidate.overlap for candidate in own)
    named = len(frozenset[str]().union(*(candidate.signs for candidate in own)))
    return min(by.most, logistic(by.intercept + by.best * share + by.examples * math.sqrt(named)))
