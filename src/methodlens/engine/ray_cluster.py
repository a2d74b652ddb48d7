"""The engine on a Ray cluster (extra `ray`)."""

import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from methodlens.engine import worker
from methodlens.engine.engines import PaperLost
from methodlens.engine.execute import Task
from methodlens.engine.messages import Job, decode_reply, decode_result, encode, encode_task
from methodlens.errors import EngineError
from methodlens.ledger.paper_results import PaperResult
from methodlens.records import PaperStatus

_RETRIES = 5  # nodes come and go; a paper that kills every worker is given up
_TASKS_PER_CORE = 2  # one runs while the next is on its way; more would only fill the object store
_CONNECT_S = 5.0
_CLIENT_STARTS = 3  # the head starts a process for every client; on a busy machine it may die or be late
_CLIENT_DIED = ("Starting Ray client server failed", "Proxy failed to Connect to backend")


class RayCluster:
    """A Ray cluster to join: 'auto', HOST:6379, ray://HOST:10001, or 'local' to start one. A context manager.

    >>> with RayCluster("auto") as cluster:  # doctest: +SKIP
    ...     run(plan, cluster.engine(job), ledger)
    """

    def __init__(self, address: str, *, cores: int = 0) -> None:
        self._address = address
        self._ray = _connect(address, cores=cores)

    def engine(self, job: Job, *, at_once: int = 0) -> "RayEngine":
        """Returns once a worker has confirmed that it can do the job. `at_once` 0: twice the cluster's cores."""
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        if not cores:
            raise EngineError(f"the cluster at {self._address} has no cores", "start a worker: ray start --address=HEAD:6379")
        engine = RayEngine(self._ray, job, at_once=at_once or _TASKS_PER_CORE * cores)
        with _silence_stderr():
            engine.check()
        return engine

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ray.shutdown()


class RayEngine:
    """An Engine: a paper is a task, and Ray retries it when its machine dies."""

    local_files = False

    def __init__(self, ray: Any, job: Job, *, at_once: int) -> None:
        self.at_once = at_once
        self._ray, self._version = ray, job.version
        self._job = ray.put(encode(job))
        self._do = ray.remote(worker.do).options(num_cpus=1, max_retries=_RETRIES)
        errors = ray.exceptions
        self._deaths = (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError, errors.ObjectLostError)
        self._in_progress: set[Any] = set()
        self._abandoned = False

    def check(self) -> None:
        """Before anything is written: raises EngineError if a worker lacks methodlens or has another version."""
        try:
            answer = self._ray.remote(worker.prepare).options(num_cpus=1).remote(self._job)
        except ImportError as err:  # with ray://, the head loads our code before any worker does
            raise self._cannot_run(err) from None
        try:
            decode_reply(self._get(answer))
        except self._deaths as err:
            raise EngineError(
                f"the first worker died ({_gist(err)})", "give the nodes more memory, and check Ray's logs"
            ) from None

    def execute(self, task: Task) -> PaperResult | None:
        if self._abandoned:
            return None
        try:
            answer = self._do.remote(self._job, encode_task(task))
        except ConnectionError as err:  # with ray:// only
            raise _lost_cluster(err) from None
        self._in_progress.add(answer)
        try:
            return decode_result(self._get(answer))
        except self._ray.exceptions.TaskCancelledError:
            return None
        except self._deaths:
            if self._abandoned:
                return None
            reason = f"its worker died {_RETRIES + 1} times; give nodes more memory, or read it alone: methodlens show"
            raise PaperLost(PaperStatus.CRASHED, reason) from None
        finally:
            self._in_progress.discard(answer)

    def _get(self, answer: Any) -> bytes:
        """The reply; raises Ray's error if the worker died or the task was cancelled."""
        errors = self._ray.exceptions
        try:
            return bytes(self._ray.get(answer))
        except (*self._deaths, errors.TaskCancelledError):
            raise
        except (errors.RayTaskError, errors.RuntimeEnvSetupError) as err:
            # our function raises nothing, so the worker could not load it
            raise self._cannot_run(err) from None
        except (errors.RayError, ConnectionError) as err:
            raise _lost_cluster(err) from None

    def _cannot_run(self, err: Exception) -> EngineError:
        return EngineError(
            f"the workers cannot run methodlens ({_gist(err)})",
            f"install methodlens {self._version} on every node, and start Ray from that environment",
        )

    def abandon(self) -> None:
        self._abandoned = True
        for answer in tuple(self._in_progress):
            self._ray.cancel(answer, force=True)


