"""The sentences of a paper, prepared once for any question: their words, vectors, headings and sections."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from methodlens.records import AnswerForm
from methodlens.relevance.abbreviations import abbreviations
from methodlens.relevance.cues import CUES, cues_said
from methodlens.relevance.forms import has_value
from methodlens.relevance.paper_kind import kind_shares
from methodlens.text import sentences, words
from methodlens.text.stems import american, stem
from methodlens.text.vectors import Matrix, StaticVectors, unit

Ints = npt.NDArray[np.int64]
_WORD_BREAK = re.compile(r"[\s/-]+")
COUNTED_WITHIN = 3
"""Words from a number to what it counts."""
NUMBER_WORD = re.compile(
    r"\d[\d.]*[kmb]?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred"
    r"|thousand|million|billion"
)
_HEADING = re.compile(r"(?:[\dIVX]{1,4}[.)]?[\d.]*\s)?[A-Z][^.?!;]{1,89}")
_CITED = re.compile(r"\bet al\b|\[\d{1,3}(?:[,–-]\s?\d{1,3}){0,9}\]|\((?:[^()]{1,80},? )?(?:19|20)\d\d[a-z]?\)")
_OWN = re.compile(
    r"\b(?:we|our|us|this (?:study|trial|work|paper)|the present (?:study|work)|the (?:study|trial) (?:is|was|will))\b",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:future|can be|could|may|might|often|typically|usually|commonly|in general|generally|should|has been|have been"
    r"|previous|recent)\b",
    re.IGNORECASE,
)


HEADING_LOSS = 100.0
"""What the score of a heading loses: it is no answer."""


class Chunk(NamedTuple):
    """A part of a paper: where it begins, its section kind and its text."""

    start: int
    section: str
    text: str


class SentenceRow(NamedTuple):
    start: int
    end: int
    chunk: int
    text: str
    section: str
    heading: int
    """The row of the heading that it is under, -1 for none."""
    is_heading: bool


class SentenceTable:
    def __init__(self, chunks: Sequence[Chunk], encoder: StaticVectors) -> None:
        self.rows = _rows(chunks)
        said = [words(row.text) for row in self.rows]
        added = _also_said([row.text for row in self.rows], said)
        tokens = [tuple(dict.fromkeys((*own, *more))) or ("",) for own, more in zip(said, added, strict=True)]
        vocabulary: dict[str, int] = {}
        ids = [[vocabulary.setdefault(token, len(vocabulary)) for token in row] for row in tokens]
        self.firsts: Ints = np.cumsum([0, *map(len, ids)])[:-1]
        self.word_ids: Ints = np.array([number for row in ids for number in row], np.int64)
        self.sizes: Ints = np.array([len(row) for row in ids], np.int64)
        vocabulary_words = list(vocabulary)
        self.word_vectors: Matrix = encoder.encode([american(word) for word in vocabulary_words])
        self._stems: dict[str, list[int]] = {}
        for number, word in enumerate(vocabulary_words):
            self._stems.setdefault(stem(word), []).append(number)
        stems = [[[stem(token) for token in part] for part in parts] for parts in zip(said, added, strict=True)]
        self.stems: list[list[str]] = [own for own, _ in stems]
        self._with_stem: dict[str, list[int]] = {}
        self._pairs: dict[tuple[str, str], list[int]] = {}
        self._counted: dict[str, list[int]] = {}
        for number, (own_stems, added_stems) in enumerate(stems):
            for one in dict.fromkeys((*own_stems, *added_stems)):
                self._with_stem.setdefault(one, []).append(number)
            for part in (own_stems, added_stems):
                for distance in (1, 2):
                    for pair in zip(part, part[distance:], strict=False):
                        self._pairs.setdefault(pair, []).append(number)
            for one in _behind_numbers(said[number], own_stems):
                self._counted.setdefault(one, []).append(number)
        self.vectors: Matrix = encoder.encode([row.text for row in self.rows])
        self.headings: Ints = np.array([row.heading for row in self.rows], np.int64)
        self.chunks = len(chunks)
        self.chunk_of: Ints = np.array([row.chunk for row in self.rows], np.int64)
        self.is_heading = np.array([row.is_heading for row in self.rows], bool)
        self._forms: dict[AnswerForm, npt.NDArray[np.bool_]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def has_form(self, form: AnswerForm) -> npt.NDArray[np.bool_]:
        """Which sentences hold a value of that form."""
        if form not in self._forms:
            self._forms[form] = np.array([has_value(row.text, form) for row in self.rows], bool)
        return self._forms[form]

    def matches(self, question_words: Sequence[str], vectors: Matrix) -> Matrix:
        """One row per sentence, one column per word: how near the nearest word of the sentence is; 1 for the same stem."""
        near = np.maximum(self.word_vectors @ vectors.T, 0.0)
        for column, word in enumerate(question_words):
            near[:, column] = np.minimum(near[:, column], 0.9)
            near[self._stems.get(stem(word), []), column] = 1.0
        return np.asarray(np.maximum.reduceat(near[self.word_ids], self.firsts, axis=0), np.float32)

    def pairs(self, question_words: Sequence[str]) -> Matrix:
        """The share of the question's neighbouring words that are neighbours in the sentence too: "sample size"."""
        found = np.zeros(len(self.rows), np.float32)
        stems = [stem(word) for word in question_words]
        neighbours = list(dict.fromkeys(pairwise(stems)))
        for pair in neighbours:
            found[self.with_term(pair)] += 1
        return found / np.float32(max(1, len(neighbours)))

    def with_term(self, stems: tuple[str, ...]) -> list[int]:
        """The sentences with a stem, or with two next to each other or with one word between them, in either order."""
        if len(stems) == 1:
            return self._with_stem.get(stems[0], [])
        one, other = stems
        return list({*self._pairs.get((one, other), []), *self._pairs.get((other, one), [])})

    def with_amount(self, counted: Sequence[str]) -> list[int]:
        """The sentences with a number that counts or measures one of these."""
        return sorted({number for word in counted for number in self._counted.get(stem(word), ())})

    @cached_property
    def cues(self) -> Matrix:
        """One column per cue: how much a sentence says of that kind."""
        return np.array([cues_said(row.text) for row in self.rows], np.float32).reshape(len(self.rows), len(CUES))

    @cached_property
    def sections(self) -> Mapping[str, npt.NDArray[np.bool_]]:
        """By section, which sentences stand in it."""
        kinds = np.array([row.section for row in self.rows])
        return {kind: kinds == kind for kind in sorted({row.section for row in self.rows})}

    @cached_property
    def kinds(self) -> tuple[float, ...]:
        """How much the paper is of each kind: see paper_kind.py."""
        return kind_shares(self.with_term, int((~self.is_heading).sum()))

    @cached_property
    def vectors_around(self) -> Matrix:
        """The vector of each sentence together with its neighbours."""
        sums = (self.vectors * np.sqrt(self.sizes)[:, None]).astype(np.float32)
        total = sums.copy()
        for distance in (1, 2):
            total[distance:] += sums[:-distance]
            total[:-distance] += sums[distance:]
        return unit(total)

    @cached_property
    def fixed(self) -> Matrix:
        """What holds of a sentence for any question: see `FIXED`."""
        count = max(1, len(self.rows))
        columns = [
            [number / count for number in range(len(self.rows))],
            [min(3.0, len(row.text) / 150) for row in self.rows],
            [float(bool(_CITED.search(row.text))) for row in self.rows],
            [float(bool(_OWN.search(row.text))) for row in self.rows],
            [float(bool(_GENERAL.search(row.text))) for row in self.rows],
            [float(len(row.text) < 50) for row in self.rows],
        ]
        return np.array(columns, np.float32).T.reshape(len(self.rows), len(FIXED))


