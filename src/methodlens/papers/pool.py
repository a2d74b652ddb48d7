"""The parent's side: long-lived worker processes, a deadline per paper, the dead replaced and the tired recycled."""

import contextlib
import os
import queue
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from methodlens.papers import pipe
from methodlens.papers.worker import REVISION, Request
from methodlens.records import Paper, PaperStatus
from methodlens.settings import PaperLimits

_PAPERS_PER_WORKER = 200  # then a fresh one: whatever a library leaks stays bounded
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL", re.IGNORECASE)


def parser_fingerprint() -> str:
    """What the text of a paper depends on besides its bytes."""
    return f"pdfium-{version('pypdfium2')}-r{REVISION}"


class WorkerPool:
    """A PdfParser that reads each paper in a child process. Safe to use from several threads at once.

    >>> with WorkerPool(2, PaperLimits()) as pool:  # doctest: +SKIP
    ...     paper = pool.parse(Path("paper.pdf"))
    """

    def __init__(self, size: int, limits: PaperLimits) -> None:
        self.fingerprint = parser_fingerprint()
        self.limits = limits
        self._free: queue.LifoQueue[_Worker] = queue.LifoQueue()
        for _ in range(max(1, size)):
            self._free.put(_Worker())

    def parse(self, path: Path) -> Paper:
        try:
            size = path.stat().st_size
        except OSError as err:
            return self._lost(PaperStatus.MALFORMED, f"it cannot be read ({err.strerror}); check its path and permissions")
        if size > self.limits.max_file_mb << 20:
            return self._lost(PaperStatus.TOO_BIG, f"it has {size >> 20} MB, the limit is {self.limits.max_file_mb}")
        worker = self._free.get()
        try:
            return self._ask(worker, path)
        finally:
            self._free.put(worker)

    def _ask(self, worker: "_Worker", path: Path) -> Paper:
        request = Request(str(path.absolute()), self.limits, self.fingerprint)
        try:
            reply = worker.ask(msgspec.json.encode(request), timeout_s=self.limits.timeout_s)
        except pipe.PipeTimeout:
            worker.kill()
            return self._lost(PaperStatus.TIMEOUT, f"reading took over {self.limits.timeout_s:g} s; raise papers.timeout_s")
        except pipe.PipeTooBig:
            worker.kill()
            return self._lost(PaperStatus.TOO_BIG, "it holds more text than a paper can; split it")
        if reply is None:
            worker.kill()
            return self._lost(PaperStatus.CRASHED, "the PDF library broke on it; save it anew with another program")
        try:
            return msgspec.json.decode(reply, type=Paper)
        except msgspec.MsgspecError:
            worker.kill()
            return self._lost(PaperStatus.CRASHED, "the PDF library broke on it; save it anew with another program")

    def _lost(self, status: PaperStatus, reason: str) -> Paper:
        return Paper(sha256="", parser=self.fingerprint, status=status, reason=reason)

    def close(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._free.get_nowait().kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class _Worker:
    """One child, started when it is first needed and again when it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._papers = 0

    def ask(self, message: bytes, *, timeout_s: float) -> bytes | None:
        if self._papers >= _PAPERS_PER_WORKER:
            self.kill()
        process = self._process or self._start()
        self._papers += 1
        try:
            pipe.send(_fd(process.stdin), message)
        except BrokenPipeError:
            return None
        # a fresh child needs a moment to start, which is not the paper's fault
        grace = 10.0 if self._papers == 1 else 0.0
        return pipe.receive(_fd(process.stdout), deadline=time.monotonic() + timeout_s + grace)

    def _start(self) -> "subprocess.Popen[bytes]":
        self._papers = 0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "methodlens.papers.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=without_secrets(os.environ),
        )
        return self._process

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
    """A PDF worker has no use for keys, and a broken one should not hold them."""
    return {name: value for name, value in environ.items() if not _SECRET.search(name)}
