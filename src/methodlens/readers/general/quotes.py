"""Which sentences of the context to quote for a question."""

from collections.abc import Sequence

import numpy as np

from methodlens.records import Hit, SectionKind
from methodlens.relevance.features import FORMS, NAMES
from methodlens.relevance.model import Relevance
from methodlens.relevance.sentence_table import SentenceRow

MOST_QUOTES = 3
SHORTEST, LONGEST = 25, 1400
"""Characters of a sentence that can be quoted."""
_CLOSE = 1.2  # how much less than the best a further quote may score


def choose_quotes(relevance: Relevance, context: Sequence[Hit]) -> list[SentenceRow]:
    """One to three sentences, best first. Those that lack a value of the form the question asks for are not added to one that
    has it."""
    given = sorted((hit.passage.start, hit.passage.end) for hit in context if hit.passage.section != SectionKind.REFERENCES)
    order = np.argsort(-relevance.scores, kind="stable")
    candidates = [int(number) for number in order if _can_be_quoted(relevance.table.rows[number], given)]
    if not candidates:
        return []
    form = relevance.asked.understanding.form
    fits = relevance.rows[:, NAMES.index(f"form.{form.value}")] > 0 if form in FORMS else np.ones(len(order), bool)
    best = candidates[0]
    chosen: list[int] = []
    seen: set[str] = set()
    for number in candidates:
        text = " ".join(relevance.table.rows[number].text.lower().split())
        if relevance.scores[number] < relevance.scores[best] - _CLOSE or len(chosen) == MOST_QUOTES:
            break
        if text not in seen and (number == best or fits[number] or not fits[best]):
            seen.add(text)
            chosen.append(number)
    return [relevance.table.rows[number] for number in chosen]


def _can_be_quoted(row: SentenceRow, given: Sequence[tuple[int, int]]) -> bool:
    if row.is_heading or not SHORTEST <= row.end - row.start <= LONGEST:
        return False
    return any(start <= row.start < end for start, end in given)
