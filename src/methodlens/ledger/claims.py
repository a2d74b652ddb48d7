"""Which driver works on which paper: leases in a shared ledger, so that several drivers share the work without repeating any.

A driver claims a paper before it starts it, renews its leases while it runs, and marks papers as done. If it stops renewing,
its leases expire and another driver takes over its papers. Times are those of the database.
"""

import contextlib
import os
import socket
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import Generic, Protocol, Self, TypeVar

from sqlalchemy import Engine, and_, func, or_, select, update

from methodlens.errors import LedgerError
from methodlens.ledger.backends import CLOCK, INSERT, now
from methodlens.ledger.keys import digest
from methodlens.ledger.tables import CLAIMS
from methodlens.papers import PaperFile, sha256_of
from methodlens.papers.files import printable_name
from methodlens.papers.remote_files import is_url

_POLL_S = 0.5
_RENEWALS = 3  # per lease: two may fail before it expires


class Named(Protocol):
    @property
    def name(self) -> str: ...


File = TypeVar("File", bound=Named)


def content_key(file: PaperFile) -> str:
    """What identifies a paper: its content, so that a copy under another name is the same paper; else its location or name."""
    return ("" if is_url(file.location) else sha256_of(file.path)) or digest(printable_name(file.location or file.name))


class Claim(Enum):
    """The result of trying to claim a paper."""

    MINE = auto()
    HELD = auto()
    """By another driver, whose lease has not expired."""
    DONE = auto()
    """By another driver of the same run, since this one began."""


class Claims(Generic[File]):
    """The leases of one driver, for one run."""

    def __init__(self, engine: Engine, run: str, *, key_of: Callable[[File], str], lease_s: float) -> None:
        self._engine, self._run, self._key_of, self._lease_s = engine, run, key_of, lease_s
        self._owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._held: dict[str, str] = {}
        self.elsewhere = 0
        """How many papers other drivers did."""
        with engine.connect() as connection:
            self._began = now(connection)

    def papers(self, files: Iterable[File], *, stopping: Callable[[], bool] = lambda: False) -> Iterator[File]:
        """Each file once this driver has claimed it; those that others hold come last, unless they are done by then."""
        waiting: deque[File] = deque()
        for file in files:
            if self.take(file) is Claim.MINE:
                yield file
            else:
                waiting.append(file)
        waited = 0
        while waiting and not stopping():
            file = waiting.popleft()
            match self.take(file):
                case Claim.MINE:
                    waited = 0
                    yield file
                case Claim.DONE:
                    waited = 0
                    self.elsewhere += 1
                case Claim.HELD:
                    waiting.append(file)
                    waited += 1
            if waited >= len(waiting) > 0:  # all are held: none became free
                time.sleep(_POLL_S)
                waited = 0

    def take(self, file: File) -> Claim:
        """One statement decides, so only one of two concurrent drivers gets the paper."""
        key = self._key_of(file)
        mine = {"owner": self._owner, "run": self._run, "paper": file.name, "done_at": None}
        undone = or_(CLAIMS.c.run != self._run, CLAIMS.c.paper != file.name, func.coalesce(CLAIMS.c.done_at, 0) <= self._began)
        with self._engine.begin() as connection:
            clock = CLOCK[connection.dialect.name]
            new = INSERT[connection.dialect.name](CLAIMS).values(sha256=key, until=clock + self._lease_s, **mine)
            taken = connection.execute(
                new.on_conflict_do_update(
                    index_elements=["sha256"],
                    set_={name: new.excluded[name] for name in (*mine, "until")},
                    where=and_(CLAIMS.c.until <= clock, undone),
                ).returning(CLAIMS.c.sha256)  # not rowcount, which psycopg does not keep
            ).first()
            if taken:
                self._held[key] = file.name
                return Claim.MINE
            held = connection.execute(select(CLAIMS.c.owner).where(CLAIMS.c.sha256 == key, undone)).first()
        return Claim.HELD if held else Claim.DONE

    def finish(self, file: File, *, whole: bool = True) -> None:
        """Its results are stored. Not `whole`: some cells are left, for this driver or another to do later."""
        self._release([self._key_of(file)], done=whole)

    def renew(self) -> None:
        with self._engine.begin() as connection:
            until = CLOCK[connection.dialect.name] + self._lease_s
            connection.execute(
                update(CLAIMS).where(CLAIMS.c.owner == self._owner, CLAIMS.c.done_at.is_(None)).values(until=until)
            )

    @contextlib.contextmanager
    def at_work(self) -> Iterator[Self]:
        """Renews all leases until the end, then releases the papers that are not done."""
        ended = threading.Event()

        def keep_renewing() -> None:
            while not ended.wait(self._lease_s / _RENEWALS):
                with contextlib.suppress(LedgerError):  # the driver writes all the time and will report it
                    self.renew()

        thread = threading.Thread(target=keep_renewing, name="leases", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            ended.set()
            thread.join()
            with contextlib.suppress(LedgerError):  # they expire by themselves
                self._release(list(self._held), done=False)

    def _release(self, keys: Sequence[str], *, done: bool) -> None:
        with self._engine.begin() as connection:
            clock = CLOCK[connection.dialect.name]
            own = and_(CLAIMS.c.sha256.in_(keys), CLAIMS.c.owner == self._owner, CLAIMS.c.done_at.is_(None))
            connection.execute(update(CLAIMS).where(own).values(until=clock, done_at=clock if done else None))
        for key in keys:
            self._held.pop(key, None)
