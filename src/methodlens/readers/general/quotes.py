"""Which sentences of the context to quote for a question, and whether they hold what it asks for."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from methodlens.readers.embedded.attribution import Attribution, attribute
from methodlens.readers.embedded.tidying import is_sentence, tidy
from methodlens.readers.general.amounts import holds_amount
from methodlens.records import AnswerForm, Hit, SectionKind
from methodlens.relevance.features import FORMS, NAMES
from methodlens.relevance.model import Relevance
from methodlens.relevance.sentence_table import SentenceRow
from methodlens.relevance.topics import topics_of
from methodlens.relevance.understanding import Kind

MOST_QUOTES = 3
"""That an answer is written from."""
MOST_SHOWN, MOST_SHOWN_CHARS = 5, 1500
"""Quotes below an answer, with those that it is written from."""
SHORTEST, LONGEST = 25, 1400
"""Characters of a sentence that can be quoted."""
_CLOSE = 1.2  # how much less than the best a further quote may score
_PREFERRED = 2.0  # ... and a sentence about the authors' own work with a value of the form, to come before the best
_PREFERRED_AMOUNT = 4.0  # ... and one with a number of the very thing that is asked for
_CONSIDERED = 20
_SAME_THING = 0.6  # how near a word must be to stand for the head noun
_ASKS_FOR_A_THING = (Kind.HOW_MANY, Kind.HOW_MUCH, Kind.WHICH, Kind.LIST)


def choose_quotes(relevance: Relevance, context: Sequence[Hit]) -> list[int]:
    """One to three sentences by number, best first: whole sentences about the authors' own work that hold a value of the form
    that the question asks for, if such are nearly as good as the best."""
    rows, scores = relevance.table.rows, relevance.scores
    candidates = candidate_sentences(relevance, context)[:_CONSIDERED]
    if not candidates:
        return []
    near = [number for number in candidates if scores[number] >= scores[candidates[0]] - _PREFERRED]
    fits, asked = _fits(relevance), relevance.asked.understanding
    fitting = [number for number in near if fits[number] and is_own_sentence(rows[number])]
    close = (number for number in candidates if scores[number] >= scores[candidates[0]] - _PREFERRED_AMOUNT)
    exact = (number for number in close if holds_amount(rows[number].text, asked) and is_own_sentence(rows[number]))
    best = next(exact, fitting[0] if fitting else candidates[0])
    chosen, seen = [best], {_plain(rows[best])}
    for number in candidates:
        if scores[number] < scores[best] - _CLOSE or len(chosen) == MOST_QUOTES:
            break
        if _plain(rows[number]) not in seen and (fits[number] or not fits[best]) and is_own_sentence(rows[number]):
            seen.add(_plain(rows[number]))
            chosen.append(number)
    return chosen


def further_quotes(relevance: Relevance, context: Sequence[Hit], chosen: Sequence[int]) -> list[int]:
    """The next best sentences that are not on the work of others, as many as fit below the answer: where the chosen ones miss the
    answer, a person who checks it finds it here more often than not. They may be rows of tables or pieces around a formula: the
    answer is not written from them."""
    rows = relevance.table.rows
    seen = {_plain(rows[number]) for number in chosen}
    used = sum(rows[number].end - rows[number].start for number in chosen)
    further: list[int] = []
    for number in candidate_sentences(relevance, context)[:_CONSIDERED]:
        if len(chosen) + len(further) == MOST_SHOWN:
            break
        size = rows[number].end - rows[number].start
        if _plain(rows[number]) in seen or used + size > MOST_SHOWN_CHARS or _is_cited(rows[number]):
            continue
        seen.add(_plain(rows[number]))
        used += size
        further.append(number)
    return further


def candidate_sentences(relevance: Relevance, context: Sequence[Hit]) -> list[int]:
    """The sentences of the context that can be quoted, best first."""
    given = sorted((hit.passage.start, hit.passage.end) for hit in context if hit.passage.section != SectionKind.REFERENCES)
    starts = [start for start, _ in given]
    ends = [0, *accumulate((end for _, end in given), max)]
    rows = relevance.table.rows
    possible = (number for number in np.argsort(-relevance.scores, kind="stable") if _can_be_quoted(rows[number]))
    return [int(number) for number in possible if rows[number].start < ends[bisect_right(starts, rows[number].start)]]


def hold_what_is_asked(relevance: Relevance, chosen: Sequence[int]) -> bool:
    """Whether a quote holds a value of the form, and the thing that the question names, in it or next to it."""
    understanding = relevance.asked.understanding
    if understanding.form is not AnswerForm.NAME and not _fits(relevance)[list(chosen)].any():  # a name may be any noun
        return False
    if understanding.kind not in _ASKS_FOR_A_THING or not understanding.head:
        return True
    same, near = (relevance.rows[:, NAMES.index(name)] for name in ("head_same", "head_near"))
    around = [at for number in chosen for at in range(max(0, number - 1), min(len(same), number + 2))]
    if (same[around] >= 1).any():
        return True
    topics = topics_of(understanding.head)
    if topics:  # the words in which papers write about the thing are known
        return any(set(around) & set(relevance.table.with_term(term)) for topic in topics for term in topic.said)
    return bool((near[around] >= _SAME_THING).any())


def _fits(relevance: Relevance) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    form = relevance.asked.understanding.form
    if form not in FORMS:
        return np.ones(len(relevance.rows), bool)
    return np.asarray(relevance.rows[:, NAMES.index(f"form.{form.value}")] > 0)


def _can_be_quoted(row: SentenceRow) -> bool:
    return not row.is_heading and SHORTEST <= row.end - row.start <= LONGEST


def is_own_sentence(row: SentenceRow) -> bool:
    tidied = tidy(row.text)
    return bool(tidied) and is_sentence(tidied) and not _is_cited(row)


def _is_cited(row: SentenceRow) -> bool:
    return attribute(row.text, row.section) is Attribution.CITED


def _plain(row: SentenceRow) -> str:
    return " ".join(row.text.lower().split())
