"""From what speaks for each sentence to the best of them, and to the probability that the paper reports it."""

import math
from collections.abc import Sequence

from methodlens.readers.embedded.candidates import Candidate
from methodlens.readers.embedded.weights import Weights
from methodlens.records import Question

MOST_QUOTES = 4
MOST_CHARS = 1400
_LINKS = (("code_urls",), ("data_urls",))
_CLOSE = 0.6  # of the best score: what a further quote needs


def score(candidate: Candidate, weights: Weights) -> float:
    """How much a sentence looks like the answer. Whose work it speaks of is not in here: that is a gate, not a degree."""
    by = weights.sentence
    return (
        (by.any_sign if candidate.signs else 0.0)
        + by.signs * math.sqrt(len(candidate.signs))
        + by.overlap * candidate.overlap
        + by.first_passage / (1 + candidate.rank)
        + (by.number if candidate.has_number else 0.0)
        + (by.fact if candidate.has_fact else 0.0)
        + weights.section.get(candidate.section, 0.0)
    )


def p_reported(question: Question, own: Sequence[Candidate], weights: Weights) -> float:
    """Only sentences on the authors' own work are given; without any there is nothing to report."""
    if not own:
        return 0.02
    if not question.signs:
        return _p_own_question(own, weights)
    by = weights.reported
    scores = sorted((score(candidate, weights) for candidate in own), reverse=True)
    signs = frozenset[str]().union(*(candidate.signs for candidate in own))
    has_fact = any(candidate.has_fact for candidate in own)
    # who asks for a link is not answered by a sentence that has none
    if not signs or (question.facts[:1] in _LINKS and not has_fact):
        return 0.05
    return _logistic(
        by.intercept
        + weights.bias.get(question.id, 0.0)
        + by.best * scores[0]
        + by.second * (scores[1] if len(scores) > 1 else 0.0)
        + by.sentences * math.sqrt(sum(bool(candidate.signs) for candidate in own))
        + by.signs * math.sqrt(len(signs))
        + (by.fact if has_fact else 0.0)
    )


def _p_own_question(own: Sequence[Candidate], weights: Weights) -> float:
    """A question of the user's own: the share of its words that one sentence covers, and the examples it names."""
    by = weights.own_question
    share = max(candidate.overlap for candidate in own)
    named = len(frozenset[str]().union(*(candidate.signs for candidate in own)))
    return min(by.most, _logistic(by.intercept + by.best * share + by.examples * math.sqrt(named)))


def best(question: Question, own: Sequence[Candidate], weights: Weights) -> list[Candidate]:
    """One to four sentences that answer it, best first, within what may be quoted."""

    def merit(candidate: Candidate) -> float:
        return score(candidate, weights) if question.signs else candidate.overlap + 0.3 * bool(candidate.signs)

    # where typed facts were found, a sentence without any would only dilute them
    wanted = (
        [candidate for candidate in own if candidate.has_fact] or [candidate for candidate in own if candidate.signs] or list(own)
    )
    ranked = sorted(wanted, key=lambda candidate: (-merit(candidate), candidate.start))
    chosen: list[Candidate] = []
    chars = 0
    for candidate in ranked:
        size = candidate.end - candidate.start
        if len(chosen) < MOST_QUOTES and chars + size <= MOST_CHARS and merit(candidate) >= _CLOSE * merit(ranked[0]):
            chosen.append(candidate)
            chars += size
    return chosen


def _logistic(x: float) -> float:
    return round(min(0.98, max(0.02, 1 / (1 + math.exp(-x)))), 4)
