"""From what speaks for each sentence to the best of them, and to the probability that the paper reports it."""

import math
from collections.abc import Sequence

from methodlens.facts import located
from methodlens.readers.embedded.candidates import Candidate
from methodlens.readers.embedded.weights import Weights
from methodlens.records import Question

MOST_QUOTES = 4
MOST_CHARS = 1400
_LINKS = (("code_urls",), ("data_urls",))
_DECIDING = frozenset(("hardware", "code_urls", "code_hosts", "data_urls", "data_hosts"))
"""Facts whose presence the weights of the verdict know; the others choose and order quotes only."""
_SAID_ONCE = ("tasks",)
"""Facts that a further sentence hardly adds to: any sentence has a verb that could be a task."""
_CLOSE = 0.6  # of the best score: what a further quote needs
_TELLS_MORE = 0.45  # ... and what one needs that adds a fact


def score(candidate: Candidate, weights: Weights, *, fact: bool = True) -> float:
    """How much a sentence looks like the answer. Whose work it speaks of is not in here: that is a gate, not a degree."""
    by = weights.sentence
    return (
        (by.any_sign if candidate.signs else 0.0)
        + by.signs * math.sqrt(len(candidate.signs))
        + by.overlap * candidate.overlap
        + by.first_passage / (1 + candidate.rank)
        + (by.number if candidate.has_number else 0.0)
        + (by.fact if fact and candidate.has_fact else 0.0)
        + weights.section.get(candidate.section, 0.0)
    )


def p_reported(question: Question, own: Sequence[Candidate], weights: Weights) -> float:
    """Only sentences on the authors' own work are given; without any there is nothing to report."""
    if not own:
        return 0.02
    if not question.signs:
        return _p_own_question(own, weights)
    by = weights.reported
    deciding = not _DECIDING.isdisjoint(question.facts[:1])
    scores = sorted((score(candidate, weights, fact=deciding) for candidate in own), reverse=True)
    signs = frozenset[str]().union(*(candidate.signs for candidate in own))
    has_fact = deciding and any(candidate.has_fact for candidate in own)
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
    """One to four sentences that answer it, best first, within what may be quoted. Sentences that add a fact come before
    those that only say it again: hyperparameters and metrics stand in several places."""

    def merit(candidate: Candidate) -> float:
        return score(candidate, weights) if question.signs else candidate.overlap + 0.3 * bool(candidate.signs)

    deciding = not _DECIDING.isdisjoint(question.facts[:1])
    # where typed facts were found, a sentence without any would only dilute them
    wanted = (
        (deciding and [candidate for candidate in own if candidate.has_fact])
        or [candidate for candidate in own if candidate.signs]
        or list(own)
    )
    ranked = sorted(wanted, key=lambda candidate: (-merit(candidate), candidate.start))
    top = merit(ranked[0])
    chosen = _within(ranked[:1], [])
    if question.facts and question.facts[0] not in _SAID_ONCE:
        everyone = sorted(own, key=lambda candidate: (-merit(candidate), candidate.start))
        near = [candidate for candidate in everyone if merit(candidate) >= _TELLS_MORE * top]
        chosen = _with_new_facts(question, near, chosen)
    close = [candidate for candidate in ranked if candidate not in chosen and merit(candidate) >= _CLOSE * top]
    return _within(close, chosen)


def _with_new_facts(question: Question, ranked: Sequence[Candidate], chosen: list[Candidate]) -> list[Candidate]:
    known = _facts(question, chosen)
    for candidate in ranked:
        more = _within([candidate], chosen) if candidate not in chosen else chosen
        if len(more) > len(chosen) and (facts := _facts(question, more)) > known:
            chosen, known = more, facts
    return chosen


def _facts(question: Question, chosen: Sequence[Candidate]) -> set[str]:
    return {f"{fact.key} {fact.value}" for fact in located(question.facts, [candidate.text for candidate in chosen])}


def _within(more: Sequence[Candidate], chosen: list[Candidate]) -> list[Candidate]:
    """`chosen` and as many of `more` as fit."""
    chars = sum(candidate.end - candidate.start for candidate in chosen)
    for candidate in more:
        size = candidate.end - candidate.start
        if len(chosen) < MOST_QUOTES and chars + size <= MOST_CHARS:
            chosen = [*chosen, candidate]
            chars += size
    return chosen


def _logistic(x: float) -> float:
    return round(min(0.98, max(0.02, 1 / (1 + math.exp(-x)))), 4)
