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


def _create(connection: Connection, name: str, *columns: Column[Any]) -> None:
    metadata = MetaData()
    Table(name, metadata, *columns)
    metadata.create_all(connection)


def _keys(**sizes: int) -> list[Column[Any]]:
    return [Column(name, String(size), primary_key=True) for name, size in sizes.items()]


def _texts(**sizes: int) -> list[Column[Any]]:
    return [Column(name, String(size), nullable=False) for name, size in sizes.items()]


def _checked() -> list[Column[Any]]:
    return [Column("body", LargeBinary, nullable=False), *_texts(checksum=64)]


def papers_cells_and_runs(connection: Connection) -> None:
    """1: papers and cells by content, the questions of each run, and the cells that answer them."""
    _create(connection, "papers", *_keys(sha256=64, parser=80), *_checked())
    _create(connection, "cells", *_keys(cell_key=64), *_texts(status=20), *_checked(), *_texts(asked_at=32))
    _create(connection, "runs", *_keys(run=64), *_checked(), *_texts(started_at=32), Column("ended_at", String(32)))
    _create(connection, "run_papers", *_keys(run=64, paper=1000), *_texts(parser=80), *_checked())
    _create(connection, "run_cells", *_keys(run=64, paper=1000, question=200, reader=200), *_texts(cell_key=64))


def annotations(connection: Connection) -> None:
    """2: annotations with their times. The last one of each person counts; none is overwritten."""
    _create(connection, "annotations", *_keys(paper_sha256=64, question=200, annotator=200, at=32), *_checked())


def calls(connection: Connection) -> None:
    """3: calls to readers, recorded before they start and when they end. One without an end was interrupted."""
    _create(
        connection,
        "calls",
        *_keys(call_id=32),
        Column("run", String(64), nullable=False, index=True),
        *_texts(paper=1000, question=200, reader=200, cell_key=64, started_at=32),
        Column("ended_at", String(32)),
        *_texts(outcome=20),
        Column("seconds", Float, nullable=False),
        *(Column(name, Integer, nullable=False) for name in ("tokens_in", "tokens_out", "requests")),
        Column("cost", Float),
        Column("joules", Float),
        Column("estimated", Boolean, nullable=False),
        *_texts(checksum=64),
    )


def claims(connection: Connection) -> None:
    """4: which driver works on which paper, and until when. Also, names of any length, which SQLite always allowed."""
    _create(
        connection,
        "claims",
        *_keys(sha256=64),
        *_texts(owner=100),
        Column("until", Float, nullable=False),
        *_texts(run=64),
        Column("paper", Text, nullable=False),
        Column("done_at", Float),
    )
    for statement in LONG_NAMES.get(connection.dialect.name, ()):
        connection.execute(text(statement))


def listings(connection: Connection) -> None:
    """5: the names of a run's papers in pages, so that the row of a run does not grow with the corpus."""
    page = Column("page", Integer, primary_key=True, autoincrement=False)
    _create(connection, "listings", *_keys(run=64), page, *_checked())
    for row in connection.execute(select(RUNS.c.run, RUNS.c.body, RUNS.c.checksum)).all():
        try:
            run: dict[str, Any] = inflate(row.body, row.run, row.checksum)
        except LedgerDamaged:  # reported when it is read
            continue
        names = run["papers"]
        body = compress({**run, "papers": len(names)})
        connection.execute(update(RUNS).where(RUNS.c.run == row.run).values(body=body, checksum=checksum(row.run, body)))
        for number in range(-(-len(names) // 500)):
            body = compress(names[number * 500 : (number + 1) * 500])
            mark = checksum(f"{row.run}{number}", body)
            connection.execute(LISTINGS.insert().values(run=row.run, page=number, body=body, checksum=mark))


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
