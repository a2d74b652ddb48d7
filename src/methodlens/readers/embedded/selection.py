"""Which sentences to quote."""

import math
import re
from collections.abc import Sequence

from methodlens.facts import Findings, deciding_type, find, types_of
from methodlens.facts.link_text import mend_links
from methodlens.readers.embedded.candidates import CandidateSentence, adjacent
from methodlens.records import Paper, Question

MOST_QUOTES = 5
MOST_CHARS = 1500
_ROOM_FOR_SOURCES = 1, 100  # quotes and characters that link questions leave for a footnote or reference
# how far below the best learned score a further quote may be: in general, if it adds a fact, if it is also next to the best, and
# if it adds a kind of fact that no quote has
_CLOSE, _ADDS_A_FACT, _NEIGHBOUR = 3.0, 3.0, 5.0
_ADDS_A_KIND = 8.0
_FACT_FIRST = 3.0  # how far below the best a sentence with the deciding fact may be to come first
_HEADING = re.compile(r"(?:\d{1,2}\.){1,3}\d{0,2}\s{1,3}[^.!?]{1,120}$")  # "2.1. Collection of recordings"
_HOPELESS = -5.0  # a learned score below which a sentence adds nothing


def merit(question: Question, candidate: CandidateSentence) -> float:
    """By which quotes are chosen. Nothing is learned about a question without signs: then its words decide."""
    if question.signs:
        return candidate.learned_score
    return candidate.overlap + 0.3 * bool(candidate.signs)


def choose_quotes(question: Question, own: Sequence[CandidateSentence]) -> list[CandidateSentence]:
    """One to five sentences that answer the question, best first. Those that add a fact come before those that repeat one:
    papers report hyperparameters and metrics in several places."""
    deciding = deciding_type(question)
    room = _Room(question)
    ranked = sorted(own, key=lambda candidate: (-merit(question, candidate), candidate.start))
    lowest = -math.inf if deciding.decisive else merit(question, ranked[0]) - _FACT_FIRST
    best = next((one for one in ranked if one.has_fact and merit(question, one) >= lowest), ranked[0])
    top = merit(question, best)
    chosen = room.add([best], [])
    if not deciding.first_quote_only:
        near = [
            one
            for one in ranked
            if merit(question, one) >= top - (_NEIGHBOUR if adjacent(one, best) else _ADDS_A_FACT)
            or (deciding.cited and one.has_fact)
        ]
        chosen = _with_new_facts(question, near, chosen, room)
        far = [one for one in ranked if one not in near and merit(question, one) >= top - _ADDS_A_KIND]
        chosen = _with_new_kinds(question, far, chosen, room)
    close = [
        one
        for one in ranked
        if one not in chosen
        and merit(question, one) >= max(_HOPELESS, top - _CLOSE)
        and (one.has_fact or _HEADING.match(one.text) is None)
    ]
    chosen = room.add(close, chosen)
    return [chosen[0], *sorted(chosen[1:], key=lambda candidate: (-merit(question, candidate), candidate.start))]


def with_sources(paper: Paper, chosen: Sequence[CandidateSentence], findings: Findings) -> list[tuple[int, int, str]]:
    """Span and text of the chosen sentences, then of the footnotes and references that a link among the facts is from, as many
    as fit."""
    quotes = [(candidate.start, candidate.end, candidate.text) for candidate in chosen]
    links = [str(fact.value) for facts in findings.facts.values() for fact in facts]
    chars = sum(len(text) for _, _, text in quotes)
    for start, end in dict.fromkeys(source for candidate in chosen for source in candidate.sources):
        text = paper.text[start:end]
        known = any(begin <= start and end <= stop for begin, stop, _ in quotes)
        fits = len(quotes) < MOST_QUOTES and chars + len(text) <= MOST_CHARS
        if fits and not known and any(link in mend_links(text) for link in links):
            quotes.append((start, end, text))
            chars += len(text)
    return quotes


def _with_new_facts(
    question: Question, ranked: Sequence[CandidateSentence], chosen: list[CandidateSentence], room: "_Room"
) -> list[CandidateSentence]:
    known = _facts(question, chosen)
    for candidate in ranked:
        more = room.add([candidate], chosen) if candidate not in chosen else chosen
        if len(more) > len(chosen) and (facts := _facts(question, more)) > known:
            chosen, known = more, facts
    return chosen


def _with_new_kinds(
    question: Question, ranked: Sequence[CandidateSentence], chosen: list[CandidateSentence], room: "_Room"
) -> list[CandidateSentence]:
    """A sentence with a kind of fact that no quote has, such as the training time next to the hardware."""
    known = _kinds(question, chosen)
    for candidate in ranked:
        if len(known) == len(types_of(question)):
            break
        more = room.add([candidate], chosen)
        if len(more) > len(chosen) and (kinds := _kinds(question, more)) > known:
            chosen, known = more, kinds
    return chosen


def _kinds(question: Question, chosen: Sequence[CandidateSentence]) -> set[str]:
    findings = find(types_of(question), [candidate.fact_text for candidate in chosen])
    return {key for key, facts in findings.facts.items() if facts}


def _facts(question: Question, chosen: Sequence[CandidateSentence]) -> set[str]:
    findings = find(types_of(question), [candidate.fact_text for candidate in chosen])
    return {f"{key} {fact.value}" for key, facts in findings.facts.items() for fact in facts}


class _Room:
    """How much may be quoted."""

    def __init__(self, question: Question) -> None:
        quotes, chars = _ROOM_FOR_SOURCES if deciding_type(question).cited else (0, 0)
        self._quotes, self._chars = MOST_QUOTES - quotes, MOST_CHARS - chars

    def add(self, more: Sequence[CandidateSentence], chosen: list[CandidateSentence]) -> list[CandidateSentence]:
        """`chosen` and as many of `more` as fit."""
        chars = sum(len(candidate.text) for candidate in chosen)
        for candidate in more:
            size = len(candidate.text)
            if len(chosen) < self._quotes and chars + size <= self._chars:
                chosen = [*chosen, candidate]
                chars += size
        return chosen
