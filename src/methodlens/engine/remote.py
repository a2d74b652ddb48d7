"""The driver's side of an engine whose workers are other processes: a task there, a parcel back, and what is added to it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from methodlens.engine.engine import PaperDone
from methodlens.engine.execute import CellDone, CellDue, PaperRead, Step, described, entry_of, lost_paper, unread
from methodlens.engine.messages import Job, Parcel, Task, Told, encode, reply
from methodlens.ledger.bulk import text_of
from methodlens.ledger.ledger import Ledger
from methodlens.ledger.packing import hits_of
from methodlens.papers import FetchError, PaperFile, Sidecars, local_copy, sha256_of
from methodlens.papers.remote_files import is_url
from methodlens.records import PaperStatus
from methodlens.seams import Reader


class PaperLost(Exception):
    """Whoever had the paper in hand died of it or never came back, as often as is tried. The message is for people."""

    def __init__(self, status: PaperStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Hands(Protocol):
    """Processes that do papers (runs.faraway), on this machine or on others. Asked from many threads, `at_once` of them."""

    at_once: int
    fetch: bool
    """Whether papers by URL are fetched here for them; else they do it themselves, with the credentials of their machine."""

    def do(self, task: bytes) -> bytes | None:
        """The parcel; None when it was abandoned. Raises PaperLost, and EngineError when no paper can be done."""
        ...

    def abandon(self) -> None: ...


class ParcelEngine:
    """An Engine: papers are done by `hands`. Readers that ask someone else are asked from here."""

    def __init__(
        self, hands: Hands, job: Job, *, ledger: Ledger, readers: Sequence[Reader], sidecars: Sequence[Sidecars] = ()
    ) -> None:
        self._hands, self._job, self._ledger, self._sidecars = hands, job, ledger, sidecars
        self._readers = {reader.info.name: reader for reader in readers}
        self._questions = {question.id: question for question in job.questions}
        self.at_once = hands.at_once

    def work(self, file: PaperFile) -> Iterator[Step | PaperDone]:
        try:
            with self._within_reach(file) as location:
                here = sha256_of(Path(location)) if self._hands.fetch else ""
                told = self._ledger.told(file.name, self._job.parser, sha256=here)
                message = self._hands.do(encode(Task(location, file.name, told)))
        except FetchError as err:
            yield from self._lost(file, PaperStatus.CRASHED, str(err))
            return
        except PaperLost as err:
            yield from self._lost(file, err.status, str(err))
            return
        if message is None:
            return
        parcel = self._described(reply(message))
        yield PaperDone(parcel)
        if parcel.due:
            yield from self._due(parcel, told)

    def abandon(self) -> None:
        self._hands.abandon()

    @contextmanager
    def _within_reach(self, file: PaperFile) -> Iterator[str]:
        if is_url(file.location) and not self._hands.fetch:
            yield file.location
            return
        with local_copy(file, max_mb=self._job.settings.papers.max_file_mb) as path:
            yield os.path.abspath(path)

    def _described(self, parcel: Parcel) -> Parcel:
        return replace(parcel, entry=described(parcel.entry, self._sidecars)) if self._sidecars else parcel

    def _due(self, parcel: Parcel, told: Told | None) -> Iterator[Step]:
        """Cells of readers that cost something: asked from here, unless the ledger has them from a paper of another name."""
        paper = text_of(parcel, told)
        for due in parcel.due:
            if cell := self._ledger.cell(due.key, paper):
                yield CellDone(parcel.entry, cell, known=True)
                continue
            hits = hits_of(due.hits, paper)
            yield CellDue(parcel.entry, paper, self._questions[due.question], self._readers[due.reader], hits, due.shown, due.key)

    def _lost(self, file: PaperFile, status: PaperStatus, reason: str) -> Iterator[Step]:
        paper = lost_paper(file, self._job.parser, status, reason)
        entry = entry_of(file.name, paper, self._sidecars)
        yield PaperRead(entry, paper, known=False)
        yield from unread(entry, paper, self._job.questions, tuple(self._readers.values()))
