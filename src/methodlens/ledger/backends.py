"""Where a ledger is kept: a SQLite file, or a PostgreSQL database by URL. All that differs between the two is in this file.

No password leaves it: names and errors are made of what is left of a URL without one.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    ExceptionContext,
    Float,
    create_engine,
    event,
    literal_column,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from methodlens.errors import LedgerDamaged, LedgerError, LedgerFull, LedgerLost

EXAMPLE = "postgresql+psycopg://USER@HOST/DATABASE"
_SCHEMES = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_CONNECT_S = 10
_MIGRATING = 0x6D6C656E73  # "mlens": any number will do, if all of us take the same

INSERT: Mapping[str, Callable[..., Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
"""Both know ON CONFLICT, in the same words; SQLAlchemy keeps it in two places."""
CLOCK: Mapping[str, ColumnElement[float]] = {
    "sqlite": literal_column("((julianday('now') - 2440587.5) * 86400.0)", Float),
    "postgresql": literal_column("CAST(extract(epoch FROM clock_timestamp()) AS double precision)", Float),
}
"""Seconds since 1970 by the database's own clock: drivers on two machines may differ, what they compare with may not."""
LONG_NAMES: Mapping[str, tuple[str, ...]] = {
    "postgresql": tuple(
        f"ALTER TABLE {table} ALTER COLUMN {column} TYPE text"
        for table, columns in {
            "run_papers": ("paper", "parser"),
            "run_cells": ("paper", "question", "reader"),
            "annotations": ("question", "annotator"),
            "calls": ("paper", "question", "reader"),
            "papers": ("parser",),
        }.items()
        for column in columns
    )
}
"""PostgreSQL takes a column's length at its word, and a reader may be named after a file far down in folders."""


def file_engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _pragmas)
    event.listen(engine, "handle_error", _file_error)
    return engine


def database_engine(url: URL, *, ping: bool = False) -> Engine:
    """`ping`: a connection that lay idle is tried before it is used, so that a restart of the server goes unnoticed."""
    ours = {"connect_timeout": _CONNECT_S, "application_name": "methodlens"}
    try:
        # hide_parameters: errors would show rows otherwise
        engine = create_engine(
            url,
            hide_parameters=True,
            pool_pre_ping=ping,
            connect_args={name: value for name, value in ours.items() if name not in url.query},
        )
    except ImportError as err:
        raise LedgerError("a ledger on PostgreSQL needs psycopg", "pip install 'methodlens[postgres]'") from err
    event.listen(engine, "handle_error", _database_error)
    return engine


def database_url(given: str, *, password: str | None = None) -> URL:
    """`given` as SQLAlchemy takes it. `password` is used where the URL has none; without one, PGPASSWORD or .pgpass is."""
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):  # the text is not shown: it may hold a password all the same
        raise LedgerError("--ledger is not the URL of a database", f"write {EXAMPLE}, or a folder with --out") from None
    if url.drivername not in _SCHEMES:
        scheme = url.drivername if re.fullmatch(r"[a-z0-9+]{1,20}", url.drivername) else "such"
        raise LedgerError(f"no ledger can be kept on a {scheme} database", f"write {EXAMPLE}, or a folder with --out")
    hidden = url.query.get("password")
    own = url.password or (hidden if isinstance(hidden, str) else None) or password
    return url.difference_update_query(["password"]).set(drivername="postgresql+psycopg", password=own)


def shown(url: URL) -> str:
    """For people: postgresql://ann@db.example.org/review. Never the password."""
    host = url.host or url.query.get("host") or ""
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{f'{url.username}@' if url.username else ''}{host}{port}/{url.database or ''}"


def is_url(where: str) -> bool:
    return "://" in where or where.startswith(("postgres:", "postgresql:", "postgresql+"))


def lock_schema(connection: Connection) -> None:
    """Until the transaction ends, nobody else changes the schema, and a kill leaves the old one."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)").bindparams(key=_MIGRATING))
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # the driver would begin only with the first INSERT


def now(connection: Connection) -> float:
    return connection.execute(select(CLOCK[connection.dialect.name])).scalar_one()


def _pragmas(connection: Any, _record: object) -> None:
    """WAL lets reports read while a run writes; NORMAL survives a kill of the process and costs no sync a cell."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA busy_timeout=30000")


def _file_error(context: ExceptionContext) -> None:
    if "malformed" in str(context.original_exception):
        where = context.engine.url.database if context.engine else "the ledger"
        raise LedgerDamaged(
            f"{where} is damaged as a file ({context.original_exception})",
            "save what can be read with 'sqlite3 ledger.sqlite .recover', or move it away and run again",
        ) from context.original_exception
    if "disk is full" in str(context.original_exception) or "disk I/O error" in str(context.original_exception):
        where = context.engine.url.database if context.engine else "the ledger"
        raise LedgerFull(
            f"{where} cannot be written ({context.original_exception})", "free some disk space, then rerun to resume"
        ) from context.original_exception


def _database_error(context: ExceptionContext) -> None:
    """In one line, with what to do; the statement and its rows stay out of it."""
    error = context.original_exception
    if not isinstance(context.sqlalchemy_exception, DBAPIError) or context.engine is None:
        return
    where, said = shown(context.engine.url), _first_line(error)
    state = getattr(error, "sqlstate", None) or ""
    if state.startswith("53"):  # insufficient resources: disk_full, out_of_memory, too_many_connections
        raise LedgerFull(f"{where} has no space ({said})", "free some, then rerun to resume") from None
    if context.connection is None:
        raise LedgerLost(f"{where} cannot be opened ({said})", _opening(said)) from None
    if context.is_disconnect or state.startswith(("08", "57P")):
        raise LedgerLost(f"{where} went away ({said})", "start the server, then rerun to resume") from None
    if state == "42501":
        raise LedgerError(f"{where}: {said}", "grant this user the rights to the ledger's tables, or name another user") from None
    raise LedgerError(f"{where} cannot be used as a ledger ({said})", "give the ledger a database of its own") from None


def _opening(said: str) -> str:
    """libpq gives no code for these, only words; in another language than English the last line has to do."""
    lowered = said.lower()
    if "password" in lowered or "authentication" in lowered:
        return "set PGPASSWORD, add a line to ~/.pgpass, or name its variable with ledger_password_variable"
    if "does not exist" in lowered:
        return "create it ('createuser', 'createdb'), or correct --ledger"
    if "invalid connection option" in lowered:
        return "correct what follows the ? in --ledger"
    return "start the server, or correct the host and port of --ledger"


def _first_line(error: BaseException) -> str:
    """psycopg lists every address that it tried; the last is as good as the first."""
    lines = [line.strip(" -\t") for line in str(error).splitlines() if line.strip(" -\t")]
    told = next((line for line in reversed(lines) if "FATAL" in line or "failed:" in line), lines[0] if lines else "")
    return " ".join(told.split()) or type(error).__name__
