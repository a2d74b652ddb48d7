"""The worker's side of an engine: a job and a task in, a parcel out. It writes nothing, and asks no paid reader."""

import atexit
import os
import platform
from collections.abc import Callable
from functools import lru_cache

import msgspec

from methodlens._version import __version__
from methodlens.engine.execute import CellDone, CellDue, PaperRead, Stages, entry_of, lost_paper, unread, work
from methodlens.engine.messages import Due, Job, KnownCell, PackedCell, Parcel, Ready, Refusal, Task, Told, decode, encode
from methodlens.errors import EngineError, MethodlensError
from methodlens.ledger.packing import pack, spans, stored, unpack
from methodlens.papers import PaperFile, WorkerPool
from methodlens.readers import create as create_reader
from methodlens.records import Answer, Cell, Paper, PaperStatus, Verdict
from methodlens.retrieval import create as create_retriever


def do(job: bytes, task: bytes) -> bytes:
    """Bytes to bytes, and no exception: what a paper may have had a hand in is never pickled."""
    return _answered(lambda: _parcel(_stages(job), decode(task, Task)))


def get_ready(job: bytes) -> bytes:
    """Build what the job needs before there is a task, so that whatever hinders it is no paper's fault."""

    def built() -> Ready:
        _stages(job)
        return Ready()

    return _answered(built)


def _answered(work: Callable[[], Parcel | Ready]) -> bytes:
    try:
        return encode(work())
    except MethodlensError as err:
        return encode(Refusal(err.problem, err.fix))
    except Exception as err:
        return encode(Refusal(f"a worker on {platform.node()} broke ({err!r:.300})", "install the same methodlens on every node"))


class _Memory:
    """What the ledger knows of this one paper. Of a known cell it is told the key and the status: the rest stays there."""

    def __init__(self, told: Told | None) -> None:
        self._told = told

    def paper(self, sha256: str, parser: str) -> Paper | None:
        told = self._told
        if told is None or (told.sha256, told.parser) != (sha256, parser):
            return None
        return unpack(told.body, Paper, key=sha256 + parser, expected=told.checksum, what=f"paper {sha256[:12]}")

    def cell(self, key: str, paper: Paper) -> Cell | None:
        if self._told is None or key not in self._told.cells:
            return None
        return Cell(key, paper.sha256, "", "", "", Verdict(self._told.cells[key]), Answer(""))


def _parcel(stages: Stages, task: Task) -> Parcel:
    """What breaks on a paper costs that paper; what we raise on purpose is about more than one."""
    try:
        return _done(stages, task)
    except MethodlensError:
        raise
    except Exception as err:
        return _broken(stages, task, err)


def _broken(stages: Stages, task: Task, err: Exception) -> Parcel:
    reason = f"methodlens broke on it ({err!r:.200}); please report that, with the paper if you may share it"
    paper = lost_paper(PaperFile(task.location, task.name), stages.parser.fingerprint, PaperStatus.CRASHED, reason)
    entry = entry_of(task.name, paper)
    cells = [_packed(done.cell) for done in unread(entry, paper, stages.questions, stages.readers)]
    return Parcel(entry, paper.parser, None, tuple(cells))


def _done(stages: Stages, task: Task) -> Parcel:
    cells: list[PackedCell] = []
    known: list[KnownCell] = []
    due: list[Due] = []
    order = iter([(question.id, reader.info.name) for question in stages.questions for reader in stages.readers])
    for step in work(PaperFile(task.location, task.name), stages, _Memory(task.told)):
        match step:
            case PaperRead(entry, paper, told):
                body = None if told else pack(paper)
                parser = paper.parser
            case CellDue():
                next(order)
                due.append(Due(step.key, step.question.id, step.reader.info.name, spans(step.hits, step.shown), step.shown))
            case CellDone(_, cell, stood):
                question, reader = next(order)
                if stood:
                    known.append(KnownCell(cell.key, question, reader, cell.verdict))
                else:
                    cells.append(_packed(cell))
    return Parcel(entry, parser, body, tuple(cells), tuple(known), tuple(due))


def _packed(cell: Cell) -> PackedCell:
    body = pack(stored(cell))
    return PackedCell(cell.key, cell.question, cell.reader, cell.verdict, body, round(cell.seconds, 4), cell.answer.usage)


@lru_cache(maxsize=1)
def _stages(message: bytes) -> Stages:
    """Built once a process: loading the vectors and starting a child to read PDFs takes a second."""
    try:
        job = decode(message, Job)
    except msgspec.MsgspecError as err:  # fields of another version
        raise EngineError(
            f"a worker on {platform.node()} has methodlens {__version__}, which does not know this job", _SAME
        ) from err
    _same("methodlens", job.version, __version__)
    pool = WorkerPool(1, job.settings.papers, job.settings.reading)
    atexit.register(pool.close)
    _same("a PDF reader", job.parser, pool.fingerprint)
    own = [create_reader(name, job.settings, os.environ) for name, _ in job.own]
    for reader, (name, fingerprint) in zip(own, job.own, strict=True):
        _same(f"a reader {name}", fingerprint, reader.info.fingerprint)
    retriever = create_retriever(job.settings.retrieval, os.environ)
    return Stages(
        pool, retriever, (*own, *job.absent), job.questions, job.settings.retrieval, max_file_mb=job.settings.papers.max_file_mb
    )


_SAME = "install the same methodlens, pypdfium2 and extras on every node, and on this one"


def _same(what: str, here: str, there: str) -> None:
    """A key made of other parts would be another cell, so all must be of one kind."""
    if here != there:
        raise EngineError(f"a worker on {platform.node()} has {what} {there}, this machine {here}", _SAME)
