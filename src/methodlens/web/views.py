"""What the room shows, as values: the matrix, one cell, the agreement. The API sends them as JSON, the pages lay them out."""

from collections.abc import Mapping

from msgspec import Struct

from methodlens.ledger.overview import Progress
from methodlens.records import Annotation, Facts, Match, PaperStatus, Place, Status


class PaperLine(Struct, frozen=True):
    """A paper of the matrix. `marks` has a status for each question, None where nobody has answered yet or may be seen."""

    name: str
    sha256: str
    title: str
    year: int | None
    status: PaperStatus
    reason: str
    flags: tuple[str, ...]
    marks: tuple[Status | None, ...]
    split: tuple[int, ...]
    """The questions, by position, on which readers contradict each other."""
    mine: tuple[Status | None, ...]
    """What the person who asks said."""


class QuestionHead(Struct, frozen=True):
    id: str
    number: str
    title: str
    text: str


class MatrixView(Struct, frozen=True):
    """A page of the run's papers. Where a word was looked for: what was found on the pages from `page` to `until`."""

    run: str
    blind: bool
    readers: tuple[str, ...]
    questions: tuple[QuestionHead, ...]
    papers: tuple[PaperLine, ...]
    total: int
    """Papers of the run."""
    page: int
    """From 1, as `until` and `pages`."""
    until: int
    pages: int


class QuoteView(Struct, frozen=True):
    quote: str
    match: Match
    where: str
    places: tuple[Place, ...]


class ReaderView(Struct, frozen=True):
    """One reader's answer, or the vote's where `votes` says what each said."""

    reader: str
    model: str
    status: Status
    reason: str
    p_reported: float | None
    answer: str
    quotes: tuple[QuoteView, ...]
    facts: Facts
    unsupported: tuple[str, ...] = ()
    votes: Mapping[str, Status] | None = None


class PassageView(Struct, frozen=True):
    rank: int
    shown: bool
    page: int
    section: str
    text: str
    places: tuple[Place, ...]


class CellView(Struct, frozen=True):
    """Where `hidden` is true, a blind annotator has not decided yet: `readers`, `verdict` and `people` are held back."""

    run: str
    paper: str
    paper_sha256: str
    paper_title: str
    paper_status: PaperStatus
    paper_reason: str
    flags: tuple[str, ...]
    question: str
    question_title: str
    question_text: str
    hidden: bool
    verdict: Status | None
    readers: tuple[ReaderView, ...]
    people: tuple[Annotation, ...]
    mine: Annotation | None
    passages: tuple[PassageView, ...]
    page: int
    """The one to look at first."""
    pages: int


class QueueView(Struct, frozen=True):
    """Papers by checksum and questions, in the order in which to look at them; the first few hundred. `left` counts all that
    wait for this person's word; of all cells and of disagreements, which are looked through whatever was said, it counts all."""

    queue: str
    seed: int
    cells: tuple[tuple[str, str], ...]
    left: int


class PairView(Struct, frozen=True):
    """Two raters on the cells that both decided. What is undefined (both say one and the same of everything) is None."""

    first: str
    second: str
    n: int
    agreed: int
    agreement: float | None
    kappa: float | None
    ac1: float | None


class AgreementView(Struct, frozen=True):
    """People with people, then people with the verdict, then people with each reader."""

    people: tuple[PairView, ...]
    verdict: tuple[PairView, ...]
    readers: tuple[PairView, ...]
    counts: Mapping[str, Mapping[str, int]]
    """By person: how many cells were called what."""


class JobView(Struct, frozen=True):
    """Work that was asked for from the page. `state` is waiting, running, done, stopped (its budget is spent) or failed."""

    id: int
    what: str
    state: str
    done: int
    total: int
    message: str = ""


class StateView(Struct, frozen=True):
    """When two of these are alike, there is nothing new to show."""

    progress: Progress | None
    jobs: tuple[JobView, ...]
