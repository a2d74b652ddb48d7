"""The sentences of a context, each with its features as an answer to the question."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from methodlens.facts import deciding_type, types_of
from methodlens.readers.embedded.attribution import Attribution, about_deployment, attribute
from methodlens.readers.embedded.citations import CitedSentence, citations, cited_sentence, link_sentences
from methodlens.readers.embedded.sign_matching import matching_signs
from methodlens.readers.embedded.weights import NOTHING_LEARNED, LearnedQuestion
from methodlens.records import Hit, Paper, Question, SectionKind
from methodlens.text import quotable, sentences, words

SHORTEST, LONGEST = 25, 1400
"""Characters of a sentence that can be quoted."""

METHODS_SECTIONS = frozenset({SectionKind.METHODS, SectionKind.AVAILABILITY, SectionKind.APPENDIX, SectionKind.OTHER})
_ENDINGS = re.compile(r"(?:ations?|ings?|ions?|ies|ied|ers?|ed|es|e|s)$")
_EXAMPLES = re.compile(r"\(?\b(?:e\.g\.|for example|for instance|such as|like)[,:]?\s+([^()?;]+)\)?", re.IGNORECASE)
_NUMBER = re.compile(r"\d")
_UNRANKED, _UNSCORED = 1000, -1000.0
_GAP = 3  # characters between neighbouring sentences
_LONGEST_ABSTRACT = 3000  # characters; what a paper without headings has for an abstract may be much longer
_FIRST_PAGE = 5000  # characters in which the title is looked for
QUESTION_WORDS = frozenset(
    """use used using deep learning model models pipeline paper study author report reported describe described give given apply
    applied one many much kind type name employ employed say said there way""".split()
)
"""Words of questions that say nothing about the answer."""


class CandidateSentence(Struct, frozen=True):
    start: int
    end: int
    text: str
    fact_text: str
    """The text with the links of the footnotes and references that it cites, where the question is about links."""
    sources: tuple[tuple[int, int], ...]
    """Spans of these footnotes and references."""
    section: str
    attribution: Attribution
    rank: int
    """Of its passage, from 0."""
    signs: frozenset[str]
    overlap: float
    """The share of the query's words that the sentence covers, weighted by rarity."""
    has_number: bool
    has_fact: bool
    """Whether it has a value of the question's deciding fact."""
    word_score: float
    """Above 0 if its words are typical of answers, as learned from papers."""
    position: float = 0.0
    """From 0 at the beginning of the paper to 1 at its end."""
    neighbour_sign: bool = False
    neighbour_fact: bool = False
    neighbour_overlap: float = 0.0
    """What the sentences before and after it have, of those in the context."""
    learned_score: float = 0.0
    """How well it answers the question, as learned from sentences that people quoted. Above 0 means that it likely does."""

    @property
    def own(self) -> bool:
        return self.attribution is Attribution.OWN


def candidate_sentences(
    question: Question, paper: Paper, context: Sequence[Hit], learned: LearnedQuestion = NOTHING_LEARNED
) -> list[CandidateSentence]:
    """The sentences of the context in rank order, each once."""
    types = types_of(question)

    def wanted(row: str) -> bool:
        """A row answers a question by its values; its words alone may be those of any table."""
        return bool(matching_signs(row, question.signs)) and (not types or any(each.extract([row]) for each in types))

    spans = list(_spans(paper, context, wanted if question.signs else None))
    deciding = deciding_type(question)
    marks = citations(paper) if deciding.cited else ()
    if deciding.cited:
        spans += _link_spans(paper, {start for start, *_ in spans}, rank=len(context))
    if deciding.in_abstract:
        spans += _front_spans(paper, {start for start, *_ in spans}, rank=len(context))
    training_only = deciding.training_only and "train" in question.text.lower()
    tokens = [_tokens(text) for _, _, text, _, _ in spans]
    stems = [_stems(row) for row in tokens]
    weights = _weights(question, stems)
    total = sum(weights.values())
    candidates: list[CandidateSentence] = []
    for (start, end, text, section, rank), row, sentence_stems in zip(spans, tokens, stems, strict=True):
        signs = frozenset(matching_signs(text, question.signs))
        covered = sum(weight for word, weight in weights.items() if word in sentence_stems)
        attribution = attribute(text, section)
        if training_only and attribution is Attribution.OWN and about_deployment(text):
            attribution = Attribution.DEPLOYMENT
        if deciding.from_others and attribution is Attribution.CITED and section in METHODS_SECTIONS:
            attribution = Attribution.OWN
        is_sentence = text == paper.text[start:end]  # and not a row of a table
        fact_text, sources = cited_sentence(paper, start, end, marks) if deciding.cited and is_sentence else CitedSentence(text)
        candidate = CandidateSentence(
            *(start, end, text, fact_text, sources, section, attribution, rank, signs),
            overlap=covered / total if total else 0.0,
            has_number=bool(_NUMBER.search(text)),
            has_fact=attribution is Attribution.OWN
            and bool(signs or deciding.cited or deciding.specific)
            and bool(deciding.extract([fact_text])),
            word_score=learned.score(row),
            position=start / len(paper.text),
        )
        candidates.append(candidate)
    return _with_neighbours(candidates)


