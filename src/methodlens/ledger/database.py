"""The ledger's database: opened, upgraded, and locked while a run writes a file."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout
from sqlalchemy import Engine, Executable, RowMapping
from sqlalchemy.exc import DatabaseError

from methodlens.errors import LedgerBusy, LedgerError, OutputError
from methodlens.ledger.backends import database_engine, database_url, file_engine, redacted
from methodlens.ledger.migrations import migrate, version_of

FILE = "ledger.sqlite"


class Database:
    """The base of `Ledger`. Only one run writes a SQLite file; a PostgreSQL database is `shared` by several drivers."""

    def __init__(self, engine: Engine, name: str, path: Path | None = None, *, lease_s: float = 0.0) -> None:
        self._engine = engine
        self._path = path
        self.lease_s = lease_s
        self.name = name
        """Where it is, for messages. Never contains a password."""

    @classmethod
    def at(cls, folder: Path, *, create: bool = False) -> Self:
        path = folder / FILE
        if not create and not path.is_file():
            raise LedgerError(
                f"there is no ledger in {folder}", "run 'methodlens run PAPERS --out DIR' first, or set its folder with --out"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.touch(mode=0o600)  # the text of papers and what reviewers wrote are for their owner
            engine = file_engine(path)
            with engine.begin() as connection:
                migrate(connection, source=str(path))
        except DatabaseError as err:
            raise LedgerError(
                f"{path} cannot be used as a ledger ({err.orig})", "choose another --out, or move that file away"
            ) from err
        except OSError as err:
            raise OutputError(f"{folder} cannot be written ({err.strerror})", "choose another folder with --out") from err
        return cls(engine, str(path), path)

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
        """For `ledger.upkeep`; other callers use the methods."""
        return self._engine

    @property
    def shared(self) -> bool:
        return self._path is None

    def lock(self) -> AbstractContextManager[object]:
        """Held by a run while it writes; released by the system if the process dies. A shared ledger has none."""
        if self.shared:
            return nullcontext()
        lock = FileLock(f"{self.path}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as err:
            raise LedgerBusy(f"another run is writing {self.path}", "wait until it ends, or choose another --out") from err
        return lock

    def fetch(self, query: Executable) -> Sequence[RowMapping]:
        """For reports that need a few columns, not whole records."""
        with self._engine.connect() as connection:
            return connection.execute(query).mappings().all()

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
