"""Rows of tables that state the number which a question asks for: "Accuracy, tasks: 0.88 (Network), 0.76 (Baseline)"."""

import re
from collections.abc import Iterator, Sequence

from methodlens.readers.embedded.tidying import is_sentence
from methodlens.records import AnswerForm, Hit, Paper, Table
from methodlens.relevance.forms import values
from methodlens.relevance.understanding import Understanding
from methodlens.text import words
from methodlens.text.quotable import Quotable, quote
from methodlens.text.stems import stem

_MOST_ROWS = 3
_BELOW = 8  # lines of a table that belong to its header
_SHORTEST = 3  # letters of "acc" or "params"
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


def tables_may_state(asked: Understanding, paper: Paper, lines: Sequence[str]) -> bool:
    """Whether a table, its caption or loose lines of one name the number that is asked for, perhaps shortened ("#Params"). Which
    of its numbers answers is not known, but a paper with such a table is not silent.

    >>> from methodlens.papers import from_text
    >>> from methodlens.relevance.understanding import understand
    >>> asked, paper = understand("How many parameters does the model have?"), from_text(["Newts"])
    >>> tables_may_state(asked, paper, ["Model Params (M)", "NewtNet 3.1"])
    True
    >>> tables_may_state(asked, paper, ["We measured 3 parameters of newts."])
    False
    """
    if asked.form is not AnswerForm.NUMBER or not asked.head:
        return False
    if any(_shortly_names(title, asked.head) for table in paper.tables for title in _titles(table)):
        return True
    loose = [not is_sentence(" ".join(line.split()) or "-") for line in lines]
    for at, line in enumerate(lines):
        below = [number for number in range(at, min(len(lines), at + _BELOW)) if loose[number]]
        if loose[at] and _shortly_names(line, asked.head) and any(values(lines[number], AnswerForm.NUMBER) for number in below):
            return True
    return False


def _titles(table: Table) -> Iterator[str]:
    """Of the columns, and of the rows."""
    yield from table.header
    yield from (" ".join(row.cells[: table.heads]) for row in table.rows)


def _shortly_names(text: str, wanted: Sequence[str]) -> bool:
    """Whether each of the words stands in the text or is shortened there to three letters at least."""
    said = words(text)
    return all(
        any(stem(one) == stem(word) or (len(one) >= _SHORTEST and word.startswith(one)) for one in said) for word in wanted
    )


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
