"""Messages between the driver and worker processes, as bytes: validated when decoded, never unpickled.

The driver sends the job once and a task per paper; the worker returns a PaperResult per task.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.engine.execute import Task
from methodlens.engine.plan import Plan
from methodlens.errors import EngineError
from methodlens.facts import types_of
from methodlens.ledger.packing import build_decoders
from methodlens.ledger.paper_results import PaperResult
from methodlens.papers import parser_fingerprints
from methodlens.records import Question, ReaderInfo
from methodlens.settings import Settings

T = TypeVar("T")
_SAME_VERSION = "install the same methodlens everywhere"


class Job(Struct, frozen=True):
    """What all papers of a run have in common. A worker builds its stages from it, and refuses if they differ."""

    version: str
    parsers: str
    """Their fingerprints."""
    facts: str
    """The fact types of the questions, with their revisions."""
    settings: Settings
    questions: tuple[Question, ...]
    readers: tuple[tuple[str, str], ...]
    """Asked by the worker: name and fingerprint."""
    deferred: tuple[ReaderInfo, ...] = ()
    """Asked by the driver."""


class Ready(Struct, frozen=True, tag="ready"):
    """The worker has built its stages."""


class Refusal(Struct, frozen=True, tag="refused"):
    """The worker cannot do any paper of this job."""

    problem: str
    fix: str = ""


build_decoders(Job, PaperResult | Ready | Refusal)


def job_of(plan: Plan, settings: Settings) -> Job:
    """Without the URL of the ledger, which may contain a password, and the tables of language models: no worker needs them."""
    here = [reader.info for reader in plan.readers if reader.info.name in plan.portable and not reader.info.remote]
    return Job(
        version=__version__,
        parsers=parser_fingerprints(settings.reading),
        facts=fact_versions(plan.questions),
        settings=replace(settings, readers={}, ledger=""),
        questions=plan.questions,
        readers=tuple((info.name, info.fingerprint) for info in here),
        deferred=tuple(reader.info for reader in plan.readers if reader.info not in here),
    )


def fact_versions(questions: Iterable[Question]) -> str:
    return ", ".join(sorted({f"{each.key}@{each.revision}" for question in questions for each in types_of(question)}))


def encode(value: object) -> bytes:
    return msgspec.msgpack.encode(value)


def decode(message: bytes, type: type[T]) -> T:
    return msgspec.msgpack.decode(message, type=type)


def encode_task(task: Task) -> bytes:
    """A path may hold bytes that are not UTF-8, which no text message can carry."""
    return encode((os.fsencode(task.location), replace(task, location="")))


def decode_task(message: bytes) -> Task:
    location, task = decode(message, tuple[bytes, Task])
    return replace(task, location=os.fsdecode(location))


def decode_reply(message: bytes) -> PaperResult | Ready:
    """A worker's reply; raises EngineError if it is a refusal or invalid."""
    try:
        reply = msgspec.msgpack.decode(message, type=PaperResult | Ready | Refusal)
    except msgspec.MsgspecError as err:
        raise EngineError(f"a worker sent an invalid reply ({err})", _SAME_VERSION) from err
    if isinstance(reply, Refusal):
        raise EngineError(reply.problem, reply.fix)
    return reply


def decode_result(message: bytes) -> PaperResult:
    reply = decode_reply(message)
    if not isinstance(reply, PaperResult):
        raise EngineError("a worker sent an invalid reply (no result)", _SAME_VERSION)
    return reply
