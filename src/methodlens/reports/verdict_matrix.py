"""Verdicts as a matrix of papers x questions."""

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from typing import IO, NamedTuple

import msgspec

from methodlens.records import PaperEntry, PaperStatus, Question, Row, Status
from methodlens.text.printable import encodable

MARKS: Mapping[Status, str] = {
    Status.REPORTED: "●",
    Status.NOT_REPORTED: "○",
    Status.WITHHELD: "?",
    Status.FAILED: "!",
    Status.UNREADABLE: "–",
}
NOT_ASKED = "·"
CODES: Mapping[Status, str] = dict(zip(Status, "rnwfu", strict=True))
"""One letter per status, for compact storage; '.' means that the question was not asked."""
_STATUSES = {code: status for status, code in CODES.items()}
_IN_MEMORY = 4 << 20

Statuses = Mapping[str, Status]
"""By question id."""


def encode_statuses(statuses: Statuses, questions: Iterable[str]) -> str:
    """
    >>> encode_statuses({"CQ2": Status.REPORTED}, ["CQ1", "CQ2"])
    '.r'
    """
    return "".join(CODES[statuses[question]] if question in statuses else "." for question in questions)


def decode_statuses(codes: str, questions: int) -> tuple[Status | None, ...]:
    """One status per question. Codes may be shorter: they were written before later questions were known."""
    return tuple(map(_STATUSES.get, codes.ljust(questions, ".")))


class MatrixLine(NamedTuple):
    """One reader's verdicts on a paper, or the vote's, or the final ones: a status per question, None if it was not asked."""

    paper: PaperEntry
    reader: str
    statuses: tuple[Status | None, ...]

    @property
    def counts(self) -> Counter[Status]:
        return Counter(status for status in self.statuses if status)


class Matrix(NamedTuple):
    questions: tuple[Question, ...]
    lines: tuple[MatrixLine, ...]

    @property
    def readers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(line.reader for line in self.lines))


def matrix(rows: Iterable[Row], *, most: int | None = None) -> Matrix:
    """The matrix of all papers, or of the first `most`; later rows are not read."""
    questions: dict[str, Question] = {}
    verdicts: list[tuple[PaperEntry, str, Statuses]] = []
    for paper_rows in islice(rows_by_paper(rows), most):
        for row in paper_rows:
            questions.setdefault(row.question.id, row.question)
        verdicts += [(paper_rows[0].paper, reader, statuses) for reader, statuses in verdicts_by_reader(paper_rows).items()]
    lines = (MatrixLine(paper, reader, tuple(map(statuses.get, questions))) for paper, reader, statuses in verdicts)
    return Matrix(tuple(questions.values()), tuple(lines))


def rows_by_paper(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """The rows of each paper, which must be consecutive."""
    for _, paper_rows in groupby(rows, key=lambda row: (row.paper.name, row.paper.sha256)):
        yield list(paper_rows)


def verdicts_by_reader(rows: Iterable[Row]) -> Mapping[str, Statuses]:
    """The verdicts on one paper: the final ones if there are any, else those of the vote, else of each reader."""
    readers: dict[str, dict[str, Status]] = {}
    votes: dict[str, dict[str, Status]] = {}
    final: dict[str, dict[str, Status]] = {}
    for row in rows:
        verdicts = final if row.final else readers if row.votes is None else votes
        verdicts.setdefault(row.cell.reader, {})[row.question.id] = row.cell.verdict.status
    return final or votes or readers


class SpooledMatrix:
    """A matrix on disk, for corpora of any size: its columns are known only after the last paper.

    Add all papers, then iterate. The papers of its lines have a name and a hash, and nothing else.
    """

    def __init__(self, spool: IO[bytes]) -> None:
        self._spool = spool
        self.questions: dict[str, Question] = {}
        self.count = 0

    def add(self, rows: Sequence[Row]) -> None:
        """Add a paper, with all its rows."""
        paper = rows[0].paper
        for row in rows:
            self.questions.setdefault(row.question.id, row.question)
        for reader, statuses in verdicts_by_reader(rows).items():
            line = (paper.name, paper.sha256, reader, encode_statuses(statuses, self.questions))
            self._spool.write(msgspec.json.encode(encodable(line)) + b"\n")
            self.count += 1

    def __iter__(self) -> Iterator[MatrixLine]:
        self._spool.seek(0)
        for line in self._spool:
            name, sha256, reader, codes = msgspec.json.decode(line, type=tuple[str, str, str, str])
            yield MatrixLine(PaperEntry(name, sha256), reader, decode_statuses(codes, len(self.questions)))


@contextmanager
def spooled_matrix() -> Iterator[SpooledMatrix]:
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        yield SpooledMatrix(spool)


def question_labels(questions: Iterable[Question]) -> tuple[str, ...]:
    """Short column labels: the numbers in the ids if all have the same prefix (CQ1, CQ2, ...), else 1, 2, 3."""
    ids = [re.fullmatch(r"(\D*)(\d{1,3})", question.id) for question in questions]
    if all(ids) and len({match[1] for match in ids if match}) <= 1:
        return tuple(match[2] for match in ids if match)
    return tuple(str(number) for number in range(1, len(ids) + 1))


def status_label(status: Status | PaperStatus) -> str:
    """
    >>> status_label(Status.NOT_REPORTED)
    'not reported'
    """
    return status.value.replace("_", " ")
