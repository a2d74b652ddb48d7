"""A call: one asking of one reader for one cell, as the ledger books it before it begins and when it has ended."""

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
    """Under way."""
    ANSWERED = "answered"
    FAILED = "failed"
    ABANDONED = "abandoned"
    """The run was stopped and nobody waited for the reply."""
    LOST = "lost"
    """The run died while it was under way; what it cost is not known."""
    DAMAGED = "damaged"
    """Its row in the ledger is not as it was written."""


class Call(Struct, frozen=True):
    """`seconds` is the whole time of the call, waiting for its turn included; `joules` is the stated power times that."""

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
    """The call; one whose row was changed keeps its place and loses its figures."""
    values = {name: row[name] for name in Call.__struct_fields__}
    if isinstance(values["estimated"], int):  # a database without booleans
        values["estimated"] = bool(values["estimated"])
    if _checksum(values) == row["checksum"]:
        return msgspec.convert(values, Call)
    whole = {**values, "ended_at": None, "outcome": Outcome.DAMAGED, "cost": None, "joules": None, "estimated": False}
    return msgspec.convert({**whole, "seconds": 0.0, "tokens_in": 0, "tokens_out": 0, "requests": 0}, Call)


def _checksum(row: Mapping[str, Any]) -> str:
    body = {name: row[name] for name in Call.__struct_fields__ if name != "call_id"}
    return checksum(str(row["call_id"]), msgspec.json.encode(body, order="sorted"))
