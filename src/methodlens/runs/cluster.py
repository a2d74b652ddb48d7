"""The engine on a Ray cluster (extra `ray`): a paper is a task, and Ray does it again when its machine dies."""

import os
import socket
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from msgspec.structs import replace

from methodlens.errors import EngineError
from methodlens.papers import PaperFile, Sidecars, sha256_of
from methodlens.papers.elsewhere import is_url
from methodlens.records import Paper, PaperStatus
from methodlens.runs import faraway
from methodlens.runs.bulk import text_of
from methodlens.runs.engine import PaperDone
from methodlens.runs.execute import CellDone, CellDue, PaperRead, Step, described, entry_of, unreadable
from methodlens.runs.keys import digest
from methodlens.runs.ledger import Ledger
from methodlens.runs.packing import hits_of
from methodlens.runs.parcels import Job, Parcel, Task, Told, encode, reply
from methodlens.seams import Reader

_TRIES_AGAIN = 5  # a paper whose worker dies: nodes come and go; one that kills every worker is given up
_AHEAD = 2  # papers a core: one is done while the next is on its way. More would only fill the object store
_CONNECT_S = 5.0


class Cluster:
    """A Ray cluster that was joined: 'auto', HOST:6379, ray://HOST:10001, or 'local' for one of our own. A context manager.

    >>> with Cluster("auto") as cluster:  # doctest: +SKIP
    ...     run(plan, cluster.engine(job, ledger=ledger, readers=plan.readers), ledger)
    """

    def __init__(self, address: str, *, cores: int = 0) -> None:
        self._address = address
        self._ray = _connected(address, cores=cores)

    def engine(
        self, job: Job, *, ledger: Ledger, readers: Sequence[Reader], sidecars: Sequence[Sidecars] = (), at_once: int = 0
    ) -> "RayEngine":
        """`at_once` 0: twice the cluster's cores."""
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        if not cores:
            raise EngineError(f"the cluster at {self._address} has no core", "start a worker: ray start --address=HEAD:6379")
        engine = RayEngine(self._ray, job, ledger=ledger, readers=readers, sidecars=sidecars)
        engine.at_once = at_once or _AHEAD * cores
        return engine

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ray.shutdown()


class RayEngine:
    """An Engine on a cluster."""

    at_once = 1

    def __init__(
        self, ray: Any, job: Job, *, ledger: Ledger, readers: Sequence[Reader], sidecars: Sequence[Sidecars] = ()
    ) -> None:
        self._ray, self._job, self._ledger, self._sidecars = ray, job, ledger, sidecars
        self._readers = {reader.name: reader for reader in readers}
        self._questions = {question.id: question for question in job.questions}
        self._message = ray.put(encode(job))
        self._do = ray.remote(faraway.do).options(num_cpus=1, max_retries=_TRIES_AGAIN)

    def work(self, file: PaperFile) -> Iterator[Step | PaperDone]:
        told = self._ledger.told(file.name, self._job.parser)
        task = Task(file.location if is_url(file.location) else os.path.abspath(file.location), file.name, told)
        parcel = self._parcel(task)
        if parcel is None:
            yield from self._given_up(file)
            return
        yield PaperDone(parcel)
        if parcel.due:
            yield from self._due(parcel, told)

    def _parcel(self, task: Task) -> Parcel | None:
        """None: the paper took its worker down again and again."""
        errors = self._ray.exceptions
        try:
            return self._described(reply(self._ray.get(self._do.remote(self._message, encode(task)))))
        except (errors.RayTaskError, errors.RuntimeEnvSetupError) as err:
            # do() raises nothing, so it never ran: the worker could not even load it
            raise EngineError(
                f"the workers cannot run methodlens ({_last_line(err)})",
                f"install methodlens {self._job.version} on every node, and start Ray from that environment",
            ) from None
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError, errors.ObjectLostError):
            return None

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
            yield CellDue(parcel.entry, paper, self._questions[due.question], self._readers[due.reader], hits, due.key)

    def _given_up(self, file: PaperFile) -> Iterator[Step]:
        reason = f"its worker died {_TRIES_AGAIN + 1} times; give nodes more memory, or read it alone: methodlens show"
        sha256 = "" if is_url(file.location) else sha256_of(file.path)
        paper = Paper(sha256 or digest(file.location), self._job.parser, PaperStatus.CRASHED, reason)
        entry = entry_of(file.name, paper, self._sidecars)
        yield PaperRead(entry, paper, known=False)
        for question in self._questions.values():
            for reader in self._readers.values():
                yield CellDone(entry, unreadable(paper, question, reader), known=False)


def _connected(address: str, *, cores: int) -> Any:
    """Ray, joined to the cluster at `address`; one of its own on this machine for `local`."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it is read when ray is imported: nothing is reported to anybody
    if address == "local":
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # other users of this machine cannot join
    try:
        import ray
        import ray.exceptions
    except ImportError as err:
        raise EngineError("the engine ray is not installed", "pip install 'methodlens[ray]'") from err
    _check_reachable(address)
    own = {"num_cpus": cores or None, "include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except Exception as err:  # ConnectionError, RuntimeError (another Ray or Python), AuthenticationError, ...
        ray.shutdown()
        raise EngineError(
            f"the Ray cluster at {address} cannot be used ({_gist(err)})",
            "start one as docs/scale.md says; it needs the same Ray and Python here and there, and the token of the cluster",
        ) from None
    return ray


def _check_reachable(address: str) -> None:
    """Ray itself would try for a minute, and then say it in a page."""
    if address in ("auto", "local"):
        return
    where = urlsplit(address if "://" in address else f"ray-gcs://{address}")
    try:
        port = where.port
    except ValueError:
        port = None
    if where.scheme not in ("ray", "ray-gcs") or not where.hostname or (port is None and where.scheme != "ray"):
        raise EngineError(f"--address {address!r} is no cluster", "it is 'local', 'auto', HOST:6379 or ray://HOST:10001")
    try:
        socket.create_connection((where.hostname, port or 10001), timeout=_CONNECT_S).close()
    except OSError as err:
        raise EngineError(
            f"no Ray cluster answers at {address} ({err.strerror or err})", "start one (docs/scale.md), or leave out --engine ray"
        ) from err


def _gist(err: Exception) -> str:
    lines = [line.strip() for line in str(err).splitlines() if line.strip()]
    return " ".join(lines[:2])[:300] or type(err).__name__


def _last_line(err: Exception) -> str:
    lines = [line.strip() for line in str(err).splitlines() if line.strip()]
    return next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else type(err).__name__)[:300]
