"""The four places where one implementation can stand for another. Each is a Protocol with a single method.

`fakes.py` has a fake of each, for tests of what lies around them. A reader that asks someone else is a RemoteReader too.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from methodlens.records import Answer, Hit, Paper, Passage, Question, Tally, Verdict


class PdfParser(Protocol):
    """Reads a file into a Paper. Whatever is wrong with the file becomes the paper's status, never an exception."""

    fingerprint: str

    def parse(self, path: Path) -> Paper: ...


class Index(Protocol):
    """The passages of one paper, ready to be searched."""

    def rank(self, question: Question) -> Sequence[Hit]:
        """The hits, best first, passages that share nothing with the question left out."""
        ...


class Retriever(Protocol):
    def index(self, passages: Sequence[Passage]) -> Index: ...


class Reader(Protocol):
    """Answers a question from the hits that are `shown`; the paper is there to locate quotes in.

    Raises ReaderFailed when it breaks on this cell, ReaderError when it can be asked nothing at all: the run stops.
    One that always says the same to the same may say so with `deterministic = True`: it is never asked again (runs.repeats).
    """

    name: str
    model: str
    fingerprint: str

    def read(self, question: Question, paper: Paper, hits: Sequence[Hit]) -> Answer: ...


@runtime_checkable
class RemoteReader(Protocol):
    """What a driver needs to know of a reader whose calls take long or cost money: they are booked before they are made."""

    concurrency: int
    """Calls that may be under way at once."""
    priced: bool
    """Each answer says what it cost."""
    shown_chars: int | None
    """How much it is shown, where that is its own affair."""

    def close(self) -> None:
        """Give up whatever is under way: its callers get ReaderAbandoned."""
        ...


class VotingRule(Protocol):
    def __call__(self, verdicts: Mapping[str, Verdict]) -> Tally: ...
