"""The ledger's schema, as numbered steps. Append only: a step that has shipped is never edited."""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    column,
    func,
    inspect,
    select,
    table,
    text,
    tuple_,
    update,
)

from methodlens.errors import LedgerDamaged, LedgerError, LedgerTooNew
from methodlens.ledger.backends import LONG_NAMES, lock_schema
from methodlens.ledger.packing import checksum, compress, decompress, pack, verify
from methodlens.ledger.tables import LISTINGS, RUN_PAPERS, RUNS
from methodlens.ledger.views import create_views


def _papers_cells_and_runs(connection: Connection) -> None:
    """1: each paper and each cell once, by content; what every run asked, and which cell answers it."""
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


def _annotations(connection: Connection) -> None:
    """2: what people said of a cell. Each word is kept with its time; the latest of a person counts, none is overwritten."""
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


def _calls(connection: Connection) -> None:
    """3: each asking of a reader, noted before it begins and when it has ended. One without an end was cut short."""
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


def _claims(connection: Connection) -> None:
    """4: which driver is at work on which paper, until when. And names of any length, which SQLite never minded."""
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


def _listings(connection: Connection) -> None:
    """5: the names of a run's papers in pages of their own: its row no longer grows with the corpus."""
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
            run: dict[str, Any] = _inflate(row.body, row.run, row.checksum)
        except LedgerDamaged:  # it stays so, and is named when it is read
            continue
        names = run["papers"]
        body = compress({**run, "papers": len(names)})
        connection.execute(update(RUNS).where(RUNS.c.run == row.run).values(body=body, checksum=checksum(row.run, body)))
        for number in range(-(-len(names) // 500)):
            page = compress(names[number * 500 : (number + 1) * 500])
            mark = checksum(f"{row.run}{number}", page)
            connection.execute(LISTINGS.insert().values(run=row.run, page=number, body=page, checksum=mark))


def _papers_by_content(connection: Connection) -> None:
    """6: a run's papers can be asked for by the checksum of their files, people's words by time, and calls that have no end."""
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
                entry: dict[str, Any] = _inflate(row.body, row.run + row.paper, row.checksum)
            except LedgerDamaged:  # it stays so, and is named when it is read
                continue
            known = update(RUN_PAPERS).where(RUN_PAPERS.c.run == row.run, RUN_PAPERS.c.paper == row.paper)
            connection.execute(known.values(sha256=entry["sha256"]))
        rows = connection.execute(query.where(tuple_(*key) > tuple_(rows[-1].run, rows[-1].paper))).all()


def _deciding_facts(connection: Connection) -> None:
    """7: a question names its deciding fact, which was the first of its facts until now."""
    for row in connection.execute(select(RUNS.c.run, RUNS.c.body, RUNS.c.checksum)).all():
        try:
            run: dict[str, Any] = _inflate(row.body, row.run, row.checksum)
        except LedgerDamaged:  # reported when it is read
            continue
        for question in run["questions"]:
            question.setdefault("decided_by", next(iter(question.get("facts", ())), ""))
        body = compress(run)
        connection.execute(update(RUNS).where(RUNS.c.run == row.run).values(body=body, checksum=checksum(row.run, body)))


def _inflate(body: bytes, key: str, expected: str) -> Any:
    """A body as it was stored before step 8; raises LedgerDamaged."""
    verify(key, body, expected=expected, what="a row")
    return decompress(body, object)


def _plain_sql(connection: Connection) -> None:
    """8: bodies are JSON text, so that plain SQL can read them; the names people would look for are views."""
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
        for row in _rows(connection, name, keys):
            key = "".join(str(row[part]) for part in keys)
            try:
                body = pack(_inflate(row["body"], key, row["checksum"]))
                changed: dict[str, Any] = {"body": body, "checksum": checksum(key, body)}
            except (LedgerDamaged, ValueError, zlib.error):
                changed = _DAMAGED
            connection.execute(target.insert().values({**row, **changed}))
    for row in _rows(connection, "cells", ["cell_key"]):
        connection.execute(answers.insert().values({**row, **_answer(row)}))
    for name in (*tables, "cells"):
        connection.execute(text(f"DROP TABLE {name}"))
    connection.execute(text("ALTER TABLE papers RENAME TO paper_texts"))
    for name, target in tables.items():
        if target.name.endswith("_8"):
            connection.execute(text(f"ALTER TABLE {target.name} RENAME TO {name}"))
    connection.execute(text("CREATE INDEX run_papers_by_content ON run_papers (run, sha256)"))
    connection.execute(text("CREATE INDEX annotations_by_time ON annotation_log (at, annotator)"))


_DAMAGED: dict[str, Any] = {"body": "{}", "checksum": "damaged before the ledger was upgraded"}


def _answer(row: Mapping[str, Any]) -> dict[str, Any]:
    """A cell in two parts: what people query, and the spans of its passages."""
    try:
        cell = _inflate(row["body"], row["cell_key"], row["checksum"])
        passages = compress(cell.pop("hits"))
        body = pack({"key": row["cell_key"], **cell})
    except (LedgerDamaged, ValueError, KeyError, zlib.error):
        return {**_DAMAGED, "paper_sha256": "", "passages": b""}
    mark = checksum(row["cell_key"], body, passages)
    return {"paper_sha256": cell["paper_sha256"], "body": body, "passages": passages, "checksum": mark}


def _rows(connection: Connection, name: str, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    """All rows of a table in the order of their keys, 500 at a time."""
    order: list[ColumnElement[Any]] = [column(key) for key in keys]
    query = select(text("*")).select_from(table(name)).order_by(*order).limit(500)
    rows = connection.execute(query).mappings().all()
    while rows:
        yield from map(dict, rows)
        last = tuple(rows[-1][key] for key in keys)
        rows = connection.execute(query.where(tuple_(*order) > tuple_(*last))).mappings().all()


STEPS: tuple[Callable[[Connection], None], ...] = (
    _papers_cells_and_runs,
    _annotations,
    _calls,
    _claims,
    _listings,
    _papers_by_content,
    _deciding_facts,
    _plain_sql,
)

_VERSION = Table("schema_version", MetaData(), Column("version", Integer, primary_key=True))
_OURS = frozenset({"papers", "cells", "runs", "run_papers", "run_cells", "annotations", "calls", "claims", "listings", "answers"})


def version_of(connection: Connection) -> int:
    """0 where there is no ledger yet."""
    if not inspect(connection).has_table(_VERSION.name):
        return 0
    return connection.execute(select(func.max(_VERSION.c.version))).scalar() or 0


def migrate(connection: Connection, *, source: str) -> None:
    """Bring the schema up to date inside the caller's transaction; refuse one from the future, and tables of something else."""
    if version_of(connection) == len(STEPS):
        return
    lock_schema(connection)
    version = version_of(connection)
    if version > len(STEPS):
        raise LedgerTooNew(
            f"{source} was written by a newer methodlens (schema {version}, this one knows {len(STEPS)})",
            "upgrade methodlens, or choose another --out or --ledger",
        )
    if not version and (taken := sorted(_OURS & set(inspect(connection).get_table_names()))):
        raise LedgerError(
            f"{source} holds tables of something else ({', '.join(taken)})", "give the ledger a database of its own"
        )
    if not inspect(connection).has_table(_VERSION.name):
        _VERSION.create(connection)
    for number, step in enumerate(STEPS[version:], version + 1):
        step(connection)
        connection.execute(_VERSION.insert().values(version=number))
    create_views(connection)
