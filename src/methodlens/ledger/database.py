"""The ledger's database: opened, upgraded, and locked while a run writes a file."""

import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout
from sqlalchemy import Engine, Executable, RowMapping
from sqlalchemy.exc import DatabaseError

from methodlens.errors import LedgerBusy, LedgerError, OutputError
from methodlens.ledger.backends import (
    database_engine,
    database_url,
    file_engine,
    forbid_writing,
    read_only_error,
    redacted,
)
from methodlens.ledger.ledger_file import copy_with_changes, describe_holders, is_writable, remove_if_half_made
from methodlens.ledger.migrations import migrate, version_of
from methodlens.system_errors import fix_for

FILE = "ledger.sqlite"


class Database:
    """The base of `Ledger`. Only one run writes a SQLite file; a PostgreSQL database is `shared` by several drivers."""

    def __init__(self, engine: Engine, name: str, path: Path | None = None, *, lease_s: float = 0.0) -> None:
        self._engine = engine
        self._path = path
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self.lease_s = lease_s
        self.name = name
        """Where it is, for messages. Never contains a password."""

    @classmethod
    def at(cls, folder: Path, *, create: bool = False) -> Self:
        """In a file in `folder`. Where nothing can be written and no ledger is to be created, it can be read but not changed."""
        path = folder / FILE
        if not create and not path.is_file():
            raise LedgerError(
                f"there is no ledger in {folder}", "run 'methodlens run PAPERS --out DIR' first, or set its folder with --out"
            )
        if not create and not is_writable(path):
            return cls._read_only(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if path.exists():
                remove_if_half_made(path)
            if not path.exists():
                path.touch(mode=0o600)  # the text of papers and what reviewers wrote are for their owner
            engine = _open_file(path, source=str(path))
        except OSError as err:
            fix = fix_for(err, "choose another folder with --out")
            raise OutputError(f"{folder} cannot be written ({err.strerror})", fix) from err
        return cls(engine, str(path), path)

    @classmethod
    def _read_only(cls, path: Path) -> Self:
        """From a copy, which is deleted at the end: SQLite must write to read pending changes, and an old schema is upgraded."""
        copy = tempfile.TemporaryDirectory(prefix="methodlens-")
        try:
            engine = _open_file(copy_with_changes(path, Path(copy.name)), source=str(path))
        except OSError as err:
            copy.cleanup()
            fix = fix_for(err, "check its permissions")
            raise LedgerError(f"{path} cannot be read ({err.strerror})", fix) from err
        except BaseException:
            copy.cleanup()
            raise
        forbid_writing(engine)
        ledger = cls(engine, str(path), path)
        ledger._copy = copy
        return ledger

    @classmethod
    def on(
        cls, url: str, *, password: str | None = None, create: bool = False, lease_s: float = 30.0, ping: bool = False
    ) -> Self:
        """On PostgreSQL. The password is taken from the URL, `password`, PGPASSWORD or ~/.pgpass.

        `lease_s`: how long the papers of a driver that no longer responds are kept from others. `ping`: for connections that
        stay open for hours, see `backends.database_engine`.
        """
        address = database_url(url, password=password)
        engine, name = database_engine(address, ping=ping), redacted(address)
        try:
            with engine.begin() as connection:
                if not create and not version_of(connection):
                    raise LedgerError(f"there is no ledger on {name}", "run 'methodlens run PAPERS --ledger URL' first")
                migrate(connection, source=name)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, name, lease_s=lease_s)

    @property
    def path(self) -> Path:
        """Only for a SQLite file."""
        if self._path is None:
            raise LedgerError(f"{self.name} is a database, not a file", "use a folder with --out")
        return self._path

    @property
    def engine(self) -> Engine:
        """For modules of this package; other callers use the methods."""
        return self._engine

    @property
    def shared(self) -> bool:
        return self._path is None

    def lock(self) -> AbstractContextManager[object]:
        """Held by a run while it writes; released by the system if the process dies. A shared ledger has none."""
        if self.shared:
            return nullcontext()
        if self._copy:
            raise read_only_error(self.name)
        lock = FileLock(f"{self.path}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as err:
            problem = f"another run is writing {self.path}: {describe_holders(self.path)}"
            raise LedgerBusy(problem, "wait until it ends, or choose another --out") from err
        return lock

    def fetch(self, query: Executable) -> Sequence[RowMapping]:
        """For reports that need a few columns, not whole records."""
        with self._engine.connect() as connection:
            return connection.execute(query).mappings().all()

    def close(self) -> None:
        self._engine.dispose()
        if self._copy:
            self._copy.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _open_file(path: Path, *, source: str) -> Engine:
    engine = file_engine(path, source=source)
    try:
        with engine.begin() as connection:
            migrate(connection, source=source)
    except DatabaseError as err:
        raise LedgerError(
            f"{source} cannot be used as a ledger ({err.orig})", "choose another --out, or move that file away"
        ) from err
    return engine
