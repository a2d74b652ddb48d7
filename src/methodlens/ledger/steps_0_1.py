"""Steps 1 to 6 of the schema, shipped with 0.1.0: never edited. Bodies are compressed JSON with a checksum."""

from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    select,
    text,
    tuple_,
    update,
)

from methodlens.errors import LedgerDamaged
from methodlens.ledger.backends import LONG_NAMES
from methodlens.ledger.packing import checksum, compress, decompress, verify
from methodlens.ledger.tables import LISTINGS, RUN_PAPERS, RUNS


def papers_cells_and_runs(connection: Connection) -> None:
    """1: papers and cells by content, the questions of each run, and the cells that answer them."""
    metadata = MetaData()
    Table(
        "papers",
        metadata,
        Column("sha256", String(64), primary_key=True),
        Column("parser", String(80), primary_key=True),
        Column("body", LargeBinary, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    Table(
        "cells",
        metadata,
        Column("cell_key", String(64), primary_key=True),
        Column("status", String(20), nullable=False),
        Column("body", LargeBinary, nullable=False),
        Column("checksum", String(64), nullable=False),
        Column("asked_at", String(32), nullable=False),
    )
    Table(
        "runs",
        metadata,
        Column("run", String(64), primary_key=True),
        Column("body", LargeBinary, nullable=False),
        Column("checksum", String(64), nullable=False),
        Column("started_at", String(32), nullable=False),
        Column("ended_at", String(32)),
    )
    Table(
        "run_papers",
        metadata,
        Column("run", String(64), primary_key=True),
        Column("paper", String(1000), primary_key=True),
        Column("parser", String(80), nullable=False),
        Column("body", LargeBinary, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    Table(
        "run_cells",
        metadata,
        Column("run", String(64), primary_key=True),
        Column("paper", String(1000), primary_key=True),
        Column("question", String(200), primary_key=True),
        Column("reader", String(200), primary_key=True),
        Column("cell_key", String(64), nullable=False),
    )
    metadata.create_all(connection)


def annotations(connection: Connection) -> None:
    """2: annotations with their times. The last one of each person counts; none is overwritten."""
    metadata = MetaData()
    Table(
        "annotations",
        metadata,
        Column("paper_sha256", String(64), primary_key=True),
        Column("question", String(200), primary_key=True),
        Column("annotator", String(200), primary_key=True),
        Column("at", String(32), primary_key=True),
        Column("body", LargeBinary, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    metadata.create_all(connection)


def calls(connection: Connection) -> None:
    """3: calls to readers, recorded before they start and when they end. One without an end was interrupted."""
    metadata = MetaData()
    Table(
        "calls",
        metadata,
        Column("call_id", String(32), primary_key=True),
        Column("run", String(64), nullable=False, index=True),
        Column("paper", String(1000), nullable=False),
        Column("question", String(200), nullable=False),
        Column("reader", String(200), nullable=False),
        Column("cell_key", String(64), nullable=False),
        Column("started_at", String(32), nullable=False),
        Column("ended_at", String(32)),
        Column("outcome", String(20), nullable=False),
        Column("seconds", Float, nullable=False),
        Column("tokens_in", Integer, nullable=False),
        Column("tokens_out", Integer, nullable=False),
        Column("requests", Integer, nullable=False),
        Column("cost", Float),
        Column("joules", Float),
        Column("estimated", Boolean, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    metadata.create_all(connection)


def claims(connection: Connection) -> None:
    """4: which driver works on which paper, and until when. Also, names of any length, which SQLite always allowed."""
    metadata = MetaData()
    Table(
        "claims",
        metadata,
        Column("sha256", String(64), primary_key=True),
        Column("owner", String(100), nullable=False),
        Column("until", Float, nullable=False),
        Column("run", String(64), nullable=False),
        Column("paper", Text, nullable=False),
        Column("done_at", Float),
    )
    metadata.create_all(connection)
    for statement in LONG_NAMES.get(connection.dialect.name, ()):
        connection.execute(text(statement))


def listings(connection: Connection) -> None:
    """5: the names of a run's papers in pages, so that the row of a run does not grow with the corpus."""
    metadata = MetaData()
    Table(
        "listings",
        metadata,
        Column("run", String(64), primary_key=True),
        Column("page", Integer, primary_key=True, autoincrement=False),
        Column("body", LargeBinary, nullable=False),
        Column("checksum", String(64), nullable=False),
    )
    metadata.create_all(connection)
    for row in connection.execute(select(RUNS.c.run, RUNS.c.body, RUNS.c.checksum)).all():
        try:
            run: dict[str, Any] = inflate(row.body, row.run, row.checksum)
        except LedgerDamaged:  # reported when it is read
            continue
        names = run["papers"]
        body = compress({**run, "papers": len(names)})
        connection.execute(update(RUNS).where(RUNS.c.run == row.run).values(body=body, checksum=checksum(row.run, body)))
        for number in range(-(-len(names) // 500)):
            page = compress(names[number * 500 : (number + 1) * 500])
            mark = checksum(f"{row.run}{number}", page)
            connection.execute(LISTINGS.insert().values(run=row.run, page=number, body=page, checksum=mark))


def papers_by_content(connection: Connection) -> None:
    """6: indexes to find a run's papers by the SHA-256 of their files, annotations by time, and calls without an end."""
    if "sha256" not in {column["name"] for column in inspect(connection).get_columns("run_papers")}:
        connection.execute(text("ALTER TABLE run_papers ADD COLUMN sha256 VARCHAR(64) NOT NULL DEFAULT ''"))
    connection.execute(text("CREATE INDEX IF NOT EXISTS run_papers_by_content ON run_papers (run, sha256)"))
    connection.execute(text("CREATE INDEX IF NOT EXISTS annotations_by_time ON annotations (at, annotator)"))
    connection.execute(text("CREATE INDEX IF NOT EXISTS calls_open ON calls (outcome) WHERE outcome = 'open'"))
    key = (RUN_PAPERS.c.run, RUN_PAPERS.c.paper)
    query = select(*key, RUN_PAPERS.c.body, RUN_PAPERS.c.checksum).order_by(*key).limit(500)
    rows = connection.execute(query).all()
    while rows:
        for row in rows:
            try:
                entry: dict[str, Any] = inflate(row.body, row.run + row.paper, row.checksum)
            except LedgerDamaged:  # reported when it is read
                continue
            known = update(RUN_PAPERS).where(RUN_PAPERS.c.run == row.run, RUN_PAPERS.c.paper == row.paper)
            connection.execute(known.values(sha256=entry["sha256"]))
        rows = connection.execute(query.where(tuple_(*key) > tuple_(rows[-1].run, rows[-1].paper))).all()


def inflate(body: bytes, key: str, expected: str) -> Any:
    """A body as it was stored before step 8; raises LedgerDamaged."""
    verify(key, body, expected=expected, what="a row")
    return decompress(body, object)
