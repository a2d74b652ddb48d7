"""Long-lived child processes that answer requests over pipes, with a timeout per request.

A child runs a module whose main function calls `pipe.serve`. A dead child is replaced, and each one is restarted after a
number of requests. The PDF workers (`papers.pdf_worker`) and the paper workers of the engine are such children.
"""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import IO

from methodlens.confined import pipe

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL", re.IGNORECASE)
_SINGLE_THREADED = {
    "OPENBLAS_NUM_THREADS": "1",  # numpy would reserve memory for each core
    "TOKENIZERS_PARALLELISM": "false",  # there is already one child per core
}
_STARTUP_S = 10.0
OUT_OF_MEMORY = 127
"""The exit code of a child without memory for its reply, and of the GNU C library if it has none for a new thread."""
_NEEDED = frozenset(  # to find Python and its libraries, and to decode file names
    """PATH PYTHONPATH PYTHONHOME PYTHONUTF8 LD_LIBRARY_PATH DYLD_LIBRARY_PATH SYSTEMROOT LANG LC_ALL LC_CTYPE TMPDIR TEMP TMP
    TESSDATA_PREFIX""".split()
)
Environment = Callable[[Mapping[str, str]], dict[str, str]]


class Children:
    """A fixed number of children of one kind, each used by one thread at a time."""

    def __init__(self, module: str, size: int, *, max_requests: int, environment: Environment | None = None) -> None:
        self._all = [Child(module, max_requests=max_requests, environment=environment) for _ in range(max(1, size))]
        self._free: queue.LifoQueue[Child] = queue.LifoQueue()
        for child in self._all:
            self._free.put(child)

    @contextlib.contextmanager
    def borrow(self) -> "Iterator[Child]":
        """Waits until a child is free."""
        child = self._free.get()
        try:
            yield child
        finally:
            self._free.put(child)

    def stop(self) -> None:
        """Kills all children, busy ones too: their pending requests return None."""
        for child in self._all:
            child.stop()

    def close(self) -> None:
        """Kills the children that are free; borrowed ones are left to their borrowers."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._free.get_nowait().kill()


class Child:
    """One child process, started at the first request and again after it has died."""

    def __init__(self, module: str, *, max_requests: int, environment: Environment | None = None) -> None:
        """`environment` makes the child's variables from those of this process; by default those that name no secret."""
        self._module, self._max_requests = module, max_requests
        self._environment = environment or without_secrets
        self._process: subprocess.Popen[bytes] | None = None
        self._requests = 0

    @property
    def fresh(self) -> bool:
        """Whether the next request goes to a new process."""
        return self._process is None or self._requests >= self._max_requests or self._process.poll() is not None

    def request(self, message: bytes, *, timeout_s: float) -> bytes | None:
        """The reply; None if the process died of the request. Raises PipeTimeout or PipeTooBig: kill the child then."""
        if self.fresh:
            self.kill()  # it has reached max_requests, or died since its last request
        process = self._process or self._start()
        self._requests += 1
        try:
            pipe.send(_fd(process.stdin), message)
        except BrokenPipeError:
            return None
        startup = _STARTUP_S if self._requests == 1 else 0.0  # does not count towards the timeout
        return pipe.receive(_fd(process.stdout), deadline=time.monotonic() + timeout_s + startup)

    @property
    def ran_out_of_cpu_time(self) -> bool:
        """Whether its own CPU limit has ended the process."""
        return hasattr(signal, "SIGPROF") and self._exit_code == -signal.SIGPROF

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the process has ended because it could not allocate memory: PDFium aborts then, and so does the C library."""
        return self._exit_code in (-signal.SIGABRT, OUT_OF_MEMORY)

    @property
    def _exit_code(self) -> int | None:
        if self._process is None:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_STARTUP_S)
        return self._process.returncode

    def _start(self) -> "subprocess.Popen[bytes]":
        self._requests = 0
        self._process = subprocess.Popen(  # noqa: S603 - this Python interpreter, running a module of this package
            [sys.executable, "-P", "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=self._environment(os.environ) | _SINGLE_THREADED,
            start_new_session=True,  # so that Ctrl-C does not reach it: it would look like a crash caused by a paper
        )
        return self._process

    def stop(self) -> None:
        """Kills the process. Can be called from any thread; `kill` also cleans up, in the thread that uses the child."""
        if process := self._process:
            process.kill()

    def kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()


def _fd(stream: IO[bytes] | None) -> int:
    if stream is None:  # never: Popen was told to make both pipes
        raise BrokenPipeError
    return stream.fileno()


def only_needed(environ: Mapping[str, str]) -> dict[str, str]:
    """For a child that runs only code of this package and of the interpreter."""
    return {name: value for name, value in environ.items() if name.upper() in _NEEDED}


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """A child needs no API keys, so a malicious PDF cannot read them there."""
    return {name: value for name, value in environ.items() if not _SECRET.search(name)}
