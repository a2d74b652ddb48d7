"""Parse PDFs in child processes, with a timeout and a memory limit per paper. Every failure becomes the paper's status."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import msgspec
from msgspec.structs import replace

from methodlens.confined import pipe
from methodlens.confined.child import Child, Children, only_needed
from methodlens.confined.limited_worker import WALL_FACTOR
from methodlens.errors import SettingsError
from methodlens.papers.files import PDF_SUFFIXES
from methodlens.papers.pdf import ocr
from methodlens.papers.pdf_worker import (
    FormRequest,
    JoinRequest,
    OcrRequest,
    PageImage,
    PageRange,
    Parsed,
    ParseRequest,
    PlainText,
    PlainTextRequest,
    RangeRequest,
    RenderRequest,
    Request,
)
from methodlens.records import Box, Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings

T = TypeVar("T")

REVISION = 15
"""Increased whenever the same file may give another text: its papers are then parsed again, and their cells asked again."""
_PAGES_AT_ONCE, _PAGES_PER_RANGE = 100, 25  # a longer document is read in ranges
_PAPERS_PER_WORKER = 200  # then the worker is restarted, which bounds memory leaks of libraries


def parser_fingerprint(reading: ReadingSettings) -> str:
    """Identifies everything that the text of a paper depends on, apart from its bytes."""
    ocr_engine = ocr.available() if reading.ocr == "auto" else None
    verified = "verified" if ocr_engine and reading.verify == "ocr" else None
    parts = [
        f"pdfium-{version('pypdfium2')}-r{REVISION}",
        ocr_engine,
        verified,
        "hidden" if reading.hidden_text == "keep" else None,
    ]
    return "+".join(part for part in parts if part)


def ocr_limits(limits: PaperLimits) -> PaperLimits:
    return replace(limits, timeout_s=limits.ocr_timeout_s, memory_mb=limits.ocr_memory_mb)


def check_file(path: Path, limits: PaperLimits) -> tuple[PaperStatus, str] | None:
    """Why a file is not parsed at all, or None if it can be."""
    try:
        size = path.stat().st_size
    except OSError as err:
        return PaperStatus.MALFORMED, f"it cannot be read ({err.strerror}); check its path and permissions"
    if not path.is_file():
        return PaperStatus.MALFORMED, "it is not a regular file; copy the PDF itself to the folder"
    if size > limits.max_file_mb << 20:
        return PaperStatus.TOO_BIG, f"it has {size >> 20} MB, the limit is {limits.max_file_mb}; raise papers.max_file_mb"
    return None


def _too_much_memory(limits: PaperLimits) -> tuple[PaperStatus, str]:
    fix = "it may be made to fill the memory; raise papers.memory_mb if you trust it"
    return PaperStatus.TOO_BIG, f"it needs more than {limits.memory_mb} MB; {fix}"


def _too_slow(seconds: float, of: str) -> tuple[PaperStatus, str]:
    return PaperStatus.TIMEOUT, f"parsing took more than {seconds:g} s of {of}; raise papers.timeout_s"


def request_reply(
    worker: Child, message: bytes, limits: PaperLimits, decode: Callable[[bytes], T]
) -> tuple[T | None, tuple[PaperStatus, str]]:
    """The reply of a worker that runs `serve_limited`, or None and the failure."""
    failure = (PaperStatus.CRASHED, "the PDF library crashed on it; save it again with another program")
    try:
        reply = worker.request(message, timeout_s=WALL_FACTOR * limits.timeout_s)
        if reply is not None:
            return decode(reply), failure
        if worker.ran_out_of_cpu_time:
            failure = _too_slow(limits.timeout_s, "CPU time")
        elif worker.ran_out_of_memory:
            failure = _too_much_memory(limits)
    except pipe.PipeTimeout:
        failure = _too_slow(WALL_FACTOR * limits.timeout_s, "time")
    except pipe.PipeTooBig:
        failure = (PaperStatus.TOO_BIG, "it contains more text than any paper should; split it")
    except msgspec.MsgspecError:
        pass  # the child sent something that is not a reply
    worker.kill()
    return None, failure


def _request(
    worker: Child, request: Request, limits: PaperLimits, reply_type: type[T]
) -> tuple[T | None, tuple[PaperStatus, str]]:
    return request_reply(worker, msgspec.json.encode(request), limits, partial(msgspec.json.decode, type=reply_type))


class WorkerPool:
    """A Parser that parses each PDF in a child process. Can be used from several threads at once.

    >>> with WorkerPool(2, PaperLimits()) as pool:  # doctest: +SKIP
    ...     paper = pool.parse(Path("paper.pdf"))
    """

    suffixes = PDF_SUFFIXES

    def __init__(self, size: int, limits: PaperLimits, reading: ReadingSettings = ReadingSettings()) -> None:  # noqa: B008 - frozen
        self.fingerprint = parser_fingerprint(reading)
        self.limits = limits
        self.reading = reading
        self._ocr = reading.ocr == "auto" and ocr.available() is not None
        if reading.verify == "ocr" and ocr.available() is None:
            raise SettingsError("reading.verify = \"ocr\" needs the extra 'ocr'", "pip install 'methodlens[ocr]'")
        self._verify = self._ocr and reading.verify == "ocr" and reading.hidden_text == "leave_out"
        self._ocr_limits = ocr_limits(limits)
        self._workers = Children("methodlens.papers.pdf_worker", size, max_requests=_PAPERS_PER_WORKER, environment=only_needed)

    def parse(self, path: Path) -> Paper:
        if failure := check_file(path, self.limits):
            return self._failed(*failure)
        with self._workers.borrow() as worker:
            paper = self._parse(worker, path)
            verify = self._verify and paper.status is PaperStatus.OK and len(paper.pages) <= _PAGES_AT_ONCE
            return self._recognise(worker, path, paper, verify) if verify or (paper.unread and self._ocr) else paper

    def parse_form(self, path: Path, fingerprint: str) -> Paper:
        """A paper in another form than PDF, under the same limits."""
        if failure := check_file(path, self.limits):
            return Paper(sha256="", parser=fingerprint, status=failure[0], reason=failure[1])
        with self._workers.borrow() as worker:
            request = FormRequest(os.fsencode(path.absolute()), self.limits, fingerprint)
            paper, failure = _request(worker, request, self.limits, Paper)
        return paper or Paper(sha256="", parser=fingerprint, status=failure[0], reason=failure[1])

    def text(self, path: Path) -> PlainText:
        """The text in the file's own order, without boxes or layout. Many times faster than `parse`."""
        if failure := check_file(path, self.limits):
            return PlainText("", *failure)
        with self._workers.borrow() as worker:
            reply, failure = _request(worker, PlainTextRequest(os.fsencode(path.absolute()), self.limits), self.limits, PlainText)
            return reply or PlainText("", *failure)

    def render(
        self,
        path: Path,
        page: int,
        *,
        scale: float = 1.5,
        boxes: Sequence[tuple[Box, str]] = (),
        grey: bool = False,
        clip: Box | None = None,
    ) -> PageImage:
        """A page, or its part in `clip`, as PNG: in colour with boxes drawn over it, or small, in grey and without boxes."""
        with self._workers.borrow() as worker:
            request = RenderRequest(os.fsencode(path.absolute()), self.limits, page, scale, tuple(boxes), grey, clip)
            reply, failure = _request(worker, request, self.limits, PageImage)
            return reply or PageImage(reason=failure[1])

    def _parse(self, worker: Child, path: Path) -> Paper:
        name = os.fsencode(path.absolute())
        request = ParseRequest(name, self.limits, self.reading, self.fingerprint, _PAGES_AT_ONCE)
        reply, failure = _request(worker, request, self.limits, Parsed)
        if reply is None:
            return self._failed(*failure)
        paper = reply.paper or self._parse_in_ranges(worker, name, reply.pages)
        if paper.status is PaperStatus.TOO_BIG:
            worker.kill()  # frees the memory it may still hold, for the next paper
        return paper

    def _parse_in_ranges(self, worker: Child, name: bytes, pages: int) -> Paper:
        """Each range of pages has the limits of a paper. If it exceeds them, only its own pages are unread."""
        ranges: list[bytes] = []
        failures: list[tuple[PaperStatus, str]] = []
        for first in range(1, pages + 1, _PAGES_PER_RANGE):
            last = min(pages, first + _PAGES_PER_RANGE - 1)
            request = RangeRequest(name, self.limits, self.reading, first, last)
            reply, failure = _request(worker, request, self.limits, PageRange)
            if reply and reply.packed:
                ranges.append(reply.packed)
            else:
                failures.append(failure)
        if not ranges:
            return self._failed(*failures[0])
        join = JoinRequest(name, self.limits, self.fingerprint, pages, tuple(ranges))
        paper, failure = _request(worker, join, self.limits, Paper)
        return paper or self._failed(*failure)

    def _recognise(self, worker: Child, path: Path, paper: Paper, verify: bool) -> Paper:
        """OCR in a new process, which has wider limits; if it fails, the paper stays as it is."""
        worker.kill()
        request = OcrRequest(os.fsencode(path.absolute()), self._ocr_limits, paper, verify)
        reply, failure = _request(worker, request, self._ocr_limits, Paper)
        worker.kill()
        return reply or replace(paper, reason=f"{paper.reason} (OCR failed: {failure[1]})")

    def _failed(self, status: PaperStatus, reason: str) -> Paper:
        return Paper(sha256="", parser=self.fingerprint, status=status, reason=reason)

    def close(self) -> None:
        self._workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