def _lost_cluster(err: Exception) -> EngineError:
    return EngineError(f"the connection to the cluster was lost ({_gist(err)})", "start the cluster again, then rerun to resume")


def _connect(address: str, *, cores: int) -> Any:
    """The ray module, connected to the cluster at `address`, or to a new one on this machine for `local`."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when ray is imported: no telemetry
    if address == "local":
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # other users of this machine cannot join
    try:
        import ray
        import ray.exceptions
    except ImportError as err:
        raise EngineError("the engine 'ray' is not installed", "pip install 'methodlens[ray]'") from err
    _check_reachable(address)
    local = {"num_cpus": cores or None, "include_dashboard": False} if address == "local" else {}
    try:
        with _silence_stderr():
            _join(ray, partial(ray.init, address=address, log_to_driver=False, logging_level="ERROR", **local))
    except Exception as err:  # ConnectionError, RuntimeError (another Ray or Python), AuthenticationError, ...
        ray.shutdown()
        raise EngineError(
            f"the Ray cluster at {address} cannot be used ({_gist(err)})",
            "export RAY_AUTH_MODE=token here too, with the cluster's token in ~/.ray/auth_token, and the same versions of Ray "
            "and Python; see docs/how-to/many-papers.md",
        ) from None
    return ray


def _join(ray: Any, init: Callable[[], object]) -> None:
    """Calls `init`, and again if the process that the cluster starts for this client dies or is late."""
    for further in reversed(range(_CLIENT_STARTS)):
        try:
            init()
        except (RuntimeError, ConnectionError) as err:
            if not further or not any(message in str(err) for message in _CLIENT_DIED):
                raise
            ray.shutdown()
        else:
            return


def _check_reachable(address: str) -> None:
    """Ray itself would retry for a minute, then print a page of text."""
    if address in ("auto", "local"):
        return
    target = urlsplit(address if "://" in address else f"ray-gcs://{address}")
    if target.scheme == "ray" and find_spec("grpc") is None:
        raise EngineError(f"--address {address} needs grpcio, which is not installed", "pip install 'methodlens[ray]'")
    try:
        port = target.port
    except ValueError:
        port = None
    if target.scheme not in ("ray", "ray-gcs") or not target.hostname or (port is None and target.scheme != "ray"):
        raise EngineError(f"--address {address!r} is not a cluster", "it is 'local', 'auto', HOST:6379 or ray://HOST:10001")
    try:
        socket.create_connection((target.hostname, port or 10001), timeout=_CONNECT_S).close()
    except OSError as err:
        raise EngineError(
            f"no Ray cluster answers at {address} ({err.strerror or err})",
            "start one (docs/how-to/many-papers.md), or leave out --engine ray",
        ) from err


@contextmanager
def _silence_stderr() -> Iterator[None]:
    """Ray writes pages of text to stderr, bypassing Python; our error is one line."""
    sys.stderr.flush()
    saved = os.dup(2)
    with open(os.devnull, "wb") as null:
        os.dup2(null.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(saved, 2)
        os.close(saved)


def _gist(err: Exception) -> str:
    """The relevant line of Ray's message: the error at the end of a traceback, else its beginning."""
    lines = [line.strip() for line in str(err).splitlines() if line.strip()]
    raised = [line for line in lines if re.match(r"[\w.]*(Error|Exception): ", line)]
    return " ".join(raised[-1:] or lines[:2])[:300] or type(err).__name__
