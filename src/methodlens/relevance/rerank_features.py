"""The features of the best sentences of a paper against each other: what the second look at them weighs.

The first score judges each sentence alone. Here a sentence is also compared with its rivals: how far it is behind the best, what
it has that they lack, and how good its neighbours are.
"""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from methodlens.records import AnswerForm
from methodlens.relevance.cues import CUES
from methodlens.relevance.features import NAMES, AskedQuestion
from methodlens.relevance.forms import values
from methodlens.relevance.sentence_table import HEADING_LOSS, SentenceTable
from methodlens.relevance.understanding import Kind, Understanding
from methodlens.text.stems import stem
from methodlens.text.vectors import Matrix

Ints = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]

MOST_CANDIDATES = 20
_FAR = 15.0  # how far behind the best a score counts
_COMPARED = (
    "same_words",
    "near_words",
    "rarest_here",
    "head_same",
    "head_near",
    "meaning",
    "text_meaning",
    "examples",
    "heading_words",
    "heading_meaning",
    "around",
    "pairs",
    "pairs_around",
    "around_meaning",
    "around_same",
    "rare_words",
    "rarest",
    "topic_said",
    "topic_rarest",
    "topic_around",
    "names_same",
    "names_around",
    "wide",
    "cue_around",
    "before",
    "after",
    "before_meaning",
    "after_meaning",
)
_CLOSE = 20  # characters between a value and the noun it belongs to
_REMEMBERED = 2048  # sentences: consecutive questions are about the same paper
_WORD = re.compile(r"\w+")
_DIGIT, _CAPITAL = re.compile(r"\d"), re.compile(r"[A-ZÀ-ÖØ-Þ]")
_AT = [NAMES.index(name) for name in _COMPARED]
_BY_SCORE = (
    "score",
    "behind_best",
    "rank",
    "log_rank",
    "above_median",
    "above_mean",
    "lead_over_fifth",
    "lead_over_last",
    "two_before",
    "one_before",
    "one_after",
    "two_after",
    "best_neighbour",
    "heading",
    "share",
)
_BY_WORDS = (
    "words_found",
    "words_share",
    "span",
    "density",
    "first_place",
    "other_words",
    "only_here",
    "new_here",
    "rarity_share",
)
_BY_VALUES = ("values", "heads", "head_by_value")
_BY_SHAPE = (
    "digits",
    "tokens",
    "parentheses",
    "commas",
    "equals",
    "refers_back",
    "connects",
    "shows_item",
    "starts_upper",
    "ends",
    "capitals",
    "semicolon",
    "quotation",
)
_OF_QUESTION = (
    *("asked_words", "asked_topics", "asked_examples", "asked_names", "paper_length"),
    *(f"kind.{kind.value}" for kind in Kind),
    *(f"asks_form.{form.value}" for form in AnswerForm),
    *(f"asks_cue.{cue.name}" for cue in CUES),
)
RERANK_NAMES = (
    *_BY_SCORE,
    *NAMES,
    *(f"behind.{name}" for name in _COMPARED),
    *(f"better.{name}" for name in _COMPARED),
    *_BY_WORDS,
    *_BY_VALUES,
    *_BY_SHAPE,
    *_OF_QUESTION,
)
_REFERS_BACK = re.compile(r"(?:this|these|it|they|such|that|those|here|the (?:latter|former))\b", re.IGNORECASE)
_CONNECTS = re.compile(
    r"(?:however|thus|therefore|hence|moreover|furthermore|in addition|additionally|for example|specifically|in particular"
    r"|finally|then|also|as a result)\b",
    re.IGNORECASE,
)
_SHOWS_ITEM = re.compile(r"\b(?:fig(?:ure)?s?\.?|tables?|eq(?:uation)?s?\.?|section|appendix)\s?\(?[\dA-Z]", re.IGNORECASE)


def candidates(scores: Scores, table: SentenceTable) -> Ints:
    """The sentences with the best scores, best first, without headings."""
    order = np.argsort(-scores, kind="stable")[:MOST_CANDIDATES]
    return np.asarray(order[~table.is_heading[order]], np.int64)


def rerank_features(asked: AskedQuestion, rows: Matrix, scores: Scores, table: SentenceTable, order: Ints) -> Matrix:
    """One row per candidate, in the order of `RERANK_NAMES`."""
    own = rows[order]
    compared = own[:, _AT]
    texts = [table.rows[number].text for number in order]
    tokens = [table.stems[number] for number in order]
    columns = [
        _by_score(scores, table, order),
        own,
        compared - compared.max(axis=0, keepdims=True),
        (compared[None, :, :] > compared[:, None, :]).sum(axis=1),
        _by_words(asked, table, tokens),
        [_values(text, asked.understanding) for text in texts],
        [_shape(text, len(each)) for text, each in zip(texts, tokens, strict=True)],
        np.tile(_of_question(asked, table), (len(order), 1)),
    ]
    return np.column_stack(columns).astype(np.float32)


