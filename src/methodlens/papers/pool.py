"""The parent's side: long-lived worker processes, a deadline per paper, the dead replaced and the tired recycled."""

import contextlib
import os
import queue
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import IO, Self, TypeVar

import msgspec
from msgspec.structs import replace

from methodlens.papers import pipe
from methodlens.papers.pdf import ocr
from methodlens.papers.worker import OcrRequest, Picture, PictureRequest, PlainText, PlainTextRequest, ReadRequest, Request
from methodlens.records import Box, Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings

T = TypeVar("T")

REVISION = 5
"""Raised whenever the same file may give another text: papers are then read again, and their cells asked again."""
_PAPERS_PER_WORKER = 200  # then a fresh one: whatever a library leaks stays bounded
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL", re.IGNORECASE)


def parser_fingerprint(reading: ReadingSettings) -> str:
    """What the text of a paper depends on besides its bytes."""
    by_ocr = ocr.available() if reading.ocr == "auto" else None
    parts = [f"pdfium-{version('pypdfium2')}-r{REVISION}", by_ocr, "hidden" if reading.hidden_text == "keep" else None]
    return "+".join(part for part in parts if part)


class WorkerPool:
    """A PdfParser that reads each paper in a child process. Safe to use from several threads at once.

    >>> with WorkerPool(2, PaperLimits()) as pool:  # doctest: +SKIP
    ...     paper = pool.parse(Path("paper.pdf"))
    """

    def __init__(self, size: int, limits: PaperLimits, reading: ReadingSettings = ReadingSettings()) -> None:  # noqa: B008 - frozen
        self.fingerprint = parser_fingerprint(reading)
        self.limits = limits
        self.reading = reading
        self._ocr = reading.ocr == "auto" and ocr.available() is not None
        self._ocr_limits = replace(limits, timeout_s=limits.ocr_timeout_s, memory_mb=limits.ocr_memory_mb)
        self._free: queue.LifoQueue[_Worker] = queue.LifoQueue()
        for _ in range(max(1, size)):
            self._free.put(_Worker())

    def parse(self, path: Path) -> Paper:
        if why_not := self._refused(path):
            return self._lost(*why_not)
        with self._worker() as worker:
            paper = self._read(worker, path)
            return self._read_pictures(worker, path, paper) if paper.unread and self._ocr else paper

    def text(self, path: Path) -> PlainText:
        """The text as the file has it: no boxes, no layout, many times as fast as `parse`."""
        if why_not := self._refused(path):
            return PlainText("", *why_not)
        with self._worker() as worker:
            reply, lost = self._ask(worker, PlainTextRequest(str(path.absolute()), self.limits), self.limits, PlainText)
            return reply or PlainText("", *lost)

    def picture(
        self, path: Path, page: int, *, scale: float = 1.5, boxes: Sequence[tuple[Box, str]] = (), grey: bool = False
    ) -> Picture:
        """A page as PNG: in colour with boxes over it, or small, in grey and without."""
        with self._worker() as worker:
            request = PictureRequest(str(path.absolute()), self.limits, page, scale, tuple(boxes), grey)
            reply, lost = self._ask(worker, request, self.limits, Picture)
            return reply or Picture(reason=lost[1])

    def _refused(self, path: Path) -> tuple[PaperStatus, str] | None:
        try:
            size = path.stat().st_size
        except OSError as err:
            return PaperStatus.MALFORMED, f"it cannot be read ({err.strerror}); check its path and permissions"
        if size > self.limits.max_file_mb << 20:
            return PaperStatus.TOO_BIG, f"it has {size >> 20} MB, the limit is {self.limits.max_file_mb}"
        return None

    def _read(self, worker: "_Worker", path: Path) -> Paper:
        request = ReadRequest(str(path.absolute()), self.limits, self.reading, self.fingerprint)
        reply, lost = self._ask(worker, request, self.limits, Paper)
        if reply and reply.status is PaperStatus.TOO_BIG:
            worker.kill()  # it may still hold what was too much, and the next paper needs the room
        return reply or self._lost(*lost)

    def _read_pictures(self, worker: "_Worker", path: Path, paper: Paper) -> Paper:
        """In a child of its own, whose limits are wider; when it fails, the paper stays as it was."""
        worker.kill()
        request = OcrRequest(str(path.absolute()), self._ocr_limits, paper)
        reply, lost = self._ask(worker, request, self._ocr_limits, Paper)
        worker.kill()
        return reply or replace(paper, reason=f"{paper.reason} (OCR failed: {lost[1]})")

    def _ask(
        self, worker: "_Worker", request: Request, limits: PaperLimits, reply_type: type[T]
    ) -> tuple[T | None, tuple[PaperStatus, str]]:
        """The reply, or None and what became of the worker."""
        broke = (PaperStatus.CRASHED, "the PDF library broke on it; save it anew with another program")
        try:
            reply = worker.ask(msgspec.json.encode(request), timeout_s=limits.timeout_s)
            if reply is not None:
                return msgspec.json.decode(reply, type=reply_type), broke
        except pipe.PipeTimeout:
            broke = (PaperStatus.TIMEOUT, f"reading took over {limits.timeout_s:g} s; raise papers.timeout_s")
        except pipe.PipeTooBig:
            broke = (PaperStatus.TOO_BIG, "it holds more text than a paper can; split it")
        except msgspec.MsgspecError:
            pass  # whatever the child sent, it is not a reply
        worker.kill()
        return None, broke

    @contextlib.contextmanager
    def _worker(self) -> "Iterator[_Worker]":
        worker = self._free.get()
        try:
            yield worker
        finally:
            self._free.put(worker)

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
        if self._papers >= _PAPERS_PER_WORKER or (self._process and self._process.poll() is not None):
            self.kill()  # tired, or dead since its last paper, which is not this paper's fault
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
            env=without_secrets(os.environ) | {"OPENBLAS_NUM_THREADS": "1"},  # numpy would set memory aside for each core
            start_new_session=True,  # Ctrl-C is for us: a worker that it reached would look like one that a paper crashed
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
