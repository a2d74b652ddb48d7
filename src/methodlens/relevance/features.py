"""The features of a pair of question and sentence, that the model weighs: one row per sentence of a paper."""

import math
import re
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from methodlens.records import AnswerForm, Question, SectionKind
from methodlens.relevance.cues import CUES, cues_asked
from methodlens.relevance.sentence_table import FIXED, SentenceTable
from methodlens.relevance.topics import Topic, most_specific_topics, topics_of
from methodlens.relevance.understanding import Understanding, understand
from methodlens.text import words
from methodlens.text.stems import american
from methodlens.text.vectors import Matrix, StaticVectors

SECTIONS = tuple(kind.value for kind in SectionKind if kind is not SectionKind.REFERENCES)
FORMS = (AnswerForm.NUMBER, AnswerForm.NAME, AnswerForm.PERSON, AnswerForm.DATE, AnswerForm.PLACE, AnswerForm.LINK)
NAMES = (
    "same_words",
    "near_words",
    "near_words_rank",
    "near_words_standard",
    "rarest_here",
    "head_same",
    "head_near",
    "meaning",
    "meaning_rank",
    "meaning_standard",
    "text_meaning",
    "examples",
    "examples_mean",
    "examples_same",
    "heading_words",
    "heading_meaning",
    "before",
    "after",
    "around",
    "pairs",
    "pairs_around",
    "text_meaning_rank",
    "around_meaning",
    "around_meaning_rank",
    "around_same",
    "before_meaning",
    "after_meaning",
    "rare_words",
    "rarest",
    "topic_said",
    "topic_said_rank",
    "topic_rarest",
    "topic_around",
    "topic_around_rank",
    "names_same",
    "names_around",
    "wide",
    "wide_same",
    "amount",
    "result_section",
    "closing_section",
    "cue_around",
    *(f"cue.{cue.name}" for cue in CUES),
    *(f"form.{form.value}" for form in FORMS),
    *(f"lacks.{form.value}" for form in FORMS),
    *FIXED,
    *(f"section.{name}" for name in SECTIONS),
)
_FLOOR = 0.25  # cosine of words below which they are unrelated
_RANK = 5.0
_AROUND = 2
_WIDE = 6
_NAME = re.compile(r"(?<!^)\b[A-ZÀ-Þ][\w-]*|\b\w*(?:[a-z][A-Z]|\d)[\w-]*|^[A-Z]{2}[\w-]*")
_RESULTS = (SectionKind.RESULTS, SectionKind.DISCUSSION, SectionKind.ABSTRACT)
_CLOSING = (SectionKind.DISCUSSION,)
_CUE = {cue.name: number for number, cue in enumerate(CUES)}


class AskedQuestion(Struct, frozen=True):
    """A question prepared for any paper."""

    understanding: Understanding
    words: tuple[str, ...]
    word_vectors: Matrix
    rarity: Matrix
    """How rare each word is in general: the length of its vector before scaling."""
    vector: Matrix
    text_vector: Matrix
    examples: tuple[str, ...]
    example_vectors: Matrix
    topics: tuple[Topic, ...]
    main_topics: tuple[Topic, ...]
    """Those that its head noun names, or else any of its words, the most specific ones: how often papers report them counts."""
    names: tuple[int, ...]
    """Which of its words are names: "GPT-2", "Brook"."""
    cues: tuple[float, ...]
    """Which kinds of statement it asks for: see cues.py."""
    answers: Matrix
    """The vectors of the sentences that its author expects as answers."""


def prepare(question: Question, encoder: StaticVectors) -> AskedQuestion:
    understanding = understand(question.text)
    if question.form is not None:
        understanding = replace(understanding, form=question.form)
    wanted = tuple(dict.fromkeys([*understanding.words, *words(question.query)])) or ("",)
    vectors = encoder.encode([american(word) for word in wanted])
    texts = [" ".join(wanted), question.text, *question.examples]
    encoded = encoder.encode(texts)
    examples = encoder.encode([american(word) for word in understanding.examples]) if understanding.examples else vectors[:0]
    named = {word for name in _NAME.findall(question.text) for word in words(name)}
    return AskedQuestion(
        understanding,
        wanted,
        vectors,
        encoder.rarity(wanted),
        encoded[0],
        encoded[1],
        understanding.examples,
        examples,
        topics_of(wanted) or topics_of(understanding.examples),
        next(filter(None, map(most_specific_topics, (understanding.head, wanted, understanding.examples))), ()),
        tuple(number for number, word in enumerate(wanted) if word in named),
        cues_asked(question.text),
        encoded[2:],
    )


