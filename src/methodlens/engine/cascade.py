"""A cascade: several readers as one. A reader is asked only where the one before it is in doubt.

`cascade:embedded>chat:small>judge:chat:large`. Every answer is judged, stored and paid for as if its reader had been asked alone,
so nothing is paid twice, whether a cascade was killed or its readers were asked before.
"""

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, Protocol, runtime_checkable

from msgspec.structs import replace

from methodlens.engine.execute import ask
from methodlens.errors import ReaderError
from methodlens.ledger.keys import cell_key, digest
from methodlens.ledger.repeats import repeat_of
from methodlens.readers import EMBEDDED, JUDGE
from methodlens.readers import create as create_reader
from methodlens.records import Answer, Cell, Hit, Paper, Question, ReaderInfo, Status, Step, Verdict
from methodlens.retrieval import limit
from methodlens.seams import PagePictures, Reader, close_reader, show_pictures
from methodlens.settings import CascadeSettings, RetrievalSettings, Settings
from methodlens.verdicts.cascade import combine, doubt, step_of

CASCADE = "cascade"
REVISION = 1
"""Raise it when the same answers give another cell."""
_SEPARATOR = ">"


class Ask(Protocol):
    """Asks one reader: `execute.ask`, or the driver, which books the call and stores the answer."""

    def __call__(self, paper: Paper, question: Question, reader: Reader, hits: tuple[Hit, ...], *, shown: int) -> Cell: ...


@runtime_checkable
class Judge(Protocol):
    """A reader that sees the answers before it: see `readers.judge`."""

    def about(self, steps: Sequence[Step]) -> Reader: ...


def create(name: str, settings: Settings, environ: Mapping[str, str]) -> Reader:
    """A cascade from its name, or any other reader."""
    kind, colon, argument = name.partition(":")
    if kind != CASCADE or not colon:
        return create_reader(name, settings, environ)
    parts = [part.strip() for part in argument.split(_SEPARATOR)]
    _check(name, parts)
    readers = [create_reader(part, settings, environ) for part in parts]
    return Cascade(readers, settings.cascade, settings.retrieval)


def _check(name: str, parts: Sequence[str]) -> None:
    example = f"for example {CASCADE}:embedded>chat:small>chat:large"
    if len(parts) < 2 or not all(parts):
        raise ReaderError(f"the cascade {name!r} needs two or more readers, separated by >", f"{example}, in quotes")
    if len(set(parts)) < len(parts):
        raise ReaderError(f"the cascade {name!r} names a reader twice", example)
    if any(part.partition(":")[0] == CASCADE for part in parts):
        raise ReaderError(f"the cascade {name!r} contains another cascade", "name all readers in one cascade")
    if parts[0].partition(":")[0] == JUDGE:
        raise ReaderError(f"the cascade {name!r} starts with a judge", "a judge needs an answer to judge: put a reader before it")


