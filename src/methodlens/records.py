"""The types of methodlens, in the order in which data flows through them. Frozen, without I/O: read this file as the glossary.

msgspec gives each its JSON form, so messages to workers, ledger and exports share one format, typed and validated.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct, field

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points from the page's top left."""

Facts = Mapping[str, Any]
FactConfidence = Mapping[str, Mapping[str, float]]
"""By the key of a fact and the text of a value: how likely the value is right, from 0 to 1."""
"""Typed values by key, as the export shows them: {"hardware": [{"name": "NVIDIA TITAN Xp", "kind": "GPU", "count": 3}]}."""


# --- papers ---------------------------------------------------------------------------------------------------------


class PaperStatus(StrEnum):
    """No reader is asked about a paper that is not `ok`; its reason says what to do."""

    OK = "ok"
    NO_TEXT = "no_text"
    GARBLED = "garbled"
    ENCRYPTED = "encrypted"
    MALFORMED = "malformed"
    TOO_BIG = "too_big"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


class Page(Struct, frozen=True, array_like=True):
    """A page's size in points, as it is displayed."""

    number: int
    width: float
    height: float


class Word(Struct, frozen=True, array_like=True):
    """A printed word: its characters' offsets from the start of its line, and its left and right edge in points."""

    start: int
    end: int
    x0: float
    x1: float


class Line(Struct, frozen=True, array_like=True):
    """A printed line: its span of the paper's text, its page, its upper and lower edge, and its words."""

    start: int
    end: int
    page: int
    top: float
    bottom: float
    words: tuple[Word, ...]


class HiddenText(Struct, frozen=True):
    """Text in the file that is not visible on the page: white, tiny, covered, off the page, invisible."""

    page: int
    why: str
    text: str
    box: Box


class SectionKind(StrEnum):
    FRONT = "front"
    ABSTRACT = "abstract"
    INTRODUCTION = "introduction"
    METHODS = "methods"
    RESULTS = "results"
    DISCUSSION = "discussion"
    AVAILABILITY = "availability"
    ACKNOWLEDGEMENTS = "acknowledgements"
    REFERENCES = "references"
    APPENDIX = "appendix"
    OTHER = "other"


class Section(Struct, frozen=True, array_like=True):
    kind: SectionKind
    title: str
    start: int
    end: int


class TableRow(Struct, frozen=True, array_like=True):
    """A row of a table: its span of the paper's text, and one text per column, empty where the row has none."""

    start: int
    end: int
    cells: tuple[str, ...]


class Table(Struct, frozen=True, array_like=True):
    """A table with its label ("Table 2"), its span of the paper's text without the caption, and its rows below the header.

    The header has one text per column. The first `heads` columns name the row.
    """

    label: str
    start: int
    end: int
    heads: int
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]


class Paper(Struct, frozen=True):
    """One paper as read: clean text in reading order, and how to get from any span of it back to the page.

    `sha256` is that of the file's bytes and `parser` names what read it, with its revision: together they say which
    text this is. A paper that could not be read has a status, a reason and no text.
    """

    sha256: str
    parser: str
    status: PaperStatus = PaperStatus.OK
    reason: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    text: str = ""
    pages: tuple[Page, ...] = ()
    lines: tuple[Line, ...] = ()
    sections: tuple[Section, ...] = ()
    unread: tuple[int, ...] = ()
    """Pages that hold no legible text: pictures, or a text layer that is not language."""
    hidden: tuple[HiddenText, ...] = ()
    flags: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    """In reading order."""


class Passage(Struct, frozen=True):
    """A span of a paper, from sentence to sentence, small enough to rank and to show."""

    start: int
    end: int
    page: int
    section: str
    text: str


# --- questions and retrieval ----------------------------------------------------------------------------------------


