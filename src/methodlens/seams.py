"""The seams: parts that can be exchanged. Each is a Protocol with one method, and `fakes.py` has a fake of each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from methodlens.errors import ReaderFailed
from methodlens.records import Answer, Box, Hit, Paper, Passage, Question, ReaderInfo, Tally, Verdict


class Parser(Protocol):
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
    """Answers a question from `context`, the hits it is given; the paper is there to locate quotes in.

    Raises ReaderFailed when it breaks on this cell, ReaderError when it cannot be used at all: the run stops. A reader that
    holds resources may have a `close()`, which makes pending calls raise ReaderAbandoned: see `close_reader`.
    """

    @property
    def info(self) -> ReaderInfo: ...

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer: ...


class GroupReader(Reader, Protocol):
    """A reader that can answer several questions about a paper in one call. Its info says so with `grouped`."""

    def groups(self, questions: Sequence[Question], paper: Paper, contexts: Sequence[Sequence[Hit]]) -> Sequence[Sequence[int]]:
        """Which of the questions, by index, go into one call; each is in exactly one group."""
        ...

    def read_group(
        self, questions: Sequence[Question], paper: Paper, contexts: Sequence[Sequence[Hit]]
    ) -> Sequence[Answer | ReaderFailed]:
        """The answer to each question, or why it failed. Raises ReaderError and ReaderAbandoned as `read` does."""
        ...


class PagePictures(Protocol):
    """Where readers that see get pictures of a paper's pages. A reader takes it with `look_at`: see `show_pictures`."""

    def picture(self, paper_sha256: str, page: int, box: Box) -> bytes:
        """That part of the page as PNG; empty if the paper's file is gone or the page cannot be rendered."""
        ...


def show_pictures(reader: Reader, pictures: PagePictures) -> None:
    """For readers that can see; others have no `look_at`."""
    look_at = getattr(reader, "look_at", None)
    if look_at:
        look_at(pictures)


def close_reader(reader: Reader) -> None:
    close = getattr(reader, "close", None)
    if close:
        close()


class VotingRule(Protocol):
    def __call__(self, verdicts: Mapping[str, Verdict]) -> Tally: ...
