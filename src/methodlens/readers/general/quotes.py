"""Which sentences of the context to quote for a question, and whether they hold what it asks for."""

from collections.abc import Sequence

import numpy as np

from methodlens.facts import catalog, find, types_of
from methodlens.facts.types import FactType
from methodlens.readers.embedded.attribution import Attribution, attribute
from methodlens.readers.embedded.tidying import is_sentence, tidy
from methodlens.records import AnswerForm, Hit, Question, SectionKind
from methodlens.relevance.features import FORMS, NAMES
from methodlens.relevance.model import Relevance
from methodlens.relevance.sentence_table import SentenceRow
from methodlens.relevance.understanding import Kind
from methodlens.text import words
from methodlens.text.stems import stem

MOST_QUOTES = 3
SHORTEST, LONGEST = 25, 1400
"""Characters of a sentence that can be quoted."""
_CLOSE = 1.2  # how much less than the best a further quote may score
_PREFERRED = 2.0  # ... and a sentence about the authors' own work with a value of the form, to come before the best
_CONSIDERED = 20
_SAME_THING = 0.6  # how near a word must be to stand for the head noun
_SETTINGS = frozenset(  # facts whose names say what is asked for, and which one sentence answers
    """loss optimizers learning_rate batch_size epochs iterations momentum weight_decay dropout training_time_h
    cross_validation_folds""".split()
)
_ASKS_FOR_A_THING = (Kind.HOW_MANY, Kind.HOW_MUCH, Kind.WHICH, Kind.LIST)


def types_asked_for(question: Question) -> tuple[FactType, ...]:
    """The facts that answer the question: those that its author named, else the setting that its own words name.

    >>> [each.key for each in types_asked_for(Question("Q", "Which batch size is used?"))]
    ['batch_size']
    """
    if question.facts:
        return types_of(question)
    asked = _stems(question.text)
    return tuple(each for key, each in catalog().items() if key in _SETTINGS and _stems(each.label) <= asked)


def _stems(text: str) -> set[str]:
    return {stem(word.replace("optimis", "optimiz")) for word in words(text)}


def quotes_with_facts(question: Question, relevance: Relevance, context: Sequence[Hit]) -> list[int]:
    """Up to three sentences about the authors' own work that hold a fact that the question asks for."""
    types = types_asked_for(question)
    rows = relevance.table.rows
    return [
        number
        for number in (_candidates(relevance, context) if types else [])
        if _is_own_sentence(rows[number]) and any(find(types, [rows[number].text]).facts.values())
    ][:MOST_QUOTES]


def choose_quotes(relevance: Relevance, context: Sequence[Hit]) -> list[int]:
    """One to three sentences by number, best first: whole sentences about the authors' own work that hold a value of the form
    that the question asks for, if such are nearly as good as the best."""
    rows, scores = relevance.table.rows, relevance.scores
    candidates = _candidates(relevance, context)
    if not candidates:
        return []
    near = [number for number in candidates if scores[number] >= scores[candidates[0]] - _PREFERRED]
    fits = _fits(relevance)
    best = next((number for number in near if fits[number] and _is_own_sentence(rows[number])), candidates[0])
    chosen, seen = [best], {_plain(rows[best])}
    for number in candidates:
        if scores[number] < scores[best] - _CLOSE or len(chosen) == MOST_QUOTES:
            break
        if _plain(rows[number]) not in seen and (fits[number] or not fits[best]) and _is_own_sentence(rows[number]):
            seen.add(_plain(rows[number]))
            chosen.append(number)
    return chosen


def _candidates(relevance: Relevance, context: Sequence[Hit]) -> list[int]:
    given = sorted((hit.passage.start, hit.passage.end) for hit in context if hit.passage.section != SectionKind.REFERENCES)
    order = np.argsort(-relevance.scores, kind="stable")
    return [int(number) for number in order if _can_be_quoted(relevance.table.rows[number], given)][:_CONSIDERED]


def hold_what_is_asked(relevance: Relevance, chosen: Sequence[int]) -> bool:
    """Whether a quote holds a value of the form, and the thing that the question names, in it or next to it."""
    understanding = relevance.asked.understanding
    if understanding.form is not AnswerForm.NAME and not _fits(relevance)[list(chosen)].any():  # a name may be any noun
        return False
    if understanding.kind not in _ASKS_FOR_A_THING or not understanding.head:
        return True
    same, near = (relevance.rows[:, NAMES.index(name)] for name in ("head_same", "head_near"))
    around = [at for number in chosen for at in range(max(0, number - 1), min(len(same), number + 2))]
    return bool((same[around] >= 1).any() or (near[around] >= _SAME_THING).any())


def _fits(relevance: Relevance) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    form = relevance.asked.understanding.form
    if form not in FORMS:
        return np.ones(len(relevance.rows), bool)
    return np.asarray(relevance.rows[:, NAMES.index(f"form.{form.value}")] > 0)


def _can_be_quoted(row: SentenceRow, given: Sequence[tuple[int, int]]) -> bool:
    if row.is_heading or not SHORTEST <= row.end - row.start <= LONGEST:
        return False
    return any(start <= row.start < end for start, end in given)


def _is_own_sentence(row: SentenceRow) -> bool:
    tidied = tidy(row.text)
    return bool(tidied) and is_sentence(tidied) and attribute(row.text, row.section) is not Attribution.CITED


def _plain(row: SentenceRow) -> str:
    return " ".join(row.text.lower().split())
