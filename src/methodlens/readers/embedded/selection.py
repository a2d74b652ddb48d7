"""How much a sentence looks like the answer, and which of them to quote."""

import math
from collections.abc import Sequence

from methodlens.facts import deciding_type, find, types_of
from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.weights import Weights
from methodlens.records import Question

MOST_QUOTES = 4
MOST_CHARS = 1400
_CLOSE = 0.6  # of the best score: what a further quote needs
_TELLS_MORE = 0.45  # ... and what one needs that adds a fact
_NEXT_TO_IT = 0.15  # ... beside the best
_GAP = 3  # characters between sentences that stand beside one another


def score(candidate: CandidateSentence, weights: Weights, *, fact: bool = True) -> float:
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


def fact_decides(question: Question) -> bool:
    """Whether a fact counts in the verdict; those of other questions only choose and order quotes."""
    deciding = deciding_type(question)
    return deciding is not None and deciding.decisive


def choose_quotes(question: Question, own: Sequence[CandidateSentence], weights: Weights) -> list[CandidateSentence]:
    """One to four sentences that answer it, best first, within what may be quoted. Sentences that add a fact come before
    those that only say it again: hyperparameters and metrics stand in several places."""

    def merit(candidate: CandidateSentence) -> float:
        return score(candidate, weights) if question.signs else candidate.overlap + 0.3 * bool(candidate.signs)

    # where typed facts were found, a sentence without any would only dilute them
    wanted = (
        (fact_decides(question) and [candidate for candidate in own if candidate.has_fact])
        or [candidate for candidate in own if candidate.signs]
        or list(own)
    )
    ranked = sorted(wanted, key=lambda candidate: (-merit(candidate), candidate.start))
    top = merit(ranked[0])
    chosen = _within(ranked[:1], [])
    deciding = deciding_type(question)
    if deciding and not deciding.first_quote_only:
        everyone = sorted(own, key=lambda candidate: (-merit(candidate), candidate.start))
        near = [
            candidate
            for candidate in everyone
            if merit(candidate) >= (_NEXT_TO_IT if _beside(candidate, ranked[0]) else _TELLS_MORE) * top
        ]
        chosen = _with_new_facts(question, near, chosen)
    close = [candidate for candidate in ranked if candidate not in chosen and merit(candidate) >= _CLOSE * top]
    return _within(close, chosen)


def _beside(one: CandidateSentence, other: CandidateSentence) -> bool:
    """What follows or precedes a sentence speaks of the same: "... on four GPUs. One run took six hours." """
    return 0 <= one.start - other.end <= _GAP or 0 <= other.start - one.end <= _GAP


def _with_new_facts(
    question: Question, ranked: Sequence[CandidateSentence], chosen: list[CandidateSentence]
) -> list[CandidateSentence]:
    known = _facts(question, chosen)
    for candidate in ranked:
        more = _within([candidate], chosen) if candidate not in chosen else chosen
        if len(more) > len(chosen) and (facts := _facts(question, more)) > known:
            chosen, known = more, facts
    return chosen


def _facts(question: Question, chosen: Sequence[CandidateSentence]) -> set[str]:
    findings = find(types_of(question), [candidate.text for candidate in chosen])
    return {f"{key} {fact.value}" for key, facts in findings.facts.items() for fact in facts}


def _within(more: Sequence[CandidateSentence], chosen: list[CandidateSentence]) -> list[CandidateSentence]:
    """`chosen` and as many of `more` as fit."""
    chars = sum(candidate.end - candidate.start for candidate in chosen)
    for candidate in more:
        size = candidate.end - candidate.start
        if len(chosen) < MOST_QUOTES and chars + size <= MOST_CHARS:
            chosen = [*chosen, candidate]
            chars += size
    return chosen
