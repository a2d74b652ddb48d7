"""The names of a run's papers, in order: pages with a checksum, so that they need not all be in memory."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, select

from methodlens.ledger.packing import checksum, pack, unpack
from methodlens.ledger.tables import LISTINGS, RUN_CELLS, RUN_PAPERS, RUN_REPOSITORIES, RUN_SUPPLEMENTS, upsert

PAGE = 500
"""Names per row, and papers that reports read at once."""
_BATCH = 5000


def write(connection: Connection, run: str, names: Sequence[str]) -> None:
    """Replaces the list; only changed pages are written. Papers that are no longer listed leave the run."""
    pages = range(0, len(names), PAGE)
    for number, start in enumerate(pages):
        row = _row(run, number, names[start : start + PAGE])
        stored = _stored(connection, run, number)
        if stored is None or (stored["body"], stored["checksum"]) != (row["body"], row["checksum"]):
            upsert(connection, LISTINGS, [row], by=("run", "page"))
    connection.execute(delete(LISTINGS).where(LISTINGS.c.run == run, LISTINGS.c.page >= len(pages)))
    listed = set(names)
    for name in _reached(connection, run):
        if name not in listed:
            for table in (RUN_PAPERS, RUN_CELLS, RUN_REPOSITORIES, RUN_SUPPLEMENTS):
                connection.execute(delete(table).where(table.c.run == run, table.c.paper == name))


def page(connection: Connection, run: str, number: int) -> Sequence[str]:
    """The names on one page, numbered from 0; none after the last."""
    row = _stored(connection, run, number)
    if row is None:
        return ()
    what = f"the list of papers of run {run[:8]}"
    return unpack(row["body"], tuple[str, ...], key=f"{run}{number}", expected=row["checksum"], what=what)


def _stored(connection: Connection, run: str, number: int) -> RowMapping | None:
    return connection.execute(select(LISTINGS).where(LISTINGS.c.run == run, LISTINGS.c.page == number)).mappings().first()


def _row(run: str, number: int, names: Sequence[str]) -> dict[str, Any]:
    body = pack(names)
    return {"run": run, "page": number, "body": body, "checksum": checksum(f"{run}{number}", body)}


def _reached(connection: Connection, run: str) -> Iterator[str]:
    """The names of the papers that the run has reached, fetched in batches."""
    query = select(RUN_PAPERS.c.paper).where(RUN_PAPERS.c.run == run).order_by(RUN_PAPERS.c.paper).limit(_BATCH)
    names = connection.execute(query).scalars().all()
    while names:
        yield from names
        names = connection.execute(query.where(RUN_PAPERS.c.paper > names[-1])).scalars().all()
