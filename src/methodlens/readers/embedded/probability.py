"""The calibrated probability that the paper reports an answer. training/verdicts.py learns the weights and measures it."""

import math
from collections.abc import Mapping, Sequence

from methodlens.facts import deciding_type
from methodlens.readers.embedded.candidates import QUESTION_WORDS, CandidateSentence, stem
from methodlens.readers.embedded.weights import LearnedVerdicts
from methodlens.records import Question
from methodlens.text import words

NOTHING_OWN = 0.02
"""If no sentence is about the authors' own work."""
HAS_LINK = 0.65
"""At least, if a sentence has the link that the question asks for."""
NO_SIGN = 0.05
"""If no words were learned for the question and no sentence has one of its signs."""
LIKE_MOST = 0.9
"""At most, for a user's question that asks what a built-in one asks."""
UNFOUNDED = 0.55
"""At most, if there is no sign, no fact and no sentence with a good score."""
NO_VALUE = 0.2
"""At most, if that is improbable and the question asks for values."""
_WEAK = -1.0  # learned scores below say little
_MISSING_WORDS = 0.4  # the loss if no sentence has any of the words that set a question apart from the shipped one
_MAX_WORD_SCORE = 4.0  # in either direction, so that no single sentence decides alone


def p_reported(question: Question, own: Sequence[CandidateSentence], learned: LearnedVerdicts) -> float:
    """`own` are the sentences about the authors' own work."""
    if not own:
        return NOTHING_OWN
    if lacks_required_fact(question, own):
        return learned.no_required_fact
    values = features(question, own)
    if not learned.of(question).words:
        if not values["signs"]:
            return NO_SIGN
        values = {**values, "words": learned.typical_words}
    total = sum(weight * values.get(name, 1.0) for name, weight in learned.reported.items())
    p = logistic(total + learned.of(question).bias)
    if not values["signs"] and not values["facts"] and max(candidate.learned_score for candidate in own) < _WEAK:
        p = _without_evidence(question, p)
    if deciding_type(question).cited:  # it has the link, or it would lack the required fact
        p = max(p, HAS_LINK)
    return min(LIKE_MOST, round(p * _specific(question, own), 4)) if question.like else p


def _without_evidence(question: Question, p: float) -> float:
    """Only the frequency of the question among papers on deep learning speaks for an answer: a person should look, unless it is
    improbable anyway."""
    if p > UNFOUNDED:
        return UNFOUNDED
    return min(p, NO_VALUE) if question.facts else p


def features(question: Question, own: Sequence[CandidateSentence]) -> Mapping[str, float]:
    """The features of a cell that `LearnedVerdicts.reported` weights."""
    signs = frozenset[str]().union(*(candidate.signs for candidate in own))
    with_fact = sum(candidate.has_fact for candidate in own)
    return {
        "signs": math.sqrt(len(signs)),
        "fact": float(deciding_type(question).decisive and with_fact > 0),
        "facts": math.sqrt(with_fact),
        "sentences": math.log(sum(math.exp(candidate.learned_score) for candidate in own)),
        "words": min(_MAX_WORD_SCORE, max(-_MAX_WORD_SCORE, max(candidate.word_score for candidate in own))),
    }


def lacks_required_fact(question: Question, own: Sequence[CandidateSentence]) -> bool:
    return deciding_type(question).required and not any(candidate.has_fact for candidate in own)


def logistic(x: float) -> float:
    return round(min(0.98, max(0.02, 1 / (1 + math.exp(-x)))), 4)


def _specific(question: Question, own: Sequence[CandidateSentence]) -> float:
    """A user's question may be more specific than the shipped one that it is like. If no sentence has the words that it adds,
    the answer is one to the shipped question."""
    known = {stem(word) for word in words(f"{question.query} {' '.join(question.signs)}".replace("*", ""))}
    extra = {stem(word) for word in words(question.text)} - known - QUESTION_WORDS
    present = {stem(word) for candidate in own for word in words(candidate.text)} & extra
    return 1.0 if not extra else 1 - _MISSING_WORDS * (1 - len(present) / len(extra))