def further_sentences(
    paper: Paper, places: Iterable[tuple[int, int, str]], known: Sequence[CandidateSentence]
) -> list[CandidateSentence]:
    """Sentences at these places that are not among the known ones. They have values of the question but are not in the context,
    so they are not scored."""
    starts = {candidate.start for candidate in known}
    return [
        CandidateSentence(
            *(start, end, paper.text[start:end], paper.text[start:end], (), section, Attribution.OWN, _UNRANKED, frozenset()),
            overlap=0.0,
            has_number=False,
            has_fact=True,
            word_score=0.0,
            position=start / len(paper.text),
            learned_score=_UNSCORED,
        )
        for start, end, section in places
        if start not in starts and SHORTEST <= end - start <= LONGEST
    ]


def adjacent(one: CandidateSentence, other: CandidateSentence) -> bool:
    """Neighbouring sentences often share a subject: "... on four GPUs. One run took six hours." """
    return 0 <= one.start - other.end <= _GAP or 0 <= other.start - one.end <= _GAP


def _with_neighbours(candidates: Sequence[CandidateSentence]) -> list[CandidateSentence]:
    ordered = sorted(candidates, key=lambda candidate: candidate.start)
    around: dict[int, list[CandidateSentence]] = {candidate.start: [] for candidate in candidates}
    for one, other in pairwise(ordered):
        if adjacent(one, other):
            around[one.start].append(other)
            around[other.start].append(one)
    return [
        replace(
            candidate,
            neighbour_sign=any(other.signs for other in around[candidate.start]),
            neighbour_fact=any(other.has_fact for other in around[candidate.start]),
            neighbour_overlap=max((other.overlap for other in around[candidate.start]), default=0.0),
        )
        if around[candidate.start]
        else candidate
        for candidate in candidates
    ]


def stem(word: str) -> str:
    """A rough stem, so that "annotated" matches "annotation"."""
    return _ENDINGS.sub("", word) if len(word) > 5 else word


@lru_cache(maxsize=4096)  # consecutive questions see the same sentences
def _tokens(sentence: str) -> frozenset[str]:
    return frozenset(words(sentence))


@lru_cache(maxsize=4096)
def _stems(tokens: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stem, tokens))


def _spans(
    paper: Paper, context: Sequence[Hit], wanted: Callable[[str], bool] | None
) -> Iterator[tuple[int, int, str, str, int]]:
    """Sentences and rows of tables: their span, how to quote them, their section and the rank of their passage."""
    seen: set[str] = set()
    for rank, hit in enumerate(context):
        passage = hit.passage
        if passage.section == SectionKind.REFERENCES:
            continue
        for start, end, text in quotable(paper, passage.start, passage.end, wanted):
            key = " ".join(text.lower().split())
            if SHORTEST <= len(text) <= LONGEST and key not in seen:
                seen.add(key)
                yield start, end, text, passage.section, rank


def _link_spans(paper: Paper, known: Collection[int], rank: int) -> list[tuple[int, int, str, str, int]]:
    """Sentences with links that the context lacks: footnotes and statements on availability are short, and rank low."""
    return [
        (start, end, paper.text[start:end], section, rank)
        for start, end, section in link_sentences(paper)
        if start not in known and SHORTEST <= end - start <= LONGEST
    ]


def _front_spans(paper: Paper, known: Collection[int], rank: int) -> list[tuple[int, int, str, str, int]]:
    """The title, and the sentences of the abstract that the context lacks. They often name the model and its task without a
    word of the query."""
    title = title_span(paper)
    spans = [(*title, SectionKind.FRONT)] if title else []
    for section in paper.sections:
        if section.kind == SectionKind.ABSTRACT:
            end = min(section.end, section.start + _LONGEST_ABSTRACT)
            spans += [(*span, SectionKind.ABSTRACT) for span in sentences(paper.text, section.start, end)]
    return [
        (start, end, paper.text[start:end], section, rank)
        for start, end, section in spans
        if start not in known and SHORTEST <= end - start <= LONGEST
    ]


def title_span(paper: Paper) -> tuple[int, int] | None:
    """Where the first page prints the title, over several lines perhaps."""
    words = paper.title.split()
    match = re.compile(r"\s{1,3}".join(map(re.escape, words))).search(paper.text, 0, _FIRST_PAGE) if words else None
    return match.span() if match else None


def _weights(question: Question, sentence_stems: Sequence[frozenset[str]]) -> dict[str, float]:
    """The rarer a word, the higher its weight. A word that no sentence has weighs most, which keeps the overlap small."""
    # examples are alternatives: they serve as signs, not as words to cover
    text = question.query or _EXAMPLES.sub(" ", question.text)
    frequency = Counter(word for stems in sentence_stems for word in stems)
    wanted = {stem(word) for word in words(text) if word not in QUESTION_WORDS}
    # any word of a query may be missing; every word of a question counts
    return {
        word: math.log(1 + len(sentence_stems) / (frequency[word] or 0.5))
        for word in wanted
        if not question.query or frequency[word]
    }
