"""The engine on a Ray cluster (extra `ray`): a paper is a task, and Ray does it again when its machine dies."""

import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from methodlens.engine import worker as faraway
from methodlens.engine.messages import Job, encode, ready
from methodlens.engine.remote import PaperLost
from methodlens.errors import EngineError
from methodlens.records import PaperStatus

_TRIES_AGAIN = 5  # a paper whose worker dies: nodes come and go; one that kills every worker is given up
_AHEAD = 2  # papers a core: one is done while the next is on its way. More would only fill the object store
_CONNECT_S = 5.0


class Cluster:
    """A Ray cluster that was joined: 'auto', HOST:6379, ray://HOST:10001, or 'local' for one of our own. A context manager.

    >>> with Cluster("auto") as cluster:  # doctest: +SKIP
    ...     run(plan, ParcelEngine(cluster.hands(job), job, ledger=ledger, readers=plan.readers), ledger)
    """

    def __init__(self, address: str, *, cores: int = 0) -> None:
        self._address = address
        self._ray = _connected(address, cores=cores)

    def hands(self, job: Job, *, at_once: int = 0) -> "RayHands":
        """Once one worker says that it can do the job. `at_once` 0: twice the cluster's cores."""
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        if not cores:
            raise EngineError(f"the cluster at {self._address} has no core", "start a worker: ray start --address=HEAD:6379")
        found = RayHands(self._ray, job, at_once=at_once or _AHEAD * cores)
        with _quietly():
            found.check()
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ray.shutdown()


class RayHands:
    """Hands on a cluster."""

    fetch = False

    def __init__(self, ray: Any, job: Job, *, at_once: int) -> None:
        self.at_once = at_once
        self._ray, self._version = ray, job.version
        self._job = ray.put(encode(job))
        self._do = ray.remote(faraway.do).options(num_cpus=1, max_retries=_TRIES_AGAIN)
        errors = ray.exceptions
        self._deaths = (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError, errors.ObjectLostError)
        self._under_way: set[Any] = set()
        self._abandoned = False

    def check(self) -> None:
        """Before anything is written: a worker that has not our package, or another one, says so now."""
        try:
            answer = self._ray.remote(faraway.get_ready).options(num_cpus=1).remote(self._job)
        except ImportError as err:  # by ray://, what we send is loaded by the head before any worker has it
            raise self._cannot_run(err) from None
        try:
            ready(self._got(answer))
        except self._deaths as err:
            raise EngineError(
                f"the first worker died ({_gist(err)})", "give the nodes more memory, and look at Ray's logs"
            ) from None

    def do(self, task: bytes) -> bytes | None:
        if self._abandoned:
            return None
        try:
            parcel = self._do.remote(self._job, task)
        except ConnectionError as err:  # by ray:// only
            raise _went_away(err) from None
        self._under_way.add(parcel)
        try:
            return self._got(parcel)
        except self._ray.exceptions.TaskCancelledError:
            return None
        except self._deaths:
            if self._abandoned:
                return None
            reason = f"its worker died {_TRIES_AGAIN + 1} times; give nodes more memory, or read it alone: methodlens show"
            raise PaperLost(PaperStatus.CRASHED, reason) from None
        finally:
            self._under_way.discard(parcel)

    def _got(self, answer: Any) -> bytes:
        """The bytes; Ray's own error where the worker died or the task was cancelled."""
        errors = self._ray.exceptions
        try:
            return bytes(self._ray.get(answer))
        except (*self._deaths, errors.TaskCancelledError):
            raise
        except (errors.RayTaskError, errors.RuntimeEnvSetupError) as err:
            # what we send there raises nothing, so it never ran: the worker could not even load it
            raise self._cannot_run(err) from None
        except (errors.RayError, ConnectionError) as err:
            raise _went_away(err) from None

    def _cannot_run(self, err: Exception) -> EngineError:
        return EngineError(
            f"the workers cannot run methodlens ({_gist(err)})",
            f"install methodlens {self._version} on every node, and start Ray from that environment",
        )

    def abandon(self) -> None:
        self._abandoned = True
        for parcel in tuple(self._under_way):
            self._ray.cancel(parcel, force=True)


def _went_away(err: Exception) -> EngineError:
    return EngineError(f"the cluster went away ({_gist(err)})", "start it again, and this run too: it goes on where it stopped")


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
        with _quietly():
            ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except Exception as err:  # ConnectionError, RuntimeError (another Ray or Python), AuthenticationError, ...
        ray.shutdown()
        raise EngineError(
            f"the Ray cluster at {address} cannot be used ({_gist(err)})",
            "export RAY_AUTH_MODE=token here too, with the cluster's own token in ~/.ray/auth_token; Ray and Python must be the "
            "same here and there; docs/how-to/many-papers.md says how to start one",
        ) from None
    return ray


def _check_reachable(address: str) -> None:
    """Ray itself would try for a minute, and then say it in a page."""
    if address in ("auto", "local"):
        return
    where = urlsplit(address if "://" in address else f"ray-gcs://{address}")
    if where.scheme == "ray" and find_spec("grpc") is None:
        raise EngineError(f"--address {address} needs grpcio, which is not installed", "pip install 'methodlens[ray]'")
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
            f"no Ray cluster answers at {address} ({err.strerror or err})",
            "start one (docs/how-to/many-papers.md), or leave out --engine ray",
        ) from err


@contextmanager
def _quietly() -> Iterator[None]:
    """Ray speaks on stderr past Python, in pages: what is wrong is said once, by us."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def _gist(err: Exception) -> str:
    """Of a page that Ray says, the line that counts: the error that ends a traceback, else how it begins."""
    lines = [line.strip() for line in str(err).splitlines() if line.strip()]
    raised = [line for line in lines if re.match(r"[\w.]*(Error|Exception): ", line)]
    return " ".join(raised[-1:] or lines[:2])[:300] or type(err).__name__
