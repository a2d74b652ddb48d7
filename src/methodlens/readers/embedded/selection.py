"""Which sentences to quote."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from methodlens.facts import FactType, Findings, deciding_type, find, types_of
from methodlens.facts.link_text import mend_links
from methodlens.facts.types import Fact
from methodlens.readers.embedded.candidates import CandidateSentence, adjacent
from methodlens.records import Paper, Question

MOST_QUOTES = 5
MOST_CHARS = 1500
_MORE_SENTENCES = 3  # if each adds a value of a kind that papers spread over many; neighbours are then one quote
_ROOM_FOR_SOURCES = 1, 100  # quotes and characters that link questions leave for a footnote or reference
# how far below the best learned score a further quote may be: in general, if it adds a fact, if it is also next to the best, and
# if it adds a kind of fact that no quote has
_CLOSE, _ADDS_A_FACT, _NEIGHBOUR = 3.0, 3.0, 5.0
_ADDS_A_KIND = 8.0
_FACT_FIRST = 3.0  # how far below the best a sentence with the deciding fact may be to come first
_SENTENCE = 150  # characters that a sentence costs however short it is, as quotes are few
_BEFORE_FURTHER = 3  # of the best sentences in the context, before others of the paper are considered
_HEADING = re.compile(r"(?:\d{1,2}\.){1,3}\d{0,2}\s{1,3}[^.!?]{1,120}$")  # "2.1. Collection of recordings"
_HOPELESS = -5.0  # a learned score below which a sentence adds nothing


def choose_quotes(
    question: Question,
    own: Sequence[CandidateSentence],
    *,
    also: Sequence[CandidateSentence] = (),
    further: Sequence[CandidateSentence] = (),
    context_first: bool = False,
    types: Sequence[FactType] | None = None,
) -> list[CandidateSentence]:
    """The sentences of one to five quotes that answer the question, best first. Those that add a fact come before those that
    repeat one: papers report hyperparameters and metrics in several places. What is in `also` is quoted wherever it ranks.
    Those in `further` are quoted if they add facts, with `context_first` after all others that do. `types` are those of the
    question's facts, with extractors that know the paper."""
    types = types_of(question) if types is None else types

    def values(quotes: Sequence[CandidateSentence]) -> set[str]:
        return _values(types, quotes)

    def kinds(quotes: Sequence[CandidateSentence]) -> set[str]:
        return {key for key, facts in _facts(types, quotes).items() if facts}

    deciding = deciding_type(question)
    room = _Room(question)
    said = [one for one in own if one.has_fact or _HEADING.match(one.text) is None]
    ranked = sorted(said or own, key=lambda candidate: (-candidate.learned_score, candidate.start))
    lowest = -math.inf if deciding.decisive else ranked[0].learned_score - _FACT_FIRST
    best = next((one for one in ranked if one.has_fact and one.learned_score >= lowest), ranked[0])
    top = best.learned_score
    chosen = room.add([best], [])
    if not deciding.first_quote_only:
        near = [
            one
            for one in ranked
            if one.learned_score >= top - (_NEIGHBOUR if adjacent(one, best) else _ADDS_A_FACT)
            or (deciding.cited and one.has_fact)
        ]
        chosen = _adding(near[:_BEFORE_FURTHER] if further and not context_first else near, chosen, room, values)
        if further:
            known = () if context_first else (one for one in ranked if one.has_fact)
            chosen = _covering([*known, *further], chosen, room, values)
        if len(kinds(chosen)) < len(types):
            far = [one for one in ranked if one not in near and one.learned_score >= top - _ADDS_A_KIND]
            chosen = _adding(far, chosen, room, kinds)
    if deciding.in_many_places:
        spread = [each for each in types if each.in_many_places]
        firm = [one for one in ranked if one.learned_score >= top - _ADDS_A_KIND]
        chosen = _adding(firm, chosen, _Room(question, more=_MORE_SENTENCES), lambda quotes: _values(spread, quotes))
    close = [one for one in ranked if one not in chosen and one.learned_score >= max(_HOPELESS, top - _CLOSE)]
    chosen = room.add(close, room.add([one for one in also if one not in chosen], chosen))
    return [chosen[0], *sorted(chosen[1:], key=lambda candidate: (-candidate.learned_score, candidate.start))]


