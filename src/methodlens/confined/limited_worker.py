"""The main loop of a child process that reads untrusted files: it limits its memory and CPU time and confines itself."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from methodlens.confined import pipe
from methodlens.confined.child import OUT_OF_MEMORY
from methodlens.confined.confinement import confine

WALL_FACTOR = 10
"""How many times its CPU time a request may take on the clock."""


class Limits(Protocol):
    @property
    def timeout_s(self) -> float: ...
    @property
    def memory_mb(self) -> int: ...


class LimitedRequest(Protocol):
    @property
    def limits(self) -> Limits: ...


R = TypeVar("R", bound=LimitedRequest)


def serve_limited(
    decode: Callable[[bytes], R], answer: Callable[[R], bytes], *, reading_only: Callable[[R], bool] = lambda _: True
) -> None:
    """Answer requests until stdin ends. The first request sets the limit on memory and how the process is confined."""
    limited = False

    def reply(message: bytes) -> bytes:
        nonlocal limited
        request = decode(message)
        if not limited:
            _limit_memory(request.limits.memory_mb)
            confine(reading_only=reading_only(request))
            limited = True
        with _limited_time(request.limits.timeout_s):
            return answer(request)

    try:
        pipe.serve(reply)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


@contextlib.contextmanager
def _limited_time(cpu_s: float) -> Iterator[None]:
    """Ends the process after this much CPU time; on a busy machine that takes longer on the clock. The alarm is for a parent
    that has died, which has a shorter timeout."""
    if not hasattr(signal, "setitimer"):  # Windows: the parent's timeout remains
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    signal.alarm(int(WALL_FACTOR * cpu_s) + 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)


def _limit_memory(megabytes: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # no `resource` on Windows; a lower hard limit is kept
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
