"""Child processes that are asked over pipes: long-lived, a deadline per question, the dead replaced and the tired recycled.

A child is a module whose main calls `pipe.serve`. Those that read PDFs are one kind, those that do whole papers another.
"""

import contextlib
import os
import queue
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from typing import IO

from methodlens.papers import pipe

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL", re.IGNORECASE)
_ALONE = {
    "OPENBLAS_NUM_THREADS": "1",  # numpy would set memory aside for each core
    "TOKENIZERS_PARALLELISM": "false",  # there is a child for each core already
}
_TO_START_S = 10.0


class Children:
    """So many children of one kind, lent to one thread each."""

    def __init__(self, module: str, size: int, *, tired_after: int) -> None:
        self._all = [Child(module, tired_after=tired_after) for _ in range(max(1, size))]
        self._free: queue.LifoQueue[Child] = queue.LifoQueue()
        for child in self._all:
            self._free.put(child)

    @contextlib.contextmanager
    def one(self) -> "Iterator[Child]":
        child = self._free.get()
        try:
            yield child
        finally:
            self._free.put(child)

    def stop(self) -> None:
        """Whatever they are at. Whoever waits for one is told that it is gone."""
        for child in self._all:
            child.stop()

    def close(self) -> None:
        """Those that are lent stay with who has them."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._free.get_nowait().kill()


class Child:
    """One child, started when it is first needed and again when it has died."""

    def __init__(self, module: str, *, tired_after: int) -> None:
        self._module, self._tired_after = module, tired_after
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = 0

    @property
    def fresh(self) -> bool:
        """Whether the next question goes to a new process."""
        return self._process is None or self._tired or self._process.poll() is not None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def _tired(self) -> bool:
        return self._asked >= self._tired_after

    def ask(self, message: bytes, *, timeout_s: float) -> bytes | None:
        """The answer; None when it died of it. Raises PipeTimeout and PipeTooBig: it should be killed then."""
        if self.fresh:
            self.kill()  # tired, or dead since its last question, which is not this question's fault
        process = self._process or self._start()
        self._asked += 1
        try:
            pipe.send(_fd(process.stdin), message)
        except BrokenPipeError:
            return None
        # a fresh child needs a moment to start, which is not the question's fault
        grace = _TO_START_S if self._asked == 1 else 0.0
        return pipe.receive(_fd(process.stdout), deadline=time.monotonic() + timeout_s + grace)

    def _start(self) -> "subprocess.Popen[bytes]":
        self._asked = 0
        self._process = subprocess.Popen(  # noqa: S603 - this Python, with a module of ours
            [sys.executable, "-P", "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=without_secrets(os.environ) | _ALONE,
            start_new_session=True,  # Ctrl-C is for us: a child that it reached would look like one that a paper crashed
        )
        return self._process

    def stop(self) -> None:
        """From any thread: only its owner clears up after it."""
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
    if stream is None:  # both are pipes, by Popen's arguments above
        raise BrokenPipeError
    return stream.fileno()


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """A child has no use for keys, and a broken one should not hold them."""
    return {name: value for name, value in environ.items() if not _SECRET.search(name)}
