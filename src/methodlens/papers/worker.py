"""The child process that reads PDFs: requests in on stdin, replies out on the pipe, one after another, until stdin ends.

It may be killed at any moment. It limits its own memory, and leaves when its parent is gone.
"""

import contextlib
import signal

import msgspec
from msgspec import Struct

from methodlens.papers import pipe
from methodlens.records import Box, Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings


class ReadRequest(Struct, frozen=True, tag="read"):
    """Answered with a Paper."""

    path: str
    limits: PaperLimits
    reading: ReadingSettings
    parser: str


class OcrRequest(Struct, frozen=True, tag="ocr"):
    """Answered with the Paper, its unread pages read from their pictures where that can be done."""

    path: str
    limits: PaperLimits
    paper: Paper


class PlainTextRequest(Struct, frozen=True, tag="plain_text"):
    """Answered with a PlainText."""

    path: str
    limits: PaperLimits


class PlainText(Struct, frozen=True):
    """The text as the file has it, a form feed between pages; a status and a reason when there is none."""

    text: str = ""
    status: PaperStatus = PaperStatus.OK
    reason: str = ""


class PictureRequest(Struct, frozen=True, tag="picture"):
    """Answered with a Picture: a page, with boxes drawn over it, each in a named style."""

    path: str
    limits: PaperLimits
    page: int
    scale: float
    boxes: tuple[tuple[Box, str], ...]
    grey: bool = False


class Picture(Struct, frozen=True):
    """`png` is empty when there is none, and `reason` says why."""

    png: bytes = b""
    reason: str = ""


Request = ReadRequest | PlainTextRequest | OcrRequest | PictureRequest


def answer(request: Request) -> object:
    """PDFium is imported only here: the parent never loads it."""
    from methodlens.papers import reading

    if isinstance(request, ReadRequest):
        return reading.read(request.path, limits=request.limits, reading=request.reading, parser=request.parser)
    if isinstance(request, PlainTextRequest):
        return PlainText(*reading.plain_text(request.path, limits=request.limits))
    if isinstance(request, OcrRequest):
        return reading.read_by_ocr(request.path, limits=request.limits, paper=request.paper)
    how = {"scale": request.scale, "boxes": request.boxes, "grey": request.grey}
    return Picture(*reading.picture(request.path, request.page, limits=request.limits, **how))


def main() -> None:
    limited = False

    def answered(message: bytes) -> bytes:
        nonlocal limited
        request: Request = msgspec.json.decode(message, type=Request)
        if not limited:
            _limit_memory(request.limits.memory_mb)
            limited = True
        if hasattr(signal, "alarm"):  # the parent's deadline comes first; this one is for when it died
            signal.alarm(int(request.limits.timeout_s) + 10)
        reply = msgspec.json.encode(answer(request))
        if hasattr(signal, "alarm"):
            signal.alarm(0)
        return reply

    pipe.serve(answered)


def _limit_memory(megabytes: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on Windows; a lower hard limit stays as it is
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
