"""PDFs read in child processes: a deadline and a memory limit per paper, and a status for whatever became of it."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import msgspec
from msgspec.structs import replace

from methodlens.papers import pipe
from methodlens.papers.child import Child, Children
from methodlens.papers.pdf import ocr
from methodlens.papers.worker import OcrRequest, Picture, PictureRequest, PlainText, PlainTextRequest, ReadRequest, Request
from methodlens.records import Box, Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings

T = TypeVar("T")

REVISION = 5
"""Raised whenever the same file may give another text: papers are then read again, and their cells asked again."""
_PAPERS_PER_WORKER = 200  # then a fresh one: whatever a library leaks stays bounded


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
        self._workers = Children("methodlens.papers.worker", size, tired_after=_PAPERS_PER_WORKER)

    def parse(self, path: Path) -> Paper:
        if why_not := self._refused(path):
            return self._lost(*why_not)
        with self._workers.one() as worker:
            paper = self._read(worker, path)
            return self._read_pictures(worker, path, paper) if paper.unread and self._ocr else paper

    def text(self, path: Path) -> PlainText:
        """The text as the file has it: no boxes, no layout, many times as fast as `parse`."""
        if why_not := self._refused(path):
            return PlainText("", *why_not)
        with self._workers.one() as worker:
            reply, lost = self._ask(worker, PlainTextRequest(str(path.absolute()), self.limits), self.limits, PlainText)
            return reply or PlainText("", *lost)

    def picture(
        self, path: Path, page: int, *, scale: float = 1.5, boxes: Sequence[tuple[Box, str]] = (), grey: bool = False
    ) -> Picture:
        """A page as PNG: in colour with boxes over it, or small, in grey and without."""
        with self._workers.one() as worker:
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

    def _read(self, worker: Child, path: Path) -> Paper:
        request = ReadRequest(str(path.absolute()), self.limits, self.reading, self.fingerprint)
        reply, lost = self._ask(worker, request, self.limits, Paper)
        if reply and reply.status is PaperStatus.TOO_BIG:
            worker.kill()  # it may still hold what was too much, and the next paper needs the room
        return reply or self._lost(*lost)

    def _read_pictures(self, worker: Child, path: Path, paper: Paper) -> Paper:
        """In a child of its own, whose limits are wider; when it fails, the paper stays as it was."""
        worker.kill()
        request = OcrRequest(str(path.absolute()), self._ocr_limits, paper)
        reply, lost = self._ask(worker, request, self._ocr_limits, Paper)
        worker.kill()
        return reply or replace(paper, reason=f"{paper.reason} (OCR failed: {lost[1]})")

    def _ask(
        self, worker: Child, request: Request, limits: PaperLimits, reply_type: type[T]
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

    def _lost(self, status: PaperStatus, reason: str) -> Paper:
        return Paper(sha256="", parser=self.fingerprint, status=status, reason=reason)

    def close(self) -> None:
        self._workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
