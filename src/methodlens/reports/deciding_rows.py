"""Of all rows of a paper and question, the one that counts."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from methodlens.records import PaperEntry, Row


def deciding_rows(rows: Iterable[Row]) -> Iterator[tuple[PaperEntry, list[Row]]]:
    """Each paper with one row per question. The rows of a paper are consecutive."""
    for _, paper_rows in groupby(rows, key=lambda row: (row.paper.name, row.paper.sha256)):
        chosen = deciding(paper_rows)
        yield chosen[0].paper, chosen


def deciding(rows: Iterable[Row]) -> list[Row]:
    """Of one paper, one row per question: the final one, else the vote's, else the first reader's."""
    by_question: dict[str, Row] = {}
    for row in rows:
        if row.question.id not in by_question or row.votes is not None or row.final:
            by_question[row.question.id] = row
    return list(by_question.values())
