"""The ledger's database: a SQLite file in a folder or PostgreSQL by URL, opened, brought up to date, locked while written."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout
from sqlalchemy import Engine, Executable, RowMapping
from sqlalchemy.exc import DatabaseError

from methodlens.errors import LedgerBusy, LedgerError, OutputError
from methodlens.ledger.backends import database_engine, database_url, file_engine, shown
from methodlens.ledger.migrations import migrate, version_of

FILE = "ledger.sqlite"


class Database:
    """What `Ledger` stands on. One run writes a SQLite file; a database is `shared` by several drivers."""

    def __init__(self, engine: Engine, name: str, path: Path | None = None, *, lease_s: float = 0.0) -> None:
        self._engine = engine
        self._path = path
        self.lease_s = lease_s
        self.name = name
        """For people: where it is. Never with a password."""

    @classmethod
    def at(cls, folder: Path, *, create: bool = False) -> Self:
        path = folder / FILE
        if not create and not path.is_file():
            raise LedgerError(
                f"there is no ledger in {folder}", "run 'methodlens run PAPERS --out DIR' first, or name its folder with --out"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
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
        """On PostgreSQL. The password may stand in the URL, in `password`, in PGPASSWORD or in ~/.pgpass.

        `lease_s`: how long a driver that fell silent keeps its papers from the others. `ping`: for who stays for hours, see
        `stores.database_engine`.
        """
        address = database_url(url, password=password)
        engine, name = database_engine(address, ping=ping), shown(address)
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
        """Of one that is a file."""
        if self._path is None:
            raise LedgerError(f"{self.name} is a database, not a file", "name a folder with --out")
        return self._path

    @property
    def engine(self) -> Engine:
        """For those who look after it (runs.upkeep); everybody else has the methods below."""
        return self._engine

    @property
    def shared(self) -> bool:
        return self._path is None

    def lock(self) -> AbstractContextManager[object]:
        """Held by a run for as long as it writes; the system lets go of it when the process dies. A shared ledger has none."""
        if self.shared:
            return nullcontext()
        lock = FileLock(f"{self.path}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as err:
            raise LedgerBusy(f"another run is writing {self.path}", "wait for it to end, or choose another --out") from err
        return lock

    def fetch(self, query: Executable) -> Sequence[RowMapping]:
        """For reports that need a column or two and not the weight of whole records."""
        with self._engine.connect() as connection:
            return connection.execute(query).mappings().all()

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