class Cascade:
    """A Reader. `compose` gives the whole cell, with a verdict of the deciding reader and the trail."""

    def __init__(
        self, readers: Sequence[Reader], settings: CascadeSettings | None = None, retrieval: RetrievalSettings | None = None
    ) -> None:
        self._readers, self._settings = tuple(readers), settings or CascadeSettings()
        self._retrieval = retrieval or RetrievalSettings()
        self._slots = [_slots(reader.info) for reader in readers]
        infos = [reader.info for reader in readers]
        remote = [info for info in infos if info.remote]
        shown = [self._retrieval.shown_chars if info.context_chars is None else info.context_chars for info in infos]
        self.info = ReaderInfo(
            f"{CASCADE}:{_SEPARATOR.join(info.name for info in infos)}",
            " > ".join(info.model for info in infos),
            f"{CASCADE}-{digest([REVISION, [info.fingerprint for info in infos], self._settings])[:32]}",
            remote=bool(remote),
            concurrency=max((info.concurrency for info in remote), default=1),
            priced=all(info.priced for info in remote),
            deterministic=all(info.deterministic for info in infos),
            context_chars=None if all(info.context_chars is None for info in infos) else max(shown),
            server=", ".join(dict.fromkeys(info.server for info in infos if info.server)),
        )

    def __repr__(self) -> str:
        return f"Cascade({self.info.name!r})"

    @property
    def readers(self) -> tuple[Reader, ...]:
        return self._readers

    def look_at(self, pictures: PagePictures) -> None:
        for reader in self._readers:
            show_pictures(reader, pictures)

    def close(self) -> None:
        for reader in self._readers:
            close_reader(reader)

    def repeated(self, number: int) -> "Cascade":
        """The cascade of its readers' repeats, whose answers are stored apart from the first ones."""
        readers = [reader if reader.info.deterministic else repeat_of(reader, number) for reader in self._readers]
        repeated = Cascade(readers, self._settings, self._retrieval)
        repeated.info = replace(repeated.info, name=f"{self.info.name}#{number}")
        repeated._slots = self._slots
        return repeated

    def read(self, question: Question, paper: Paper, context: Sequence[Hit]) -> Answer:
        return self.compose(paper, question, tuple(context), shown=len(context)).answer

    def compose(self, paper: Paper, question: Question, hits: tuple[Hit, ...], *, shown: int, ask: Ask = ask) -> Cell:
        """Ask one reader after another. One that fails never loses the answers before it."""
        started = time.perf_counter()
        cells: list[Cell] = []
        doubts: list[str] = []
        for reader, slots in zip(self._readers, self._slots, strict=True):
            asked = reader.about(list(map(step_of, cells))) if isinstance(reader, Judge) else reader
            with slots:
                cell = ask(paper, question, asked, hits, shown=_shown(reader.info, hits, shown, self._retrieval))
            doubts.append(doubt(cell, cells, self._settings))
            cells.append(cell)
            if not doubts[-1]:
                break
        else:
            doubts[-1] = ""  # nobody is left to ask
        empty = _empty_cell(self.info, paper, question, hits, shown=shown)
        verdict, answer = combine(cells, doubts)
        return replace(empty, verdict=verdict, answer=answer, seconds=time.perf_counter() - started)


class Head(NamedTuple):
    """The first reader of a cascade, if it is the embedded one: where it is sure, a worker answers the cell without any call."""

    info: ReaderInfo
    """Of the cascade."""
    reader: Reader
    settings: CascadeSettings
    retrieval: RetrievalSettings

    def cell(self, paper: Paper, question: Question, hits: tuple[Hit, ...], *, shown: int) -> Cell | None:
        """None if the next reader must be asked."""
        first = ask(paper, question, self.reader, hits, shown=_shown(self.reader.info, hits, shown, self.retrieval))
        if doubt(first, (), self.settings):
            return None
        verdict, answer = combine([first], [""])
        empty = _empty_cell(self.info, paper, question, hits, shown=shown)
        return replace(empty, verdict=verdict, answer=answer, seconds=first.seconds)


def heads(readers: Iterable[ReaderInfo], settings: Settings, environ: Mapping[str, str]) -> dict[str, Head]:
    """By the name of their cascade."""
    cascades = [info for info in readers if info.name.startswith(f"{CASCADE}:{EMBEDDED}{_SEPARATOR}")]
    if not cascades:
        return {}
    embedded = create_reader(EMBEDDED, settings, environ)
    return {info.name: Head(info, embedded, settings.cascade, settings.retrieval) for info in cascades}


def _slots(reader: ReaderInfo) -> AbstractContextManager[object]:
    """As many calls at once as the reader allows: the cascade takes as many cells at once as its fastest reader."""
    return threading.BoundedSemaphore(max(1, reader.concurrency)) if reader.remote else nullcontext()


def _shown(reader: ReaderInfo, hits: tuple[Hit, ...], shown: int, retrieval: RetrievalSettings) -> int:
    """A reader gets as much as it would alone: its cells then have the same key."""
    chars = retrieval.shown_chars if reader.context_chars is None else reader.context_chars
    return min(shown, limit(hits, shown_chars=chars, kept_chars=chars)[1])


def _empty_cell(info: ReaderInfo, paper: Paper, question: Question, hits: tuple[Hit, ...], *, shown: int) -> Cell:
    key = cell_key(paper, question, info, hits[:shown])
    verdict = Verdict(Status.FAILED, "no reader was asked")
    return Cell(key, paper.sha256, question.id, info.name, info.model, verdict, Answer(""), hits, shown)
