"""How much a sentence looks like the answer, and which sentences to quote."""

import math
from collections.abc import Sequence

from methodlens.facts import deciding_type, find, types_of
from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.weights import Weights
from methodlens.records import Question

MOST_QUOTES = 4
MOST_CHARS = 1400
# what a further quote needs, as a share of the best score: in general, if it adds a fact, and if it is also next to the best
_CLOSE, _ADDS_A_FACT, _NEIGHBOUR = 0.6, 0.45, 0.15
_GAP = 3  # characters between neighbouring sentences


def score(candidate: CandidateSentence, weights: Weights, *, fact: bool = True) -> float:
    """How much a sentence looks like the answer. Whose work it is about is not scored, but required of quotes."""
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


def choose_quotes(question: Question, own: Sequence[CandidateSentence], weights: Weights) -> list[CandidateSentence]:
    """One to four sentences that answer the question, best first. Those that add a fact come before those that repeat one:
    papers report hyperparameters and metrics in several places."""

    def merit(candidate: CandidateSentence) -> float:
        return score(candidate, weights) if question.signs else candidate.overlap + 0.3 * bool(candidate.signs)

    deciding = deciding_type(question)
    wanted = (
        (deciding.decisive and [candidate for candidate in own if candidate.has_fact])
        or [candidate for candidate in own if candidate.signs]
        or list(own)
    )
    ranked = sorted(wanted, key=lambda candidate: (-merit(candidate), candidate.start))
    best, top = ranked[0], merit(ranked[0])
    chosen = _within([best], [])
    if not deciding.first_quote_only:
        everyone = sorted(own, key=lambda candidate: (-merit(candidate), candidate.start))
        near = [one for one in everyone if merit(one) >= (_NEIGHBOUR if _adjacent(one, best) else _ADDS_A_FACT) * top]
        chosen = _with_new_facts(question, near, chosen)
    close = [candidate for candidate in ranked if candidate not in chosen and merit(candidate) >= _CLOSE * top]
    return _within(close, chosen)


def _adjacent(one: CandidateSentence, other: CandidateSentence) -> bool:
    """Neighbouring sentences often share a subject: "... on four GPUs. One run took six hours." """
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
