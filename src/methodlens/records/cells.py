"""Cells, people's annotations of them, and the final word on each."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from methodlens.records.answers import Answer, Evidence, Facts
from methodlens.records.code import CodeCell
from methodlens.records.papers import PaperEntry, PaperStatus
from methodlens.records.questions import Hit, Question
from methodlens.records.verdicts import Status, Verdict


class Cell(Struct, frozen=True):
    """One paper x question x reader. `key` is a hash of everything the answer depends on: see `ledger.keys`."""

    key: str
    paper_sha256: str
    question: str
    reader: str
    model: str
    verdict: Verdict
    answer: Answer
    hits: tuple[Hit, ...] = ()
    """The best part of the ranking."""
    shown: int = 0
    """How many of the hits, counted from the first, the reader was given."""
    seconds: float = 0.0

    @property
    def context(self) -> tuple[Hit, ...]:
        """What the reader was given."""
        return self.hits[: self.shown]


class CellRef(NamedTuple):
    """A paper, by the name a run lists it under, and a question."""

    paper: str
    question: str


class ContentRef(NamedTuple):
    """A paper, by the SHA-256 of its file, and a question: what an annotation is about, whatever the file is called."""

    paper_sha256: str
    question: str


class Annotation(Struct, frozen=True):
    """A reviewer's decision on a cell, stored in addition to the readers' answers. `withheld` means unsure."""

    paper_sha256: str
    question: str
    annotator: str
    status: Status
    at: str
    note: str = ""
    answer: str = ""
    """The corrected answer, if the reviewer wrote one."""
    evidence: tuple[Evidence, ...] = ()
    """The sentences that the reviewer selected on the page."""
    undo: bool = False
    """Withdraws the reviewer's latest annotation of the cell; the one before it counts again."""
    blind: bool = False
    """Given before the reviewer saw any verdict or other person's annotation of the cell."""
    facts: Facts | None = None
    """The corrected facts; None if the reviewer left them as they are."""
    adjudicates: bool = False
    """Settles a disagreement of other reviewers."""
    tags: tuple[str, ...] = ()
    """The reviewer's own keywords."""


class SourceKind(StrEnum):
    """Whose word on a cell is final, the strongest first."""

    ADJUDICATED = "adjudicated"
    PERSON = "person"
    DISPUTED = "disputed"
    """People decided differently, and nobody has adjudicated."""
    VOTE = "vote"
    READER = "reader"


class Source(Struct, frozen=True):
    """Where the final word on a cell comes from: the people or readers it is by, and when the last of these people decided.

    `own_answer` is true if one of these people wrote the answer.
    """

    kind: SourceKind
    by: tuple[str, ...]
    at: str = ""
    own_answer: bool = False


class SupplementCell(Struct, frozen=True):
    """What a supplement of a paper says on a question, by the embedded reader. The cell is None if it could not be read."""

    file: str
    sha256: str
    status: PaperStatus
    reason: str = ""
    pages: int = 0
    cell: Cell | None = None


class Row(Struct, frozen=True):
    """A cell with its paper and question, as reports and exports use it.

    On a vote's row, `votes` has each reader's status; on the row of the final word, `final` says where it comes from. `code` is
    what the paper's repository says, if it has one, and `supplements` what its supplements say; no verdict depends on these.
    """

    paper: PaperEntry
    question: Question
    cell: Cell
    votes: Mapping[str, Status] | None = None
    final: Source | None = None
    code: CodeCell | None = None
    supplements: tuple[SupplementCell, ...] = ()
