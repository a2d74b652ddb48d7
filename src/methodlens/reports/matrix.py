"""Papers x questions: the shape in which verdicts are looked at."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from methodlens.records import PaperEntry, PaperStatus, Question, Row, Status

MARKS: Mapping[Status, str] = {
    Status.REPORTED: "●",
    Status.NOT_REPORTED: "○",
    Status.WITHHELD: "?",
    Status.FAILED: "!",
    Status.UNREADABLE: "–",
}
NOT_ASKED = "·"


class MatrixLine(NamedTuple):
    """One paper as one reader sees it, or as the vote has it: a status for each question, None where it was not asked."""

    paper: PaperEntry
    reader: str
    statuses: tuple[Status | None, ...]

    @property
    def counts(self) -> Counter[Status]:
        return Counter(status for status in self.statuses if status)


class Matrix(NamedTuple):
    questions: tuple[Question, ...]
    papers: tuple[PaperEntry, ...]
    lines: tuple[MatrixLine, ...]

    @property
    def readers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(line.reader for line in self.lines))


class MatrixBuilder:
    """Takes rows one by one, in any order, and keeps only their statuses: rows are heavy, runs are long."""

    def __init__(self) -> None:
        self._questions: dict[str, Question] = {}
        self._papers: dict[tuple[str, str], PaperEntry] = {}
        self._votes: dict[tuple[str, str], dict[str, Status]] = {}
        self._readers: dict[tuple[str, str], dict[str, dict[str, Status]]] = {}
        self._vote_name = "vote"

    def add(self, row: Row) -> None:
        key = (row.paper.name, row.paper.sha256)
        self._papers.setdefault(key, row.paper)
        self._questions.setdefault(row.question.id, row.question)
        if row.votes is not None:
            self._vote_name = row.cell.reader
            statuses = self._votes.setdefault(key, {})
        else:
            statuses = self._readers.setdefault(key, {}).setdefault(row.cell.reader, {})
        statuses[row.question.id] = row.cell.verdict.status

    def build(self) -> Matrix:
        lines = []
        for key, paper in self._papers.items():
            by_reader = {self._vote_name: self._votes[key]} if key in self._votes else self._readers.get(key, {})
            for reader, statuses in by_reader.items():
                lines.append(MatrixLine(paper, reader, tuple(map(statuses.get, self._questions))))
        return Matrix(tuple(self._questions.values()), tuple(self._papers.values()), tuple(lines))


def matrix(rows: Iterable[Row]) -> Matrix:
    """The vote's line for each paper that has one, else a line for each of its readers; all in the order they came."""
    builder = MatrixBuilder()
    for row in rows:
        builder.add(row)
    return builder.build()


def numbers(questions: Iterable[Question]) -> tuple[str, ...]:
    """Short column heads: the numbers in the ids where all are alike (CQ1, CQ2, ...), else 1, 2, 3."""
    parts = [re.fullmatch(r"(\D*)(\d{1,3})", question.id) for question in questions]
    if all(parts) and len({part[1] for part in parts if part}) <= 1:
        return tuple(part[2] for part in parts if part)
    return tuple(str(number) for number in range(1, len(parts) + 1))


def in_words(status: Status | PaperStatus) -> str:
    """
    >>> in_words(Status.NOT_REPORTED)
    'not reported'
    """
    return status.value.replace("_", " ")
