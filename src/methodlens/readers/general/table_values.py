"""Rows of tables that state the number which a question asks for: "Accuracy, tasks: 0.88 (Network), 0.76 (Baseline)"."""

import re
from collections.abc import Iterator, Sequence

from methodlens.records import AnswerForm, Hit, Paper, Table
from methodlens.relevance.forms import values
from methodlens.relevance.understanding import Understanding
from methodlens.text import words
from methodlens.text.quotable import Quotable, quote
from methodlens.text.stems import stem

_MOST_ROWS = 3
_BETWEEN = re.compile(r"[^,;.()]{0,25}")
_OWN_ROW = re.compile(r"\b(?:ours?|proposed|this (?:work|paper|study))\b", re.IGNORECASE)


def states_number(sentence: str, asked: Understanding) -> bool:
    """Whether a number stands right next to the noun that is asked for.

    >>> from methodlens.relevance.understanding import understand
    >>> asked = understand("What was the best accuracy?")
    >>> states_number("The accuracy rose to 0.91.", asked), states_number("We report accuracy, recall and 95% intervals.", asked)
    (True, False)
    """
    if not asked.head:
        return False
    wanted = stem(asked.head[-1])
    nouns = [match.span() for match in re.finditer(r"\w+", sentence) if stem(match[0].lower()) == wanted]
    numbers = values(sentence, AnswerForm.NUMBER)
    gaps = ((min(a_end, b_end), max(a, b)) for a, a_end in nouns for b, b_end in numbers)
    return any(_BETWEEN.fullmatch(sentence[start:end]) for start, end in gaps)


def rows_with_number(asked: Understanding, paper: Paper, context: Sequence[Hit]) -> list[Quotable]:
    """At most three rows of the tables in the context. A row must be named by what is asked for, or be the authors' own under
    such a column."""
    if asked.form is not AnswerForm.NUMBER or not asked.head:
        return []
    wanted = {stem(word) for word in asked.head}
    given = [(hit.passage.start, hit.passage.end) for hit in context]
    tables = [table for table in paper.tables if any(start < table.end and table.start < end for start, end in given)]
    found = [(table, number) for table in tables for number in _rows_of(table, wanted)][:_MOST_ROWS]
    spans: list[tuple[int, int]] = []
    for place, (table, number) in enumerate(found):
        row = table.rows[number]
        follows = place > 0 and found[place - 1] == (table, number - 1)
        spans = [*spans[:-1], (spans[-1][0], row.end)] if follows else [*spans, (row.start, row.end)]
    return [Quotable(start, end, quote(paper, start, end)) for start, end in spans]


def _rows_of(table: Table, wanted: set[str]) -> Iterator[int]:
    columns = [number for number, title in enumerate(table.header) if number >= table.heads and _names(title, wanted)]
    for number, row in enumerate(table.rows):
        name = " ".join(row.cells[: table.heads])
        is_own = len(table.rows) == 1 or bool(_OWN_ROW.search(name))
        values_asked_for = row.cells[table.heads :] if _names(name, wanted) else [row.cells[at] for at in columns if is_own]
        if any(values(cell, AnswerForm.NUMBER) for cell in values_asked_for):
            yield number


def _names(text: str, wanted: set[str]) -> bool:
    return wanted <= {stem(word) for word in words(text)}