def _by_score(scores: Scores, table: SentenceTable, order: Ints) -> Scores:
    own, count = scores[order], len(order)
    best = own[0]
    padded = np.concatenate([[-np.inf] * 2, scores, [-np.inf] * 2])
    near = [np.clip(padded[order + 2 + distance] - best, -_FAR, 0) for distance in (-2, -1, 1, 2)]
    headings = table.headings[order]
    of_heading = np.where(headings >= 0, scores[np.maximum(headings, 0)] + HEADING_LOSS - best, -_FAR)
    rank = np.arange(count)
    columns = [
        own,
        own - best,
        rank,
        np.log1p(rank),
        own - np.median(own),
        own - own.mean(),
        np.full(count, best - own[min(4, count - 1)]),
        np.full(count, best - own[-1]),
        *near,
        np.maximum(near[1], near[2]),
        of_heading,
        np.exp(own - best) / np.exp(scores - best).sum(),
    ]
    return np.column_stack(columns)


def _by_words(asked: AskedQuestion, table: SentenceTable, tokens: Sequence[Sequence[str]]) -> list[list[float]]:
    """Which of the question's words each candidate has, how close together, and which of them its rivals lack."""
    rarity = {one: 1 / max(1, len(table.with_term((one,)))) for one in map(stem, asked.words)}
    total = max(sum(rarity.values()), 1e-9)
    found = [[one for one in rarity if one in each] for each in map(set, tokens)]
    times = Counter(one for here in found for one in here)
    seen: set[str] = set()
    rows: list[list[float]] = []
    for each, here in zip(tokens, found, strict=True):
        span = _span(each, here)
        alone, new = [one for one in here if times[one] == 1], [one for one in here if one not in seen]
        shares = [sum(rarity[one] for one in some) / total for some in (alone, new, here)]
        place = next((number for number, one in enumerate(each) if one in here), -1) / max(1, len(each))
        others = len(set(each) - rarity.keys())
        rows.append([len(here), len(here) / max(1, len(asked.words)), span, len(here) / max(1, span), place, others, *shares])
        seen.update(here)
    return rows


def _span(tokens: Sequence[str], wanted: Sequence[str]) -> int:
    """The length of the shortest stretch of the sentence with all of these.

    >>> _span(["newt", "sing", "in", "pond", "newt"], ["newt", "pond"])
    2
    """
    last: dict[str, int] = {}
    shortest = len(tokens) if wanted else 0
    for place, token in enumerate(tokens):
        if token in wanted:
            last[token] = place
            if len(last) == len(wanted):
                shortest = min(shortest, place - min(last.values()) + 1)
    return shortest


def _values(text: str, asked: Understanding) -> list[float]:
    """How many values of the form that is asked for, how often the head noun, and how close together: -1 without both.

    >>> from methodlens.relevance.understanding import understand
    >>> _values("We set 48 nets.", understand("How many nets were set?"))
    [1, 1, 0.8695652173913044]
    """
    starts = _value_starts(text, asked.form)
    head = {stem(word + ending) for word in asked.head for ending in ("", "s")}  # short words keep their ending
    heads = [start for start, one in _word_starts(text) if one in head] if head else []
    if not starts or not heads:
        return [len(starts), len(heads), -1.0]
    right = [bisect_left(heads, start) for start in starts]
    gap = min(
        abs(start - heads[at]) for start, end in zip(starts, right, strict=True) for at in (end - 1, end) if 0 <= at < len(heads)
    )
    return [len(starts), len(heads), 1 / (1 + gap / _CLOSE)]


@lru_cache(maxsize=_REMEMBERED)
def _value_starts(text: str, form: AnswerForm) -> tuple[int, ...]:
    return tuple(start for start, _ in values(text, form))


@lru_cache(maxsize=_REMEMBERED)
def _word_starts(text: str) -> tuple[tuple[int, str], ...]:
    return tuple((match.start(), stem(match[0].lower())) for match in _WORD.finditer(text))


@lru_cache(maxsize=_REMEMBERED)
def _shape(text: str, tokens: int) -> list[float]:
    size = max(1, len(text))
    return [
        len(_DIGIT.findall(text)) / size,
        tokens,
        text.count("("),
        text.count(","),
        text.count("="),
        bool(_REFERS_BACK.match(text)),
        bool(_CONNECTS.match(text)),
        bool(_SHOWS_ITEM.search(text)),
        text[:1].isupper(),
        text.rstrip()[-1:] in (".", "?", "!", ":"),
        len(_CAPITAL.findall(text)) / size,
        ";" in text,
        "“" in text or '"' in text,
    ]


def _of_question(asked: AskedQuestion, table: SentenceTable) -> list[float]:
    understanding = asked.understanding
    return [
        len(understanding.words),
        len(asked.topics),
        len(understanding.examples),
        len(asked.names),
        math.log(1 + len(table)),
        *(float(understanding.kind is kind) for kind in Kind),
        *(float(understanding.form is form) for form in AnswerForm),
        *asked.cues,
    ]
