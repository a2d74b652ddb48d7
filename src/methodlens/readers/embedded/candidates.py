"""The sentences of the shown passages, each with what speaks for it as an answer to the question."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from methodlens.facts import deciding_type
from methodlens.readers.embedded.attribution import Attribution, about_deployment, attribute
from methodlens.readers.embedded.learned import NOTHING_LEARNED, LearnedQuestion
from methodlens.readers.embedded.sign_matching import matching_signs
from methodlens.records import Hit, Paper, Question, SectionKind
from methodlens.text import sentences, words

SHORTEST, LONGEST = 25, 1400
"""Characters: less proves nothing, more is not a quote."""

_ENDINGS = re.compile(r"(?:ations?|ings?|ions?|ies|ied|ers?|ed|es|e|s)$")
_EXAMPLES = re.compile(r"\(?\b(?:e\.g\.|for example|for instance|such as|like)[,:]?\s+([^()?;]+)\)?", re.IGNORECASE)
_NUMBER = re.compile(r"\d")
ASKING = frozenset(
    """use used using deep learning model models pipeline paper study author report reported describe described give given apply
    applied one many much kind type name employ employed say said there way""".split()
)


class CandidateSentence(Struct, frozen=True):
    start: int
    end: int
    text: str
    section: str
    attribution: Attribution
    rank: int
    """Of its passage, from 0."""
    signs: frozenset[str]
    overlap: float
    """Share of the query's weight, rare words counting more, that the sentence covers."""
    has_number: bool
    has_fact: bool
    words_say: float
    """What was learned of its words: above 0 they speak for an answer."""

    @property
    def own(self) -> bool:
        return self.attribution is Attribution.OWN


def candidate_sentences(
    question: Question, paper: Paper, hits: Sequence[Hit], learned: LearnedQuestion = NOTHING_LEARNED
) -> list[CandidateSentence]:
    """In rank order, each sentence once. Nothing outside the shown passages is looked at."""
    spans = list(_spans(paper, hits))
    signs_wanted = question.signs or examples(question)
    deciding = deciding_type(question)
    training_only = deciding is not None and deciding.training_only and "train" in question.text.lower()
    tokens = [_tokens(paper.text[start:end]) for start, end, _, _ in spans]
    stems = [_stems(row) for row in tokens]
    weights = _weights(question, stems)
    total = sum(weights.values())
    found: list[CandidateSentence] = []
    for (start, end, section, rank), row, sentence_stems in zip(spans, tokens, stems, strict=True):
        text = paper.text[start:end]
        signs = matching_signs(text, signs_wanted)
        covered = sum(weight for word, weight in weights.items() if word in sentence_stems)
        whose = attribute(text, section)
        if training_only and whose is Attribution.OWN and about_deployment(text):
            whose = Attribution.IN_USE
        found.append(
            CandidateSentence(
                start,
                end,
                text,
                section,
                whose,
                rank,
                frozenset(signs),
                overlap=covered / total if total else 0.0,
                has_number=bool(_NUMBER.search(text)),
                has_fact=bool(signs) and whose is Attribution.OWN and deciding is not None and bool(deciding.extract([text])),
                words_say=learned.say(row),
            )
        )
    return found


def examples(question: Question) -> tuple[str, ...]:
    """ "(e.g., GPUs, TPUs)" in a question without signs names what an answer may look like."""
    named = [part for match in _EXAMPLES.finditer(question.text) for part in re.split(r",|\bor\b|\band\b|/", match[1])]
    return tuple(
        dict.fromkeys(stem(part.strip(" .").lower().removesuffix("s")) + "*" for part in named if len(part.strip(" .")) > 2)
    )


def stem(word: str) -> str:
    """Enough to let "annotated" meet "annotation"."""
    return _ENDINGS.sub("", word) if len(word) > 5 else word


@lru_cache(maxsize=4096)  # the same sentences come up for one question after the other
def _tokens(sentence: str) -> frozenset[str]:
    return frozenset(words(sentence))


@lru_cache(maxsize=4096)
def _stems(tokens: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stem, tokens))


def _spans(paper: Paper, hits: Sequence[Hit]) -> Iterator[tuple[int, int, str, int]]:
    seen: set[str] = set()
    for rank, hit in enumerate(hits):
        passage = hit.passage
        if passage.section == SectionKind.REFERENCES:
            continue
        for start, end in sentences(paper.text, passage.start, passage.end):
            key = " ".join(paper.text[start:end].lower().split())
            if SHORTEST <= end - start <= LONGEST and key not in seen:
                seen.add(key)
                yield start, end, passage.section, rank


def _weights(question: Question, sentence_stems: Sequence[frozenset[str]]) -> dict[str, float]:
    """Rare words tell more. A word of the question that stands nowhere weighs most: without it the share stays small."""
    asked_for = question.query or _EXAMPLES.sub(
        " ", question.text
    )  # examples are alternatives: they are signs, not words to cover
    wanted = [word for word in words(asked_for) if word not in ASKING]
    spread = Counter(word for found in sentence_stems for word in found)
    # a query lists words any one of which may do; in a question every word counts
    asked = {stem(word) for word in wanted if not question.query or spread[stem(word)]}
    return {word: math.log(1 + len(sentence_stems) / (spread[word] or 0.5)) for word in asked}
