"""Steps 7 and 8 of the schema, shipped with 0.2.0: bodies become JSON text."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    column,
    select,
    table,
    text,
    tuple_,
    update,
)

from methodlens.errors import LedgerDamaged
from methodlens.ledger.packing import checksum, compress, pack
from methodlens.ledger.steps_0_1 import inflate
from methodlens.ledger.tables import RUNS


def deciding_facts(connection: Connection) -> None:
    """7: each question names its deciding fact; before, it was the first of its facts."""
    for row in connection.execute(select(RUNS.c.run, RUNS.c.body, RUNS.c.checksum)).all():
        try:
            run: dict[str, Any] = inflate(row.body, row.run, row.checksum)
        except LedgerDamaged:  # reported when it is read
            continue
        for question in run["questions"]:
            question.setdefault("decided_by", next(iter(question.get("facts", ())), ""))
        body = compress(run)
        connection.execute(update(RUNS).where(RUNS.c.run == row.run).values(body=body, checksum=checksum(row.run, body)))


def plain_sql(connection: Connection) -> None:
    """8: bodies are JSON text that plain SQL can read; `papers`, `cells` and `annotations` become views."""
    metadata = MetaData()

    def checked() -> tuple[Column[Any], ...]:
        return Column("body", Text, nullable=False), Column("checksum", String(64), nullable=False)

    def run_key() -> Column[Any]:
        return Column("run", String(64), primary_key=True)

    tables = {
        "runs": Table(
            "runs_8",
            metadata,
            run_key(),
            *checked(),
            Column("started_at", String(32), nullable=False),
            Column("ended_at", String(32)),
        ),
        "listings": Table(
            "listings_8", metadata, run_key(), Column("page", Integer, primary_key=True, autoincrement=False), *checked()
        ),
        "run_papers": Table(
            "run_papers_8",
            metadata,
            run_key(),
            Column("paper", Text, primary_key=True),
            Column("sha256", String(64), nullable=False),
            Column("parser", Text, nullable=False),
            *checked(),
        ),
        "annotations": Table(
            "annotation_log",
            metadata,
            *(Column(name, Text, primary_key=True) for name in ("paper_sha256", "question", "annotator", "at")),
            *checked(),
        ),
    }
    answers = Table(
        "answers",
        metadata,
        Column("cell_key", String(64), primary_key=True),
        Column("paper_sha256", String(64), nullable=False, index=True),
        Column("status", String(20), nullable=False),
        *checked(),
        Column("passages", LargeBinary, nullable=False),
        Column("asked_at", String(32), nullable=False),
    )
    metadata.create_all(connection)
    for name, target in tables.items():
        keys = [column.name for column in target.primary_key]
        for page in _pages(connection, name, keys):
            connection.execute(target.insert(), [{**row, **_json_body(row, keys)} for row in page])
    for page in _pages(connection, "cells", ["cell_key"]):
        connection.execute(answers.insert(), [{**row, **_answer(row)} for row in page])
    for name in (*tables, "cells"):
        connection.execute(text(f"DROP TABLE {name}"))
    connection.execute(text("ALTER TABLE papers RENAME TO paper_texts"))
    for name, target in tables.items():
        if target.name.endswith("_8"):
            connection.execute(text(f"ALTER TABLE {target.name} RENAME TO {name}"))
    connection.execute(text("CREATE INDEX run_papers_by_content ON run_papers (run, sha256)"))
    connection.execute(text("CREATE INDEX annotations_by_time ON annotation_log (at, annotator)"))


_DAMAGED: dict[str, Any] = {"body": "{}", "checksum": "damaged before the ledger was upgraded"}


def _json_body(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    key = "".join(str(row[part]) for part in keys)
    try:
        body = pack(inflate(row["body"], key, row["checksum"]))
    except (LedgerDamaged, ValueError, zlib.error):
        return _DAMAGED
    return {"body": body, "checksum": checksum(key, body)}


def _answer(row: Mapping[str, Any]) -> dict[str, Any]:
    """A cell in two parts: what people query, and the positions of its passages."""
    try:
        cell = inflate(row["body"], row["cell_key"], row["checksum"])
        passages = compress(cell.pop("hits"))
        body = pack({"key": row["cell_key"], **cell})
    except (LedgerDamaged, ValueError, KeyError, zlib.error):
        return {**_DAMAGED, "paper_sha256": "", "passages": b""}
    mark = checksum(row["cell_key"], body, passages)
    return {"paper_sha256": cell["paper_sha256"], "body": body, "passages": passages, "checksum": mark}


def _pages(connection: Connection, name: str, keys: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    """All rows of a table in the order of their keys, 500 at a time."""
    order: list[ColumnElement[Any]] = [column(key) for key in keys]
    query = select(text("*")).select_from(table(name)).order_by(*order).limit(500)
    page = connection.execute(query).mappings().all()
    while page:
        yield [dict(row) for row in page]
        last = tuple(page[-1][key] for key in keys)
        page = connection.execute(query.where(tuple_(*order) > tuple_(*last))).mappings().all()
