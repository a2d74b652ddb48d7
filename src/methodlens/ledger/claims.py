"""Which driver is at work on which paper: leases in a shared ledger, so that several drivers share the work and do nothing twice.

A driver takes a paper before it begins with it, renews its leases while it lives, and says when a paper is done. If it falls
silent, its leases run out, and another driver takes the paper over. Times are the database's own.
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
from methodlens.papers.remote_files import is_url

_POLL_S = 0.5
_RENEWALS = 3  # in the time of a lease: two may fail before it runs out


class Named(Protocol):
    @property
    def name(self) -> str: ...


File = TypeVar("File", bound=Named)


def content_key(file: PaperFile) -> str:
    """What a paper is known by: its content, so that a copy under another name is the same paper; its place if it is far away."""
    return ("" if is_url(file.location) else sha256_of(file.path)) or digest(file.location or file.name)


class Taken(Enum):
    MINE = auto()
    HELD = auto()
    """Another driver is at work on it, or fell silent a moment ago."""
    DONE = auto()
    """Another driver has done it for the same run since this one began."""


class Claims(Generic[File]):
    """The leases of one driver, for one run."""

    def __init__(self, engine: Engine, run: str, *, key_of: Callable[[File], str], lease_s: float) -> None:
        self._engine, self._run, self._key_of, self._lease_s = engine, run, key_of, lease_s
        self._owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._held: dict[str, str] = {}
        self.elsewhere = 0
        """Papers that other drivers did."""
        with engine.connect() as connection:
            self._began = now(connection)

    def papers(self, files: Iterable[File], *, stopping: Callable[[], bool] = lambda: False) -> Iterator[File]:
        """Each file once it is this driver's; those that others hold come last, unless they were done meanwhile."""
        waiting: deque[File] = deque()
        for file in files:
            if self.take(file) is Taken.MINE:
                yield file
            else:
                waiting.append(file)
        waited = 0
        while waiting and not stopping():
            file = waiting.popleft()
            match self.take(file):
                case Taken.MINE:
                    waited = 0
                    yield file
                case Taken.DONE:
                    waited = 0
                    self.elsewhere += 1
                case Taken.HELD:
                    waiting.append(file)
                    waited += 1
            if waited >= len(waiting) > 0:  # once round, and nothing was free
                time.sleep(_POLL_S)
                waited = 0

    def take(self, file: File) -> Taken:
        """One statement decides, so of two who try at once one has it."""
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
                ).returning(CLAIMS.c.sha256)  # not rowcount, which psycopg no longer knows by now
            ).first()
            if taken:
                self._held[key] = file.name
                return Taken.MINE
            held = connection.execute(select(CLAIMS.c.owner).where(CLAIMS.c.sha256 == key, undone)).first()
        return Taken.HELD if held else Taken.DONE

    def finish(self, file: File, *, whole: bool = True) -> None:
        """Everything of it is kept; not `whole`: some is left, for this driver or another to do later."""
        self._let_go([self._key_of(file)], done=whole)

    def renew(self) -> None:
        with self._engine.begin() as connection:
            until = CLOCK[connection.dialect.name] + self._lease_s
            connection.execute(
                update(CLAIMS).where(CLAIMS.c.owner == self._owner, CLAIMS.c.done_at.is_(None)).values(until=until)
            )

    @contextlib.contextmanager
    def at_work(self) -> Iterator[Self]:
        """Renews all leases until the end, and then lets go of what is not done."""
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(self._lease_s / _RENEWALS):
                with contextlib.suppress(LedgerError):  # the driver, which writes all the time, will say so
                    self.renew()

        thread = threading.Thread(target=beat, name="leases", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            ended.set()
            thread.join()
            with contextlib.suppress(LedgerError):  # they run out by themselves
                self._let_go(list(self._held), done=False)

    def _let_go(self, keys: Sequence[str], *, done: bool) -> None:
        with self._engine.begin() as connection:
            clock = CLOCK[connection.dialect.name]
            own = and_(CLAIMS.c.sha256.in_(keys), CLAIMS.c.owner == self._owner, CLAIMS.c.done_at.is_(None))
            connection.execute(update(CLAIMS).where(own).values(until=clock, done_at=clock if done else None))
        for key in keys:
            self._held.pop(key, None)
