"""SQLite files and PostgreSQL databases: everything that differs between the two.

No password leaves this module: names and errors use the URL without it.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
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

from methodlens.errors import LedgerBusy, LedgerDamaged, LedgerError, LedgerFull, LedgerLost
from methodlens.ledger.ledger_file import describe_holders
from methodlens.system_errors import TOO_FEW_HANDLES, out_of_handles

EXAMPLE = "postgresql+psycopg://USER@HOST/DATABASE"
_SCHEMES = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_CONNECT_S = 10
BUSY_MS = 30_000
"""How long a write to a SQLite file waits for another process."""
_MIGRATION_LOCK = 0x6D6C656E73  # "mlens": any number that all processes agree on

INSERT: Mapping[str, Callable[..., Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
"""Both support ON CONFLICT with the same syntax, which SQLAlchemy offers per dialect."""
CLOCK: Mapping[str, ColumnElement[float]] = {
    "sqlite": literal_column("((julianday('now') - 2440587.5) * 86400.0)", Float),
    "postgresql": literal_column("CAST(extract(epoch FROM clock_timestamp()) AS double precision)", Float),
}
"""Seconds since 1970 by the clock of the database, because the clocks of two drivers may differ."""
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
"""PostgreSQL enforces the length of a column, and a reader may be named after a long path."""


def file_engine(path: Path, *, source: str = "") -> Engine:
    """`source` is the file that messages name, if `path` is a copy of it."""
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _pragmas)
    event.listen(engine, "handle_error", partial(_file_error, path, source or str(path)))
    return engine


def forbid_writing(engine: Engine) -> None:
    """From now on, every change is refused."""
    engine.dispose()
    event.listen(engine, "connect", lambda connection, _record: connection.execute("PRAGMA query_only=ON"))


def read_only_error(source: str) -> LedgerError:
    return LedgerError(f"{source} is read-only", "copy its folder to a place where you can write, and name that with --out")


def database_engine(url: URL, *, ping: bool = False) -> Engine:
    """`ping`: test an idle connection before using it, so that a restart of the server goes unnoticed."""
    defaults = {"connect_timeout": _CONNECT_S, "application_name": "methodlens"}
    try:
        # hide_parameters: otherwise errors would show rows
        engine = create_engine(
            url,
            hide_parameters=True,
            pool_pre_ping=ping,
            connect_args={name: value for name, value in defaults.items() if name not in url.query},
        )
    except ImportError as err:
        raise LedgerError("a ledger on PostgreSQL needs psycopg", "pip install 'methodlens[postgres]'") from err
    event.listen(engine, "handle_error", _database_error)
    return engine


def database_url(given: str, *, password: str | None = None) -> URL:
    """The URL for SQLAlchemy. `password` is used if the URL has none; without either, PGPASSWORD or ~/.pgpass is."""
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):  # the text is not shown: it may contain a password
        raise LedgerError("--ledger is not a database URL", f"write {EXAMPLE}, or a folder with --out") from None
    if "@" in (url.host or ""):  # the rest of the password: it is not shown either
        raise LedgerError("the password in --ledger contains an @", "write it as %40, or put the password in PGPASSWORD")
    if url.drivername not in _SCHEMES:
        scheme = url.drivername if re.fullmatch(r"[a-z0-9+]{1,20}", url.drivername) else "this"
        raise LedgerError(f"{scheme} databases are not supported", f"write {EXAMPLE}, or a folder with --out")
    hidden = url.query.get("password")
    known = url.password or (hidden if isinstance(hidden, str) else None) or password
    return url.difference_update_query(["password"]).set(drivername="postgresql+psycopg", password=known)


def redacted(url: URL) -> str:
    """Without the password: postgresql://ann@db.example.org/review."""
    host = url.host or url.query.get("host") or ""
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{f'{url.username}@' if url.username else ''}{host}{port}/{url.database or ''}"


def is_url(where: str) -> bool:
    return "://" in where or where.startswith(("postgres:", "postgresql:", "postgresql+"))


def lock_schema(connection: Connection) -> None:
    """Until the transaction ends, no other process changes the schema; a kill leaves the old one."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)").bindparams(key=_MIGRATION_LOCK))
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # sqlite3 would begin with the first INSERT


def now(connection: Connection) -> float:
    return connection.execute(select(CLOCK[connection.dialect.name])).scalar_one()


def _pragmas(connection: Any, _record: object) -> None:
    """WAL lets reports read while a run writes; NORMAL survives a kill of the process and needs no sync per cell."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")


def _file_error(path: Path, source: str, context: ExceptionContext) -> None:
    error = context.original_exception
    reason = str(error)
    if "malformed" in reason:
        fix = "recover what is readable with 'sqlite3 ledger.sqlite .recover', or move the file away and rerun"
        raise LedgerDamaged(f"{source} is a damaged file ({reason})", fix) from error
    if "readonly database" in reason:
        raise read_only_error(source) from error
    if "database is locked" in reason:
        problem = f"{source} is locked by {describe_holders(path)}"
        raise LedgerBusy(problem, "close the ledger there, then rerun to resume") from error
    if ("unable to open" in reason or "disk I/O error" in reason) and out_of_handles():
        raise LedgerError(f"{source} cannot be opened (too many open files)", TOO_FEW_HANDLES) from error
    if "unable to open" in reason:
        fix = "check the permissions and the free space of its folder, or choose another --out"
        raise LedgerError(f"{source} cannot be opened ({reason})", fix) from error
    if "disk is full" in reason or "disk I/O error" in reason:
        raise LedgerFull(f"{source} cannot be written ({reason})", "free some disk space, then rerun to resume") from error


def _database_error(context: ExceptionContext) -> None:
    """One line with the fix, without the statement and its rows."""
    error = context.original_exception
    if not isinstance(context.sqlalchemy_exception, DBAPIError) or context.engine is None:
        return
    where, reason = redacted(context.engine.url), _first_line(error)
    state = getattr(error, "sqlstate", None) or ""
    if state.startswith("53"):  # insufficient resources: disk_full, out_of_memory, too_many_connections
        raise LedgerFull(f"{where} has no space ({reason})", "free some, then rerun to resume") from None
    if context.connection is None:
        raise LedgerLost(f"{where} cannot be opened ({reason})", _connection_fix(reason)) from None
    if context.is_disconnect or state.startswith(("08", "57P")):
        raise LedgerLost(f"the connection to {where} was lost ({reason})", "start the server, then rerun to resume") from None
    if state == "42501":
        raise LedgerError(f"{where}: {reason}", "grant this user access to the ledger's tables, or use another user") from None
    raise LedgerError(f"{where} cannot be used as a ledger ({reason})", "use a separate database") from None


def _connection_fix(reason: str) -> str:
    """libpq gives no error code here, only a message, which may be in another language: then the last line applies."""
    lowered = reason.lower()
    if "password" in lowered or "authentication" in lowered:
        return "set PGPASSWORD, add a line to ~/.pgpass, or set ledger_password_variable"
    if "does not exist" in lowered:
        return "create it ('createuser', 'createdb'), or correct --ledger"
    if "invalid connection option" in lowered:
        return "correct what follows the ? in --ledger"
    return "start the server, or correct the host and port of --ledger"


def _first_line(error: BaseException) -> str:
    """psycopg lists every address that it tried; the last one is enough."""
    lines = [line.strip(" -\t") for line in str(error).splitlines() if line.strip(" -\t")]
    line = next((line for line in reversed(lines) if "FATAL" in line or "failed:" in line), lines[0] if lines else "")
    return " ".join(line.split()) or type(error).__name__
