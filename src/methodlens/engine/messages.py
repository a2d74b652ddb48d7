"""What goes to a worker and comes back from it, as bytes: typed, checked on the way in, never unpickled.

There: the job (once) and a task (a paper each, with what the ledger knows of it). Back: a parcel, whose bodies are packed as
the ledger stores them, so that the driver, of which there is one, only has to write them down.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from methodlens.errors import EngineError
from methodlens.ledger.packing import Span
from methodlens.records import Answer, Hit, Paper, PaperEntry, Question, ReaderInfo, Status, Usage, Verdict
from methodlens.settings import Settings

T = TypeVar("T")


class Absent(Struct, frozen=True):
    """A remote reader as a worker sees it: all that a cell's key depends on. Its cells come back as due; the driver asks them."""

    info: ReaderInfo

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        raise EngineError(f"{self.info.name} is asked by the driver, not by a worker")


class Job(Struct, frozen=True):
    """What every paper of a run has in common. The worker builds its stages from it, and refuses if they are not the same."""

    version: str
    parser: str
    settings: Settings
    questions: tuple[Question, ...]
    own: tuple[tuple[str, str], ...]
    """Readers that answer on the worker: name and fingerprint."""
    absent: tuple[Absent, ...] = ()


class Told(Struct, frozen=True):
    """What the ledger knows of a paper of that name: its text, and the cells that stand answered and whole, by key."""

    sha256: str
    parser: str
    body: bytes
    checksum: str
    cells: Mapping[str, Status]


class Task(Struct, frozen=True):
    location: str
    name: str
    told: Told | None = None


class PackedCell(Struct, frozen=True):
    key: str
    question: str
    reader: str
    verdict: Verdict
    body: bytes
    seconds: float = 0.0
    usage: Usage | None = None


class KnownCell(Struct, frozen=True):
    """One of those that were told: it answers this question of this run too."""

    key: str
    question: str
    reader: str
    verdict: Verdict


class Due(Struct, frozen=True):
    """A cell of an absent reader, still to be asked."""

    key: str
    question: str
    reader: str
    hits: tuple[Span, ...]
    shown: int = 0


class Parcel(Struct, frozen=True, tag="done"):
    """A paper with its cells. `body` is its packed text, None if it was told or is not worth keeping."""

    entry: PaperEntry
    parser: str
    body: bytes | None
    cells: tuple[PackedCell, ...] = ()
    known: tuple[KnownCell, ...] = ()
    due: tuple[Due, ...] = ()


class Ready(Struct, frozen=True, tag="ready"):
    """The worker has built its stages: tasks may come."""


class Refusal(Struct, frozen=True, tag="refused"):
    """The worker can do no paper of this job."""

    problem: str
    fix: str = ""


def encode(value: object) -> bytes:
    return msgspec.msgpack.encode(value)


def decode(message: bytes, type: type[T]) -> T:
    return msgspec.msgpack.decode(message, type=type)


def reply(message: bytes) -> Parcel:
    """What a worker sent back; raises EngineError where it refused, or sent something else."""
    return _answer(message, Parcel)


def ready(message: bytes) -> Ready:
    """As `reply`, for a worker that was given the job alone."""
    return _answer(message, Ready)


def _answer(message: bytes, wanted: type[T]) -> T:
    kinds: Any = wanted | Refusal
    try:
        got: T | Refusal = msgspec.msgpack.decode(message, type=kinds)
    except msgspec.MsgspecError as err:
        raise EngineError(
            f"a worker sent back something else than a paper ({err})", "install the same methodlens everywhere"
        ) from err
    if isinstance(got, Refusal):
        raise EngineError(got.problem, got.fix)
    return got
