"""How much a sentence looks like the answer, and which sentences to quote."""

import math
from collections.abc import Sequence

from methodlens.facts import Findings, deciding_type, find, types_of
from methodlens.facts.link_text import mend_links
from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.weights import Weights
from methodlens.records import Paper, Question

MOST_QUOTES = 4
MOST_CHARS = 1400
_MOST_WITH_SOURCES, _MOST_CHARS_WITH_SOURCES = 5, 1500
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


def quoted_spans(paper: Paper, chosen: Sequence[CandidateSentence], findings: Findings) -> list[tuple[int, int]]:
    """The chosen sentences, then the footnotes and references that a link among the facts is from, as many as fit."""
    spans = [(candidate.start, candidate.end) for candidate in chosen]
    links = [str(fact.value) for facts in findings.facts.values() for fact in facts]
    chars = sum(end - start for start, end in spans)
    for start, end in (source for candidate in chosen for source in candidate.sources):
        note = mend_links(paper.text[start:end])
        fits = len(spans) < _MOST_WITH_SOURCES and chars + end - start <= _MOST_CHARS_WITH_SOURCES
        if fits and (start, end) not in spans and any(link in note for link in links):
            spans.append((start, end))
            chars += end - start
    return spans


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
    findings = find(types_of(question), [candidate.fact_text for candidate in chosen])
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
