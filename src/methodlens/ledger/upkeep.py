"""Maintenance: verify every row against its checksum, and copy a ledger to another.

Both go through the tables page by page, in the order of their keys, so memory does not grow with the corpus.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Select, TableClause, func, select, tuple_

from methodlens.errors import LedgerDamaged
from methodlens.ledger import audit_trail, batches, recalibrations, repositories, supplements
from methodlens.ledger.annotations import KEY
from methodlens.ledger.calls import Outcome, from_row
from methodlens.ledger.listing import PAGE
from methodlens.ledger.packing import unpack
from methodlens.ledger.paper_results import entry_from_row, paper_from_row, stored_cell
from methodlens.ledger.recalibrations import StoredRecalibration
from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.tables import (
    ANNOTATIONS,
    ANSWERS,
    AUDIT_TRAIL,
    BATCHES,
    CALLS,
    LISTINGS,
    RECALIBRATIONS,
    REPOSITORIES,
    RUN_CELLS,
    RUN_PAPERS,
    RUN_REPOSITORIES,
    RUN_SUPPLEMENTS,
    RUNS,
    TEAM_MEMBERS,
    TEXTS,
    upsert,
)
from methodlens.ledger.team_members import member_from_row
from methodlens.records import Annotation

Row = Mapping[str, Any]
T = TypeVar("T")
Watch = Callable[[object], None]
_RERUN = "rerun 'methodlens run' to rebuild it"


class Fault(Struct, frozen=True):
    """A row that differs from what was written, and what to do about it."""

    table: str
    key: str
    problem: str
    fix: str


class Copied(Struct, frozen=True):
    """`written` rows were new or different; `unchanged` ones were there already; damaged ones are left out."""

    written: int
    unchanged: int
    damaged: tuple[Fault, ...]


class Kind(NamedTuple):
    """A table: its key, how a row is verified, and how a damaged row can be restored."""

    table: TableClause
    key: tuple[str, ...]
    check: Callable[[Row], object]
    fix: str
    page: int = 500


def _packed(type: type[T], *names: str) -> Callable[[Row], T]:
    """Verifies the body together with the key columns."""
    return lambda row: unpack(
        row["body"], type, key="".join(str(row[name]) for name in names), expected=row["checksum"], what="it"
    )


def _cell(row: Row) -> None:
    cell = stored_cell(row)
    if cell.verdict.status.value != row["status"]:  # a column for queries, which no checksum covers
        raise LedgerDamaged(f"its status is {row['status']}, but its body says {cell.verdict.status.value}")


def _entry(row: Row) -> None:
    if entry_from_row(row).sha256 != row["sha256"]:  # likewise
        raise LedgerDamaged("its sha256 column differs from its body")


def _call(row: Row) -> None:
    if from_row(row).outcome is Outcome.DAMAGED:
        raise LedgerDamaged("its checksum does not match")


def _link(_row: Row) -> None:
    """Verified by `_unlinked`."""


_run = _packed(Run, "run")
_RUN = Kind(RUNS, ("run",), _run, "rerun 'methodlens run'")
KINDS = (
    Kind(TEXTS, ("sha256", "parser"), lambda row: paper_from_row(row, what="it"), _RERUN, page=20),
    Kind(ANSWERS, ("cell_key",), _cell, _RERUN),
    Kind(LISTINGS, ("run", "page"), _packed(tuple[str, ...], "run", "page"), _RERUN, page=50),
    Kind(RUN_PAPERS, ("run", "paper"), _entry, _RERUN),
    Kind(RUN_CELLS, ("run", "paper", "question", "reader"), _link, _RERUN),
    Kind(CALLS, ("call_id",), _call, "its cost is lost; 'methodlens ledger copy' to a new ledger leaves it out"),
    Kind(ANNOTATIONS, KEY, _packed(Annotation, *KEY), "import the sheet again: methodlens annotate import"),
    Kind(TEAM_MEMBERS, ("name",), member_from_row, "add the member again: methodlens team add"),
    Kind(AUDIT_TRAIL, ("entry_id",), audit_trail.from_row, "what it said is lost"),
    Kind(
        RECALIBRATIONS,
        recalibrations.KEY,
        _packed(StoredRecalibration, *recalibrations.KEY),
        "fit it again: methodlens calibrate --apply",
    ),
    Kind(REPOSITORIES, ("repository_key",), repositories.from_row, _RERUN, page=50),
    Kind(RUN_REPOSITORIES, ("run", "paper"), _link, _RERUN),
    Kind(RUN_SUPPLEMENTS, supplements.KEY, supplements.from_row, _RERUN),
    Kind(BATCHES, ("batch_id",), batches.from_row, "fetch its results from the provider by hand: its cells may be paid for"),
    _RUN,  # last, so that a copied run has its papers
)


def size(ledger: Ledger) -> int:
    """The number of rows."""
    with ledger.engine.connect() as connection:
        return sum(connection.execute(select(func.count()).select_from(kind.table)).scalar_one() for kind in KINDS)


def check(ledger: Ledger, *, watch: Watch = lambda _: None) -> Iterator[Fault]:
    """Every damaged row, and every link to a missing cell. `watch` is called with each row."""
    with ledger.engine.connect() as connection:
        for kind in KINDS:
            for rows in _pages(connection, kind):
                for row in rows:
                    watch(row)
                    if fault := _fault(kind, row):
                        yield fault
                if kind.table in _LINKED:
                    yield from _unlinked(connection, kind, rows)
                if kind.table is RUNS:
                    yield from _without_pages(connection, rows)


def copy(source: Ledger, target: Ledger, *, watch: Watch = lambda _: None) -> Copied:
    """Copy all rows of `source` to `target`, replacing those with the same key. Rerun to resume."""
    written = unchanged = 0
    damaged: list[Fault] = []
    with source.engine.connect() as reading:
        for kind in KINDS:
            for rows in _pages(reading, kind):
                with target.engine.begin() as writing:
                    present = _marks(writing, kind, rows)
                    new = [row for row in rows if present.get(_key(kind, row)) != _mark(kind, row)]
                    broken = {_key(kind, row): fault for row in new if (fault := _fault(kind, row))}
                    intact = [_typed(row) for row in new if _key(kind, row) not in broken]
                    upsert(writing, kind.table, intact, by=kind.key)
                damaged += broken.values()
                written += len(intact)
                unchanged += len(rows) - len(new)
                for row in rows:
                    watch(row)
    return Copied(written, unchanged, tuple(damaged))


def _pages(connection: Connection, kind: Kind) -> Iterator[Sequence[Row]]:
    columns = [kind.table.c[name] for name in kind.key]
    query = select(kind.table).order_by(*columns).limit(kind.page)
    page = _rows(connection, query)
    while page:
        yield page
        page = _rows(connection, query.where(tuple_(*columns) > tuple_(*_key(kind, page[-1]))))


def _rows(connection: Connection, query: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(query).mappings()]


def _key(kind: Kind, row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in kind.key)


def _named(kind: Kind, row: Row) -> str:
    return " ".join(map(str, _key(kind, row)))


def _mark(kind: Kind, row: Row) -> tuple[Any, ...]:
    """What distinguishes two rows with the same key, times and bodies aside."""
    names = ("checksum", "status", "cell_key", "repository_key", "sha256", "ended_at")
    return tuple(row[name] for name in names if name in kind.table.c)


def _marks(connection: Connection, kind: Kind, rows: Sequence[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    columns = [column for column in kind.table.c if column.name != "body"]
    keys = tuple_(*(kind.table.c[name] for name in kind.key))
    query = select(*columns).where(keys.in_([_key(kind, row) for row in rows]))
    return {_key(kind, row): _mark(kind, row) for row in _rows(connection, query)}


def _typed(row: Row) -> dict[str, Any]:
    """SQLite has no booleans; PostgreSQL requires them."""
    return {**row, "estimated": bool(row["estimated"])} if "estimated" in row else dict(row)


def _fault(kind: Kind, row: Row) -> Fault | None:
    try:
        kind.check(row)
    except LedgerDamaged as err:
        return Fault(kind.table.name, _named(kind, row), err.problem, kind.fix)
    except (msgspec.MsgspecError, ValueError) as err:  # the checksum matches, so a newer methodlens wrote it
        return Fault(kind.table.name, _named(kind, row), f"it cannot be read ({err})", kind.fix)
    return None


_LINKED: Mapping[TableClause, tuple[TableClause, str, str]] = {
    RUN_CELLS: (ANSWERS, "cell_key", "its cell is missing"),
    RUN_REPOSITORIES: (REPOSITORIES, "repository_key", "its repository is missing"),
}
"""Tables of links: the table and column that they refer to, and what is wrong if that has no such row."""


def _unlinked(connection: Connection, kind: Kind, rows: Sequence[Row]) -> Iterator[Fault]:
    table, name, problem = _LINKED[kind.table]
    column = table.c[name]
    present = set(connection.execute(select(column).where(column.in_({row[name] for row in rows}))).scalars())
    for row in rows:
        if row[name] not in present:
            yield Fault(kind.table.name, _named(kind, row), problem, _RERUN)


def _without_pages(connection: Connection, rows: Sequence[Row]) -> Iterator[Fault]:
    """Runs whose list of papers is incomplete: no checksum covers a missing row."""
    for row in rows:
        if _fault(_RUN, row):
            continue  # reported already
        expected = -(-_run(row).papers // PAGE)
        pages = connection.execute(select(func.count()).where(LISTINGS.c.run == row["run"])).scalar_one()
        if pages != expected:
            yield Fault(LISTINGS.name, row["run"], f"it has {pages} of {expected} pages of its list of papers", _RERUN)
