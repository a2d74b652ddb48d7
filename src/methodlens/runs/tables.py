"""The ledger's tables as queries name them; `migrations` makes them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, TableClause, bindparam, column, delete, insert, table

PAPERS = table("papers", *map(column, ("sha256", "parser", "body", "checksum")))
CELLS = table("cells", *map(column, ("cell_key", "status", "body", "checksum", "asked_at")))
RUNS = table("runs", *map(column, ("run", "body", "checksum", "started_at", "ended_at")))
RUN_PAPERS = table("run_papers", *map(column, ("run", "paper", "parser", "body", "checksum")))
RUN_CELLS = table("run_cells", *map(column, ("run", "paper", "question", "reader", "cell_key")))
CALLS = table(
    "calls",
    *map(column, ("call_id", "run", "paper", "question", "reader", "cell_key", "started_at", "ended_at", "outcome")),
    *map(column, ("seconds", "tokens_in", "tokens_out", "requests", "cost", "joules", "estimated", "checksum")),
)
ANNOTATIONS = table("annotations", *map(column, ("paper_sha256", "question", "annotator", "at", "body", "checksum")))


def replace_rows(connection: Connection, into: TableClause, rows: Sequence[Mapping[str, Any]], *, by: Sequence[str]) -> None:
    """Delete, then insert: the one way that every database knows."""
    if not rows:
        return
    same = (into.c[name] == bindparam(f"b_{name}") for name in by)
    connection.execute(delete(into).where(*same), [{f"b_{name}": row[name] for name in by} for row in rows])
    connection.execute(insert(into), list(rows))
