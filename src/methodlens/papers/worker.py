"""The child process that reads PDFs: requests in on stdin, papers out on the pipe, one after another, until stdin ends.

It may be killed at any moment. It limits its own memory, and an alarm ends it even when its parent is gone.
"""

import contextlib
import hashlib
import os
import signal
import sys
from pathlib import Path

import msgspec

from methodlens.papers import pipe
from methodlens.records import Page, Paper, PaperStatus
from methodlens.settings import PaperLimits

REVISION = 1
"""Raised whenever the same file may give another text: papers are then read again, and their cells asked again."""


class Request(msgspec.Struct, frozen=True):
    path: str
    limits: PaperLimits
    parser: str


def read(request: Request) -> Paper:
    """The paper, whatever is wrong with it. Imports PDFium only here: the parent never loads it."""
    from methodlens.papers import extract
    from methodlens.papers.flow import flow, title_of
    from methodlens.papers.headings import sections

    def unreadable(status: PaperStatus, reason: str, digest: str = "") -> Paper:
        return Paper(sha256=digest, parser=request.parser, status=status, reason=reason)

    try:
        data = Path(request.path).read_bytes()
    except OSError as err:
        return unreadable(PaperStatus.MALFORMED, f"it cannot be read ({err.strerror}); check its permissions")
    digest = hashlib.sha256(data).hexdigest()
    try:
        document = extract.open_document(data, max_pages=request.limits.max_pages)
        pages = list(extract.pages(document))
        clean = flow(pages)
    except extract.Unreadable as err:
        return unreadable(err.status, err.reason, digest)
    except MemoryError:
        return unreadable(
            PaperStatus.TOO_BIG, f"it needs more than {request.limits.memory_mb} MB; raise papers.memory_mb", digest
        )
    status, reason = _legible(clean.text, clean.pages)
    if status is not PaperStatus.OK:
        return unreadable(status, reason, digest)
    return Paper(
        sha256=digest,
        parser=request.parser,
        title=title_of(pages),
        text=clean.text,
        pages=clean.pages,
        lines=clean.lines,
        sections=sections(clean.text, clean.headings),
    )


def _legible(text: str, pages: tuple[Page, ...]) -> tuple[PaperStatus, str]:
    letters = sum(char.isalpha() for char in text)
    if letters < 20 * max(1, min(len(pages), 10)):
        return PaperStatus.NO_TEXT, "its pages hold no text, only images; run OCR on it first"
    visible = sum(not char.isspace() for char in text)
    strange = sum(char == "\ufffd" or 0xE000 <= ord(char) <= 0xF8FF for char in text)
    if strange > 0.2 * visible:
        return PaperStatus.GARBLED, "its text layer is not readable characters; run OCR on it first"
    return PaperStatus.OK, ""


def _limit_memory(megabytes: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on Windows; a lower hard limit stays as it is
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """PDFium and libraries may print: the answers go to a descriptor of their own."""
    answers = os.dup(1)
    os.dup2(2, 1)
    limited = False
    while (message := pipe.receive(0)) is not None:
        request = msgspec.json.decode(message, type=Request)
        if not limited:
            _limit_memory(request.limits.memory_mb)
            limited = True
        if hasattr(signal, "alarm"):  # the parent's deadline comes first; this one is for when it died
            signal.alarm(int(request.limits.timeout_s) + 10)
        pipe.send(answers, msgspec.json.encode(read(request)))
        if hasattr(signal, "alarm"):
            signal.alarm(0)
    sys.exit(0)


if __name__ == "__main__":
    main()
