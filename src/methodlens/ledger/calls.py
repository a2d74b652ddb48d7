"""A call to a reader for one cell, recorded before it starts and when it ends."""

import uuid
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from methodlens.ledger.packing import checksum
from methodlens.records import Status, Usage


class Outcome(StrEnum):
    OPEN = "open"
    """In progress."""
    ANSWERED = "answered"
    FAILED = "failed"
    ABANDONED = "abandoned"
    """The run was stopped without waiting for the reply."""
    LOST = "lost"
    """The run was killed during the call; its cost is unknown."""
    DAMAGED = "damaged"
    """Its row in the ledger is not what was written."""


class Call(Struct, frozen=True):
    """`seconds` is the duration of the call, including the wait for a slot; `joules` is the configured power times that."""

    call_id: str
    run: str
    paper: str
    question: str
    reader: str
    cell_key: str
    started_at: str
    ended_at: str | None = None
    outcome: Outcome = Outcome.OPEN
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    requests: int = 0
    cost: float | None = None
    joules: float | None = None
    estimated: bool = False


def open_call(*, run: str, paper: str, question: str, reader: str, cell_key: str, at: str) -> Call:
    return Call(uuid.uuid4().hex, run, paper, question, reader, cell_key, at)


def end_call(call: Call, status: Status, usage: Usage | None, *, seconds: float, at: str) -> Call:
    usage = usage or Usage()
    return replace(
        call,
        ended_at=at,
        outcome=Outcome.FAILED if status is Status.FAILED else Outcome.ANSWERED,
        seconds=round(seconds, 4),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        requests=usage.requests,
        cost=usage.cost,
        joules=None if usage.watts is None else round(usage.watts * seconds, 3),
        estimated=usage.estimated,
    )


def as_row(call: Call) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.to_builtins(call)
    return {**row, "checksum": _checksum(row)}


def from_row(row: Mapping[str, Any]) -> Call:
    """The call; a damaged one keeps its place and loses its figures."""
    values = {name: row[name] for name in Call.__struct_fields__}
    if isinstance(values["estimated"], int):  # SQLite has no booleans
        values["estimated"] = bool(values["estimated"])
    if _checksum(values) == row["checksum"]:
        return msgspec.convert(values, Call)
    kept = {name: values[name] for name in ("call_id", "run", "paper", "question", "reader", "cell_key", "started_at")}
    return msgspec.convert({**kept, "outcome": Outcome.DAMAGED}, Call)


def _checksum(row: Mapping[str, Any]) -> str:
    body = {name: row[name] for name in Call.__struct_fields__ if name != "call_id"}
    return checksum(str(row["call_id"]), msgspec.json.encode(body, order="sorted"))
