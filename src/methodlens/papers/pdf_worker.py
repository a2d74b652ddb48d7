"""The child process that parses PDFs: one request after another on stdin, until stdin ends.

It limits its memory and CPU time, confines itself, exits with its parent, and may be killed at any moment.
"""

import contextlib
import os
import signal
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from methodlens.papers import pipe
from methodlens.papers.child import OUT_OF_MEMORY
from methodlens.papers.confinement import confine
from methodlens.records import Box, Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings


class ParseRequest(Struct, frozen=True, tag="parse"):
    """The reply is a Paper."""

    path: bytes
    limits: PaperLimits
    reading: ReadingSettings
    parser: str


class OcrRequest(Struct, frozen=True, tag="ocr"):
    """The reply is the Paper with its unread pages recognised from their images, where possible."""

    path: bytes
    limits: PaperLimits
    paper: Paper


class PlainTextRequest(Struct, frozen=True, tag="plain_text"):
    """The reply is a PlainText."""

    path: bytes
    limits: PaperLimits


class PlainText(Struct, frozen=True):
    """The text in the file's own order, with a form feed between pages; without text, a status and a reason."""

    text: str = ""
    status: PaperStatus = PaperStatus.OK
    reason: str = ""


class RenderRequest(Struct, frozen=True, tag="render"):
    """The reply is a PageImage with boxes drawn over the page, each in a named style."""

    path: bytes
    limits: PaperLimits
    page: int
    scale: float
    boxes: tuple[tuple[Box, str], ...]
    grey: bool = False


class PageImage(Struct, frozen=True):
    """`png` is empty if the page cannot be rendered; `reason` is the cause."""

    png: bytes = b""
    reason: str = ""


WALL_FACTOR = 10
"""How many times its CPU time a request may take on the clock."""

Request = ParseRequest | PlainTextRequest | OcrRequest | RenderRequest


def answer(request: Request) -> object:
    from methodlens.papers.pdf import parse  # imports PDFium, which the parent process never loads

    path = os.fsdecode(request.path)
    if isinstance(request, ParseRequest):
        return parse.parse_pdf(path, limits=request.limits, reading=request.reading, parser=request.parser)
    if isinstance(request, PlainTextRequest):
        return PlainText(*parse.plain_text(path, limits=request.limits))
    if isinstance(request, OcrRequest):
        return parse.parse_with_ocr(path, limits=request.limits, paper=request.paper)
    options = {"scale": request.scale, "boxes": request.boxes, "grey": request.grey}
    return PageImage(*parse.render_page(path, request.page, limits=request.limits, **options))


def main() -> None:
    limited = False

    def reply(message: bytes) -> bytes:
        nonlocal limited
        request: Request = msgspec.json.decode(message, type=Request)
        if not limited:
            _limit_memory(request.limits.memory_mb)
            confine(reading_only=not isinstance(request, OcrRequest))  # OCR engines write files and start processes
            limited = True
        with _limited_time(request.limits.timeout_s):
            return msgspec.json.encode(answer(request))

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


if __name__ == "__main__":
    main()
