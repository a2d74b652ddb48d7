"""Looking after a ledger: every row held against its checksum, and everything taken from one ledger to another.

Both go through the tables page by page, in the order of their keys, so neither grows with the corpus.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Select, TableClause, func, select, tuple_

from methodlens.errors import LedgerDamaged
from methodlens.ledger.annotations import KEY
from methodlens.ledger.calls import Outcome, from_row
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.listing import PAGE
from methodlens.ledger.packing import StoredCell, checksum, unpack
from methodlens.ledger.tables import ANNOTATIONS, CALLS, CELLS, LISTINGS, PAPERS, RUN_CELLS, RUN_PAPERS, RUNS, replace_rows
from methodlens.records import Annotation, Paper, PaperEntry

Row = Mapping[str, Any]
T = TypeVar("T")
Watch = Callable[[object], None]
_RUN_AGAIN = "start the same 'methodlens run' again: it is made anew"


class Fault(Struct, frozen=True):
    """A row that is not as it was written, and what to do about it."""

    table: str
    key: str
    problem: str
    fix: str


class Copied(Struct, frozen=True):
    """`written` rows were new or different; `stood` were there already; damaged ones are left out."""

    written: int
    stood: int
    damaged: tuple[Fault, ...]


class Kind(NamedTuple):
    """A table: by which columns its rows are known, how its rows are checked, and how a broken one comes back."""

    table: TableClause
    key: tuple[str, ...]
    check: Callable[[Row], None]
    fix: str
    page: int = 500


def _packed(type: type[Any], *names: str) -> Callable[[Row], None]:
    """Bodies are checked against the columns that they are kept under."""

    return lambda row: _unpacked(row, type, *names)


def _unpacked(row: Row, type: type[T], *names: str) -> T:
    key = "".join(str(row[name]) for name in names)
    if checksum(key, row["body"]) != row["checksum"]:
        raise LedgerDamaged("its checksum does not fit")
    return unpack(row["body"], type, key=key, expected=row["checksum"], what="it")


def _cell(row: Row) -> None:
    cell = _unpacked(row, StoredCell, "cell_key")
    if cell.verdict.status.value != row["status"]:  # a column beside the body, for queries: no checksum covers it
        raise LedgerDamaged(f"it is noted as {row['status']}, and holds {cell.verdict.status.value}")


def _entry(row: Row) -> None:
    if _unpacked(row, PaperEntry, "run", "paper").sha256 != row["sha256"]:  # such a column too
        raise LedgerDamaged("it is noted as another file than it holds")


def _call(row: Row) -> None:
    if from_row(row).outcome is Outcome.DAMAGED:
        raise LedgerDamaged("its checksum does not fit")


def _link(_row: Row) -> None:
    """Whether its cell is there is asked of the database."""


_RUN = Kind(RUNS, ("run",), _packed(Run, "run"), "start the same 'methodlens run' again")
KINDS = (
    Kind(PAPERS, ("sha256", "parser"), _packed(Paper, "sha256", "parser"), _RUN_AGAIN, page=20),
    Kind(CELLS, ("cell_key",), _cell, _RUN_AGAIN),
    Kind(LISTINGS, ("run", "page"), _packed(tuple[str, ...], "run", "page"), _RUN_AGAIN, page=50),
    Kind(RUN_PAPERS, ("run", "paper"), _entry, _RUN_AGAIN),
    Kind(RUN_CELLS, ("run", "paper", "question", "reader"), _link, _RUN_AGAIN),
    Kind(CALLS, ("call_id",), _call, "what it took is not known any more; 'methodlens ledger copy' to a new place leaves it out"),
    Kind(
        ANNOTATIONS,
        KEY,
        _packed(Annotation, *KEY),
        "take the sheet in again: methodlens annotate import",
    ),
    _RUN,  # last: a copied run has its papers
)


def size(ledger: Ledger) -> int:
    """How many rows there are to go through."""
    with ledger.engine.connect() as connection:
        return sum(connection.execute(select(func.count()).select_from(kind.table)).scalar_one() for kind in KINDS)


def check(ledger: Ledger, *, watch: Watch = lambda _: None) -> Iterator[Fault]:
    """Every row that is not as it was written, and every note of a cell that is not there. `watch` is told of each row."""
    with ledger.engine.connect() as connection:
        for kind in KINDS:
            for rows in _pages(connection, kind):
                for row in rows:
                    watch(row)
                    if fault := _fault(kind, row):
                        yield fault
                if kind.table is RUN_CELLS:
                    yield from _without_cell(connection, rows)
                if kind.table is RUNS:
                    yield from _without_pages(connection, rows)


def copy(source: Ledger, target: Ledger, *, watch: Watch = lambda _: None) -> Copied:
    """What `source` holds is then in `target` too; where both have a row, the source's stands. Started again, it goes on."""
    written = stood = 0
    damaged: list[Fault] = []
    with source.engine.connect() as reading:
        for kind in KINDS:
            for rows in _pages(reading, kind):
                with target.engine.begin() as writing:
                    there = _marks(writing, kind, rows)
                    new = [row for row in rows if there.get(_key(kind, row)) != _mark(kind, row)]
                    broken = {_key(kind, row): fault for row in new if (fault := _fault(kind, row))}
                    whole = [_typed(row) for row in new if _key(kind, row) not in broken]
                    replace_rows(writing, kind.table, whole, by=kind.key)
                damaged += broken.values()
                written += len(whole)
                stood += len(rows) - len(new)
                for row in rows:
                    watch(row)
    return Copied(written, stood, tuple(damaged))


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
    """What tells two rows of the same key apart, times and bodies aside."""
    names = ("checksum", "status", "cell_key", "sha256", "ended_at")
    return tuple(row[name] for name in names if name in kind.table.c)