class AnswerForm(StrEnum):
    """What an answer consists of."""

    NUMBER = "number"
    NAME = "name"
    PERSON = "person"
    """A person, group or organisation."""
    DATE = "date"
    PLACE = "place"
    LINK = "link"
    YES_NO = "yes_no"
    LIST = "list"
    CLAUSE = "clause"
    """A description in words: how, why, what for."""


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A competency question.

    `query` has the words that papers use when they answer it, `signs` the words that are evidence on their own (`augment*`
    matches any ending), `facts` the keys of its fact types in any order, and `patterns` further families of
    facts/patterns.toml. `decided_by` is the fact that answers the question alone; by default the one with the highest
    priority. `like` is the shipped question that a user's own question took these from.

    `form` is what the answer consists of, None if nobody said so; `examples` are sentences that would answer the question, as a
    paper would write them. `group` and `item` are the heading and the number that a checklist lists it under.
    """

    id: str
    text: str
    title: str = ""
    query: str = ""
    signs: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    like: str = ""
    decided_by: str = ""
    form: AnswerForm | None = None
    examples: tuple[str, ...] = ()
    group: str = ""
    item: str = ""


class Hit(Struct, frozen=True):
    """A passage that retrieval found, with its score. Hits come best first."""

    passage: Passage
    score: float


# --- readers ---


class ReaderInfo(Struct, frozen=True):
    """What a reader is. `fingerprint` changes whenever the same input could give another answer: it is part of a cell's key.

    A `remote` reader is slow or costs money: its calls are recorded before they are made, `concurrency` of them at once, and
    count towards the budget; `priced` says that its answers state their cost. A `deterministic` reader is never asked twice.
    """

    name: str
    model: str
    fingerprint: str
    remote: bool = False
    concurrency: int = 1
    priced: bool = False
    deterministic: bool = False
    context_chars: int | None = None
    """How much of the ranking it is given; None means `retrieval.shown_chars`."""
    server: str = ""
    """Where it sends passages; empty for a reader on this machine."""


# --- answers --------------------------------------------------------------------------------------------------------


class Match(StrEnum):
    """How a quote was found in the paper."""

    EXACT = "exact"
    FUZZY = "fuzzy"
    ABSENT = "absent"


class Place(Struct, frozen=True):
    page: int
    boxes: tuple[Box, ...]


class Evidence(Struct, frozen=True):
    """A quote, how it was located, its span of the paper's text and its places on the pages."""

    quote: str
    match: Match
    start: int = 0
    end: int = 0
    places: tuple[Place, ...] = ()

    @property
    def page(self) -> int | None:
        """The first page it is on."""
        return self.places[0].page if self.places else None


class Usage(Struct, frozen=True):
    """What an answer used. `cost` is in the currency of the prices in the settings, None without prices.

    `requests` includes retries; `estimated` means that the server did not count tokens.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    requests: int = 0
    cost: float | None = None
    watts: float | None = None
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.requests + other.requests,
            self.cost if other.cost is None else (self.cost or 0.0) + other.cost,
            self.watts if other.watts is None else other.watts,
            self.estimated or other.estimated,
        )


class Answer(Struct, frozen=True):
    """A reader's answer to one question about one paper.

    `p_reported` is the calibrated probability that the paper reports it, None from readers that give none; `says_reported` a
    model's own yes or no, if it was asked for one. `unsupported` lists claims of the text that its quotes do not contain.
    `raw` is a model's reply before cleaning; `speculation` what it supposed where the paper is silent, removed from the text.
    """

    text: str
    evidence: tuple[Evidence, ...] = ()
    facts: Facts = field(default_factory=dict)
    p_reported: float | None = None
    unsupported: tuple[str, ...] = ()
    speculation: str = ""
    raw: str = ""
    tokens: int | None = None
    says_reported: bool | None = field(default=None, name="said")  # the name in ledgers since 0.1.0
    usage: Usage | None = None
    contradiction: str = ""
    """A sentence with a value, if the model says that the paper reports none."""
    fact_confidence: FactConfidence = field(default_factory=dict)


# --- verdicts -------------------------------------------------------------------------------------------------------


class Status(StrEnum):
    """The status of a cell. The first two are decisions; the others say why there is none."""

    REPORTED = "reported"
    NOT_REPORTED = "not_reported"
    WITHHELD = "withheld"
    FAILED = "failed"
    UNREADABLE = "unreadable"

    @property
    def reported(self) -> bool | None:
        return {Status.REPORTED: True, Status.NOT_REPORTED: False}.get(self)


class Verdict(Struct, frozen=True):
    """The decision on one cell, with a short reason."""

    status: Status
    reason: str = ""


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


class Tally(Struct, frozen=True):
    """The result of a voting rule; `votes` has the status of every reader, missing ones included."""

    status: Status
    votes: Mapping[str, Status]
    rule: str
    reason: str = ""


class PaperEntry(Struct, frozen=True):
    """A paper of a run without its text: its name below the source folder, its metadata and its status."""

    name: str
    sha256: str
    status: PaperStatus = PaperStatus.OK
    reason: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    pages: int = 0
    text_sha256: str = ""
    """Of its letters and digits, to detect the same text in another file."""
    duplicate_of: str = ""
    """The name of an earlier paper of the run with the same DOI or the same text."""
    hidden: tuple[HiddenText, ...] = ()
    flags: tuple[str, ...] = ()


class Row(Struct, frozen=True):
    """A cell with its paper and question, as reports and exports use it. On a vote's row, `votes` has each reader's status."""

    paper: PaperEntry
    question: Question
    cell: Cell
    votes: Mapping[str, Status] | None = None


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
