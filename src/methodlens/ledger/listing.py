"""Which papers a run lists, in its order: pages of names, each a row with a checksum, so that nobody has to hold them all."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, select

from methodlens.ledger.packing import checksum, pack, unpack
from methodlens.ledger.tables import LISTINGS, RUN_CELLS, RUN_PAPERS, upsert

PAGE = 500
"""Names a row, and papers that are read at once."""
_KNOWN = 5000


def write(connection: Connection, run: str, names: Sequence[str]) -> None:
    """In place of what the run listed before; only pages that are others are written. What it no longer lists leaves the run."""
    pages = range(0, len(names), PAGE)
    for number, start in enumerate(pages):
        row = _row(run, number, names[start : start + PAGE])
        there = _stored(connection, run, number)
        if there is None or (there["body"], there["checksum"]) != (row["body"], row["checksum"]):
            upsert(connection, LISTINGS, [row], by=("run", "page"))
    connection.execute(delete(LISTINGS).where(LISTINGS.c.run == run, LISTINGS.c.page >= len(pages)))
    listed = set(names)
    for name in _known(connection, run):
        if name not in listed:
            for rows in (RUN_PAPERS, RUN_CELLS):
                connection.execute(delete(rows).where(rows.c.run == run, rows.c.paper == name))


def page(connection: Connection, run: str, number: int) -> Sequence[str]:
    """The names on one page, from 0; none after the last."""
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


def _known(connection: Connection, run: str) -> Iterator[str]:
    """The papers that the run has reached, by name, a few at a time."""
    query = select(RUN_PAPERS.c.paper).where(RUN_PAPERS.c.run == run).order_by(RUN_PAPERS.c.paper).limit(_KNOWN)
    some = connection.execute(query).scalars().all()
    while some:
        yield from some
        some = connection.execute(query.where(RUN_PAPERS.c.paper > some[-1])).scalars().all()