def features(asked: AskedQuestion, table: SentenceTable) -> Matrix:
    """One row per sentence, in the order of `NAMES`."""
    near = table.matches(asked.words, asked.word_vectors)
    count = len(table)
    frequency = (near >= 1.0).sum(axis=0)
    rarity = np.log(1 + count / np.maximum(frequency, 0.5)).astype(np.float32)
    weights = rarity / max(float(rarity.sum()), 1e-6)
    same = (near >= 1.0) @ weights
    scaled = np.maximum(near - _FLOOR, 0) / (1 - _FLOOR)
    soft = scaled @ weights
    head_same, head_near = _head(asked, near, scaled)
    meaning = table.vectors @ asked.vector
    text_meaning = table.vectors @ asked.text_vector
    example_near = table.matches(asked.examples, asked.example_vectors) if asked.examples else np.zeros((count, 1), np.float32)
    example_scaled = np.maximum(example_near - _FLOOR, 0) / (1 - _FLOOR)
    headings = np.where(table.headings >= 0, table.headings, 0)
    under = (table.headings >= 0).astype(np.float32)
    around = _around(scaled) @ weights
    pairs = table.pairs(asked.words)
    around_meaning = table.vectors_around @ asked.text_vector
    general = asked.rarity / max(float(asked.rarity.sum()), 1e-6)
    forms = [table.has_form(form).astype(np.float32) for form in FORMS]
    wanted = [float(asked.understanding.form is form) for form in FORMS]
    cues = table.cues * np.array(asked.cues, np.float32)
    amount = np.zeros(count, np.float32)
    amount[table.with_amount(asked.understanding.counted)] = 1.0
    columns = [
        same,
        soft,
        _by_rank(soft),
        _standard(soft),
        scaled[:, int(np.argmax(rarity))],
        head_same,
        head_near,
        meaning,
        _by_rank(meaning),
        _standard(meaning),
        text_meaning,
        example_scaled.max(axis=1),
        example_scaled.mean(axis=1),
        np.sqrt((example_near >= 1.0).sum(axis=1)),
        soft[headings] * under,
        np.maximum(meaning[headings], 0) * under,
        np.append(0, soft[:-1]),
        np.append(soft[1:], 0),
        around,
        pairs,
        _around(pairs[:, None])[:, 0],
        _by_rank(text_meaning),
        around_meaning,
        _by_rank(around_meaning),
        _around((near >= 1.0).astype(np.float32)) @ weights,
        np.append(0, text_meaning[:-1]),
        np.append(text_meaning[1:], 0),
        scaled @ general,
        scaled[:, int(np.argmax(asked.rarity))],
        *_topics(asked.topics, table),
        *_named(asked, near, weights),
        _around(scaled, _WIDE) @ weights,
        _around((near >= 1.0).astype(np.float32), _WIDE) @ weights,
        amount,
        max(asked.cues[_CUE["comparison"]], asked.cues[_CUE["reason"]]) * _in_sections(table, _RESULTS),
        max(asked.cues[_CUE["future"]], asked.cues[_CUE["limit"]]) * _in_sections(table, _CLOSING),
        _around(cues.max(axis=1, keepdims=True))[:, 0],
        *cues.T,
        *(has * want for has, want in zip(forms, wanted, strict=True)),
        *((1 - has) * want for has, want in zip(forms, wanted, strict=True)),
    ]
    sections = [table.sections.get(name, np.zeros(count, bool)) for name in SECTIONS]
    return np.column_stack([*columns, table.fixed, *sections]).astype(np.float32)


def _head(asked: AskedQuestion, near: Matrix, scaled: Matrix) -> tuple[Matrix, Matrix]:
    at = [asked.words.index(word) for word in asked.understanding.head if word in asked.words]
    if not at:
        zeros = np.zeros(len(near), np.float32)
        return zeros, zeros
    return (near[:, at] >= 1.0).mean(axis=1), scaled[:, at].mean(axis=1)


def _topics(topics: Sequence[Topic], table: SentenceTable) -> list[Matrix]:
    """How much a sentence, and those around it, say on the topics of the question: rare words and rare topics count more."""
    count = len(table)
    largest = math.log(1 + count)
    said, rarest = np.zeros((len(topics), count), np.float32), np.zeros(count, np.float32)
    for total, topic in zip(said, topics, strict=True):
        for term in topic.said:
            if at := table.with_term(term):
                rarity = math.log(1 + count / len(at)) / largest
                total[at] += rarity
                rarest[at] = np.maximum(rarest[at], rarity)
    weights = np.log(1 + count / np.maximum((said > 0).sum(axis=1), 0.5))
    here = np.asarray(weights @ np.sqrt(said) / max(float(weights.sum()), 1e-6), np.float32)
    near = here.copy()
    for distance in range(1, _AROUND + 1):
        near[distance:] += here[:-distance] / (distance + 1)
        near[:-distance] += here[distance:] / (distance + 1)
    return [here, _by_rank(here), rarest, _around(here[:, None])[:, 0], _by_rank(near)]


def _named(asked: AskedQuestion, near: Matrix, weights: Matrix) -> tuple[Matrix, Matrix]:
    """How many of the names in the question a sentence has, and those around it."""
    at = list(asked.names)
    if not at:
        zeros = np.zeros(len(near), np.float32)
        return zeros, zeros
    same, shares = (near[:, at] >= 1.0).astype(np.float32), weights[at] / max(float(weights[at].sum()), 1e-6)
    return same @ shares, _around(same, _WIDE) @ shares


def _in_sections(table: SentenceTable, kinds: Sequence[SectionKind]) -> Matrix:
    """1 for the sentences that stand in one of these sections."""
    inside = np.zeros(len(table), np.float32)
    for kind in kinds:
        inside += table.sections.get(kind.value, 0.0)
    return inside


def _around(near: Matrix, reach: int = _AROUND) -> Matrix:
    """The best match of each word within a few sentences."""
    best = near.copy()
    for distance in range(1, reach + 1):
        best[distance:] = np.maximum(best[distance:], near[:-distance])
        best[:-distance] = np.maximum(best[:-distance], near[distance:])
    return best


def _standard(values: Matrix) -> Matrix:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros_like(values)


def _by_rank(values: Matrix) -> Matrix:
    """Ties share the better rank; values of 0 have no rank."""
    better = np.searchsorted(np.sort(-values), -values)
    return np.where(values > 0, _RANK / (_RANK + better), 0).astype(np.float32)
