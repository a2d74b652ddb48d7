"""The child process that writes annotated PDFs, limited and confined as the one that parses them (`confined.limited_worker`).

It cannot write files, so the parent fetches the new PDF in blocks.
"""

import hashlib
import os
from pathlib import Path

import msgspec
from msgspec import Struct

from methodlens.confined.limited_worker import serve_limited
from methodlens.reports.pdf.marks import PaperMarks
from methodlens.settings import PaperLimits


class AnnotateRequest(Struct, frozen=True, tag="annotate"):
    """The reply is an Annotated."""

    path: bytes
    sha256: str
    limits: PaperLimits
    marks: PaperMarks
    at: str
    """When, as in a PDF date."""


class BlockRequest(Struct, frozen=True, tag="block"):
    """The reply is a part of the PDF that was written last."""

    start: int
    size: int
    limits: PaperLimits


class Annotated(Struct, frozen=True):
    """The size of the new PDF in bytes; 0 if there is none, and `reason` says why. `note` is what the user should know."""

    size: int = 0
    reason: str = ""
    note: str = ""


class _Annotator:
    def __init__(self) -> None:
        self._written = b""

    def answer(self, request: AnnotateRequest | BlockRequest) -> bytes:
        if isinstance(request, BlockRequest):
            return self._written[request.start : request.start + request.size]
        self._written = b""
        return msgspec.json.encode(self._annotate(request))

    def _annotate(self, request: AnnotateRequest) -> Annotated:
        from methodlens.papers.pdf.glyphs import Unreadable
        from methodlens.reports.pdf.annotate import CannotAnnotate, annotate

        try:
            data = Path(os.fsdecode(request.path)).read_bytes()
            if hashlib.sha256(data).hexdigest() != request.sha256:
                return Annotated(reason="its file was changed after the run; run methodlens again")
            self._written, note = annotate(data, request.marks, at=request.at, max_pages=request.limits.max_pages)
            return Annotated(len(self._written), note=note)
        except OSError as err:
            return Annotated(reason=f"it cannot be read ({err.strerror}); check its permissions")
        except (CannotAnnotate, Unreadable) as err:
            return Annotated(reason=str(err))
        except MemoryError:
            return Annotated(reason=f"it needs more than {request.limits.memory_mb} MB; raise papers.memory_mb")
        except Exception as err:  # any exception costs only this paper
            return Annotated(reason=f"writing it failed ({type(err).__name__}); save it again with another program")


def main() -> None:
    serve_limited(msgspec.json.Decoder(AnnotateRequest | BlockRequest).decode, _Annotator().answer)


if __name__ == "__main__":
    main()