def with_sources(paper: Paper, chosen: Sequence[CandidateSentence], findings: Findings) -> list[tuple[int, int, str]]:
    """Span and text of the chosen sentences, then of the footnotes and references that a link among the facts is from, as many
    as fit."""
    quotes = _joined(paper, chosen)
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


def _joined(paper: Paper, chosen: Sequence[CandidateSentence]) -> list[tuple[int, int, str]]:
    """Span and text of each; of more than five sentences, neighbours are quoted in one piece, where the better one stands."""
    quotes = [(candidate.start, candidate.end, candidate.text) for candidate in chosen]
    if len(chosen) <= MOST_QUOTES:
        return quotes
    rank = {candidate.start: index for index, candidate in enumerate(chosen)}
    runs = [(min(rank[one.start] for one in run), run[0].start, run[-1].end) for run in _runs(chosen)]
    return [
        (start, end, paper.text[start:end] if end > chosen[at].end or start < chosen[at].start else chosen[at].text)
        for at, start, end in sorted(runs)
    ]


def _runs(chosen: Sequence[CandidateSentence]) -> list[list[CandidateSentence]]:
    """Neighbouring sentences together, in the order of the paper."""
    runs: list[list[CandidateSentence]] = []
    for one in sorted(chosen, key=lambda candidate: candidate.start):
        if runs and adjacent(one, runs[-1][-1]):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _adding(
    ranked: Sequence[CandidateSentence],
    chosen: list[CandidateSentence],
    room: "_Room",
    said_by: Callable[[Sequence[CandidateSentence]], set[str]],
) -> list[CandidateSentence]:
    """`chosen` and those of `ranked` that add to what `said_by` gives for the quotes, or that replace a name by a more specific
    one, such as "ResNet" by "ResNet-50"."""
    known = said_by(chosen)
    for candidate in ranked:
        more = room.add([candidate], chosen) if candidate not in chosen else chosen
        if len(more) == len(chosen):
            continue
        said = said_by(more)
        if said - known and len(said) >= len(known):
            chosen, known = more, said
    return chosen


def _covering(
    pool: Sequence[CandidateSentence],
    chosen: list[CandidateSentence],
    room: "_Room",
    said_by: Callable[[Sequence[CandidateSentence]], set[str]],
) -> list[CandidateSentence]:
    """`chosen` and, one by one, the sentence of the pool that adds the most facts for its length."""
    said = {one.start: said_by([one]) for one in pool}
    known = said_by(chosen)
    while True:
        adding = [(len(said[one.start] - known) / (len(one.text) + _SENTENCE), one) for one in pool if one not in chosen]
        for gain, one in sorted(adding, key=lambda row: (-row[0], row[1].start)):
            if gain <= 0:
                return chosen
            more = room.add([one], chosen)
            after = said_by(more)
            if len(more) > len(chosen) and len(after) > len(known):
                chosen, known = more, after
                break
        else:
            return chosen


def _values(types: Sequence[FactType], quotes: Sequence[CandidateSentence]) -> set[str]:
    return {f"{key} {fact.value}" for key, facts in _facts(types, quotes).items() for fact in facts}


def _facts(types: Sequence[FactType], chosen: Sequence[CandidateSentence]) -> Mapping[str, Sequence[Fact]]:
    return find(types, [candidate.fact_text for candidate in chosen]).facts


class _Room:
    """How much may be quoted."""

    def __init__(self, question: Question, *, more: int = 0) -> None:
        quotes, chars = _ROOM_FOR_SOURCES if deciding_type(question).cited else (0, 0)
        self._quotes, self._chars = MOST_QUOTES - quotes, MOST_CHARS - chars
        self._sentences = self._quotes + more

    def add(self, more: Sequence[CandidateSentence], chosen: list[CandidateSentence]) -> list[CandidateSentence]:
        """`chosen` and as many of `more` as fit."""
        chars = sum(len(candidate.text) for candidate in chosen)
        for candidate in more:
            size = len(candidate.text)
            if len(chosen) < self._sentences and chars + size <= self._chars and self._has_place(candidate, chosen):
                chosen = [*chosen, candidate]
                chars += size
        return chosen

    def _has_place(self, candidate: CandidateSentence, chosen: Sequence[CandidateSentence]) -> bool:
        """Beyond the number of quotes, only sentences that make one quote with their neighbours."""
        return len(chosen) < self._quotes or len(_runs([*chosen, candidate])) <= self._quotes
