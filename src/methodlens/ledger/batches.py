"""Batches of calls as rows of the ledger: which cells each covers, and how far it is.

A row is written before its batch is handed in, so a kill at any moment leaves either no batch, or one that can be looked up.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import select

from methodlens.ledger.calls import Call, as_row
from methodlens.ledger.packing import build_decoders, checksum, compress, decompress, verify
from methodlens.ledger.paper_results import answer_row, link_row, record_of
from methodlens.ledger.store import Ledger, now
from methodlens.ledger.tables import ANSWERS, BATCHES, CALLS, RUN_CELLS, upsert
from methodlens.records import Cell, Question

_COLUMNS = ("run", "reader", "state", "provider_id", "cells", "prepared_at", "submitted_at", "ended_at", "note")


class BatchState(StrEnum):
    PREPARED = "prepared"
    """About to be handed in, or handed in by a process that was killed."""
    SUBMITTED = "submitted"
    COLLECTED = "collected"
    """Its results are in the ledger."""
    DROPPED = "dropped"
    """It was never handed in, or belongs to someone else: its cells are asked in another batch."""
    REFUSED = "refused"
    """The provider rejected it as a whole."""


UNFINISHED = (BatchState.PREPARED, BatchState.SUBMITTED)


class BatchCell(Struct, frozen=True):
    key: str
    question: str
    passages: bytes
    """As in `CellRecord`."""


class BatchItem(Struct, frozen=True):
    """One request of a batch: a question, or a group of questions, about a paper."""

    custom_id: str
    paper: str
    paper_sha256: str
    parser: str
    cells: tuple[BatchCell, ...]
    attempt: int = 1


class BatchContent(Struct, frozen=True):
    questions: tuple[Question, ...]
    items: tuple[BatchItem, ...]


class Batch(Struct, frozen=True):
    """Times are empty until then. `note` says why it was dropped or refused."""

    batch_id: str
    run: str
    reader: str
    state: BatchState
    cells: int
    prepared_at: str
    provider_id: str = ""
    submitted_at: str = ""
    ended_at: str = ""
    note: str = ""
    body: bytes = b""

    @property
    def content(self) -> BatchContent:
        return decompress(self.body, BatchContent)


build_decoders(BatchContent, Batch)


def prepare(run: str, reader: str, questions: Mapping[str, Question], items: Sequence[BatchItem]) -> Batch:
    cells = [cell for item in items for cell in item.cells]
    asked = tuple(questions[name] for name in dict.fromkeys(cell.question for cell in cells))
    body = compress(BatchContent(asked, tuple(items)))
    return Batch(uuid.uuid4().hex, run, reader, BatchState.PREPARED, len(cells), now(), body=body)


def keep(ledger: Ledger, batch: Batch) -> None:
    row = {"batch_id": batch.batch_id, **{name: str(getattr(batch, name)) for name in _COLUMNS}, "cells": batch.cells}
    row["state"] = batch.state.value
    with ledger.engine.begin() as connection:
        upsert(connection, BATCHES, [{**row, "body": batch.body, "checksum": _checksum(row, batch.body)}], by=("batch_id",))


def listed(ledger: Ledger, states: Collection[BatchState] = tuple(BatchState)) -> list[Batch]:
    """Oldest first. Raises LedgerDamaged if a row is not what was written: what it covers may be paid for."""
    query = select(BATCHES).where(BATCHES.c.state.in_([state.value for state in states])).order_by(BATCHES.c.prepared_at)
    return [from_row(dict(row)) for row in ledger.fetch(query)]


def load(ledger: Ledger, batch_id: str) -> Batch:
    (row,) = ledger.fetch(select(BATCHES).where(BATCHES.c.batch_id == batch_id))
    return from_row(dict(row))


def provider_ids(ledger: Ledger) -> set[str]:
    return {row["provider_id"] for row in ledger.fetch(select(BATCHES.c.provider_id)) if row["provider_id"]}


def keep_results(ledger: Ledger, run: str, cells: Sequence[tuple[Cell, Sequence[str]]], calls: Sequence[Call]) -> None:
    """Cells, each with the names of the papers of the run that it answers for, and their calls."""
    records, at = [(record_of(cell), cell, names) for cell, names in cells], now()
    with ledger.engine.begin() as connection:
        upsert(connection, CALLS, [as_row(call) for call in calls], by=("call_id",))
        upsert(connection, ANSWERS, [answer_row(record, cell.paper_sha256, at) for record, cell, _ in records], by=("cell_key",))
        links = [link_row(run, name, record) for record, _, names in records for name in names]
        upsert(connection, RUN_CELLS, links, by=("run", "paper", "question", "reader"))


def from_row(row: Mapping[str, Any]) -> Batch:
    verify(row["batch_id"], *_parts(row), row["body"], expected=row["checksum"], what=f"batch {row['batch_id'][:8]}")
    values = {name: row[name] for name in ("batch_id", *_COLUMNS, "body")}
    return Batch(**{**values, "state": BatchState(row["state"])})


def _checksum(row: Mapping[str, Any], body: bytes) -> str:
    return checksum(str(row["batch_id"]), *_parts(row), body)


def _parts(row: Mapping[str, Any]) -> list[str]:
    return [str(row[name]) for name in _COLUMNS]
