"""The seams: parts that can be exchanged. Each is a Protocol with one method, and `fakes.py` has a fake of each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from methodlens.records import Answer, Hit, Paper, Passage, Question, ReaderInfo, Tally, Verdict


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


def close_reader(reader: Reader) -> None:
    close = getattr(reader, "close", None)
    if close:
        close()


class VotingRule(Protocol):
    def __call__(self, verdicts: Mapping[str, Verdict]) -> Tally: ...
