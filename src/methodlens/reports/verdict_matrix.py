"""Papers x questions: the shape in which verdicts are looked at."""

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
"""A status is one letter where there are many; '.' stands for what was not asked."""
_STATUSES = {code: status for status, code in CODES.items()}
Statuses = Mapping[str, Status]
"""By question."""
_IN_MEMORY = 4 << 20


def encode_statuses(statuses: Statuses, questions: Iterable[str]) -> str:
    """
    >>> encode_statuses({"CQ2": Status.REPORTED}, ["CQ1", "CQ2"])
    '.r'
    """
    return "".join(CODES[statuses[question]] if question in statuses else "." for question in questions)


def decode_statuses(codes: str, questions: int) -> tuple[Status | None, ...]:
    """As long as there are questions: those that came up later were not asked."""
    return tuple(map(_STATUSES.get, codes.ljust(questions, ".")))


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


def matrix(rows: Iterable[Row], *, most: int | None = None) -> Matrix:
    """The lines of the papers, or of the `most` first ones: no more rows are read than it takes."""
    questions: dict[str, Question] = {}
    papers: list[PaperEntry] = []
    found: list[tuple[PaperEntry, str, Statuses]] = []
    for of_paper in islice(rows_by_paper(rows), most):
        papers.append(of_paper[0].paper)
        questions |= {row.question.id: row.question for row in of_paper if row.question.id not in questions}
        found += [(papers[-1], reader, statuses) for reader, statuses in verdicts_by_reader(of_paper).items()]
    lines = (MatrixLine(paper, reader, tuple(map(statuses.get, questions))) for paper, reader, statuses in found)
    return Matrix(tuple(questions.values()), tuple(papers), tuple(lines))


def rows_by_paper(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """Rows of one paper come one after the other."""
    for _, of_paper in groupby(rows, key=lambda row: (row.paper.name, row.paper.sha256)):
        yield list(of_paper)


def verdicts_by_reader(rows: Iterable[Row]) -> dict[str, Statuses]:
    """One paper's verdicts by question: those of the vote where there is one, else of each reader."""
    readers: dict[str, dict[str, Status]] = {}
    votes: dict[str, dict[str, Status]] = {}
    for row in rows:
        told = readers if row.votes is None else votes
        told.setdefault(row.cell.reader, {})[row.question.id] = row.cell.verdict.status
    return {**(votes or readers)}


class SpooledMatrix:
    """Filled paper by paper, then read once: its papers then have a name and a hash, and nothing else."""

    def __init__(self, spool: IO[bytes]) -> None:
        self._spool = spool
        self.questions: dict[str, Question] = {}
        self.count = 0

    def add(self, rows: Sequence[Row]) -> None:
        """All rows of one paper."""
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
    """Short column heads: the numbers in the ids where all are alike (CQ1, CQ2, ...), else 1, 2, 3."""
    parts = [re.fullmatch(r"(\D*)(\d{1,3})", question.id) for question in questions]
    if all(parts) and len({part[1] for part in parts if part}) <= 1:
        return tuple(part[2] for part in parts if part)
    return tuple(str(number) for number in range(1, len(parts) + 1))


def status_label(status: Status | PaperStatus) -> str:
    """
    >>> status_label(Status.NOT_REPORTED)
    'not reported'
    """
    return status.value.replace("_", " ")
