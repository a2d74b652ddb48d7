"""The ledger's tables for queries; `migrations` creates them, and `views` are what people read."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, TableClause, column, table

from methodlens.ledger.backends import INSERT

TEXTS = table("paper_texts", *map(column, ("sha256", "parser", "body", "checksum")))
ANSWERS = table("answers", *map(column, ("cell_key", "paper_sha256", "status", "body", "passages", "checksum", "asked_at")))
RUNS = table("runs", *map(column, ("run", "body", "checksum", "started_at", "ended_at")))
LISTINGS = table("listings", *map(column, ("run", "page", "body", "checksum")))
RUN_PAPERS = table("run_papers", *map(column, ("run", "paper", "sha256", "parser", "body", "checksum")))
RUN_CELLS = table("run_cells", *map(column, ("run", "paper", "question", "reader", "cell_key")))
CALLS = table(
    "calls",
    *map(column, ("call_id", "run", "paper", "question", "reader", "cell_key", "started_at", "ended_at", "outcome")),
    *map(column, ("seconds", "tokens_in", "tokens_out", "requests", "cost", "joules", "estimated", "checksum")),
)
CLAIMS = table("claims", *map(column, ("sha256", "owner", "until", "run", "paper", "done_at")))
RECALIBRATIONS = table("recalibrations", *map(column, ("question", "reader", "at", "body", "checksum")))
REPOSITORIES = table("repositories", *map(column, ("repository_key", "body", "checksum")))
RUN_REPOSITORIES = table("run_repositories", *map(column, ("run", "paper", "repository_key")))
RUN_SUPPLEMENTS = table("run_supplements", *map(column, ("run", "paper", "file", "body", "checksum")))
BATCHES = table(
    "batches",
    *map(column, ("batch_id", "run", "reader", "state", "provider_id", "cells", "prepared_at", "submitted_at", "ended_at")),
    *map(column, ("note", "body", "checksum")),
)
ANNOTATIONS = table("annotation_log", *map(column, ("paper_sha256", "question", "annotator", "at", "body", "checksum")))

TEAM_MEMBERS = table("team_members", *map(column, ("name", "token_id", "body", "checksum")))
TEAM_SESSIONS = table("team_sessions", *map(column, ("session_sha256", "member", "expires_at")))
AUDIT_TRAIL = table("audit_trail", *map(column, ("entry_id", "at", "member", "action", "detail", "checksum")))


def upsert(connection: Connection, into: TableClause, rows: Sequence[Mapping[str, Any]], *, by: Sequence[str]) -> None:
    """Insert or replace by key, in one statement: two writers of the same row do not collide."""
    if not rows:
        return
    new = INSERT[connection.dialect.name](into)
    changes = {name: new.excluded[name] for name in rows[0] if name not in by}
    connection.execute(new.on_conflict_do_update(index_elements=list(by), set_=changes), list(rows))