def _marks(connection: Connection, kind: Kind, rows: Sequence[Row]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    columns = [column for column in kind.table.c if column.name != "body"]
    keys = tuple_(*(kind.table.c[name] for name in kind.key))
    query = select(*columns).where(keys.in_([_key(kind, row) for row in rows]))
    return {_key(kind, row): _mark(kind, row) for row in _rows(connection, query)}


def _typed(row: Row) -> dict[str, Any]:
    """SQLite has no booleans, PostgreSQL takes nothing else for one."""
    return {**row, "estimated": bool(row["estimated"])} if "estimated" in row else dict(row)


def _fault(kind: Kind, row: Row) -> Fault | None:
    try:
        kind.check(row)
    except LedgerDamaged as err:
        return Fault(kind.table.name, _named(kind, row), err.problem, kind.fix)
    except (msgspec.MsgspecError, ValueError) as err:  # the checksum fits, so a newer methodlens wrote it, or someone on purpose
        return Fault(kind.table.name, _named(kind, row), f"it cannot be read ({err})", kind.fix)
    return None


def _without_cell(connection: Connection, rows: Sequence[Row]) -> Iterator[Fault]:
    wanted = {row["cell_key"] for row in rows}
    there = set(connection.execute(select(CELLS.c.cell_key).where(CELLS.c.cell_key.in_(wanted))).scalars())
    for row in rows:
        if row["cell_key"] not in there:
            key = f"{row['paper']} {row['question']} {row['reader']}"
            yield Fault(RUN_CELLS.name, key, "the cell that answers it is not there", _RUN_AGAIN)


def _without_pages(connection: Connection, rows: Sequence[Row]) -> Iterator[Fault]:
    """Runs whose list of papers is shorter than it was: a row that is gone has no checksum to miss."""
    for row in rows:
        if _fault(_RUN, row):
            continue  # said already
        expected = -(-_unpacked(row, Run, "run").papers // PAGE)
        found = connection.execute(select(func.count()).where(LISTINGS.c.run == row["run"])).scalar_one()
        if found != expected:
            yield Fault(LISTINGS.name, row["run"], f"{found} pages of its papers are there, of {expected}", _RUN_AGAIN)