def _also_said(texts: Sequence[str], tokens: Sequence[Sequence[str]]) -> list[list[str]]:
    """By sentence, the words that its abbreviations stand for, and the abbreviations of what it says."""
    known = abbreviations(texts)
    added: list[list[str]] = [[] for _ in texts]
    if not known:
        return added
    long_words = {short: words(long) for short, long in known.items()}
    for number, own in enumerate(tokens):
        plain = " ".join(_WORD_BREAK.split(texts[number].lower()))
        for short, long in known.items():
            if short in own:
                added[number] += long_words[short]
            elif long in plain:
                added[number].append(short)
    return added


def _behind_numbers(tokens: Sequence[str], stems: Sequence[str]) -> set[str]:
    """What the numbers of a sentence may count: the stems of the few words behind each."""
    numbers = (place for place, token in enumerate(tokens) if NUMBER_WORD.fullmatch(token))
    return {one for place in numbers for one in stems[place + 1 : place + 1 + COUNTED_WITHIN]}


FIXED = ("position", "length", "cited", "own", "general", "short")


def _rows(chunks: Sequence[Chunk]) -> list[SentenceRow]:
    rows: list[SentenceRow] = []
    heading = -1
    for number, (offset, section, text) in enumerate(chunks):
        for start, end in sentences(text):
            part = text[start:end]
            is_heading = len(part) <= 90 and bool(_HEADING.fullmatch(part)) and len(part.split()) <= 12
            heading = len(rows) if is_heading else heading
            rows.append(
                SentenceRow(offset + start, offset + end, number, part, section, -1 if is_heading else heading, is_heading)
            )
    return rows
