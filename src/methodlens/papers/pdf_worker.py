"""The child process that parses papers, PDFs and other forms: one request after another on stdin, until stdin ends.

It limits its memory and CPU time, confines itself, exits with its parent, and may be killed at any moment.
"""

import os

import msgspec
from msgspec import Struct

from methodlens.confined.limited_worker import serve_limited
from methodlens.records import Box, Paper, PaperStatus
from methodlens.settings import PaperLimits, ReadingSettings


class ParseRequest(Struct, frozen=True, tag="parse"):
    """The reply is a Parsed. A document with more than `at_once` pages is not parsed: ask for ranges of its pages."""

    path: bytes
    limits: PaperLimits
    reading: ReadingSettings
    parser: str
    at_once: int


class Parsed(Struct, frozen=True):
    """A paper, or the number of pages of a long document."""

    paper: Paper | None = None
    pages: int = 0


class RangeRequest(Struct, frozen=True, tag="range"):
    """The reply is a PageRange."""

    path: bytes
    limits: PaperLimits
    reading: ReadingSettings
    first: int
    last: int


class PageRange(Struct, frozen=True):
    """Pages for a JoinRequest; empty if they cannot be read."""

    packed: bytes


class JoinRequest(Struct, frozen=True, tag="join"):
    """The reply is the Paper made of these ranges."""

    path: bytes
    limits: PaperLimits
    parser: str
    pages: int
    ranges: tuple[bytes, ...]


class OcrRequest(Struct, frozen=True, tag="ocr"):
    """The reply is the Paper with its unread pages recognised from their images, where possible.

    With `verify`, words of the other pages that are printed as other words are left out.
    """

    path: bytes
    limits: PaperLimits
    paper: Paper
    verify: bool = False


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
    clip: Box | None = None


class PageImage(Struct, frozen=True):
    """`png` is empty if the page cannot be rendered; `reason` is the cause."""

    png: bytes = b""
    reason: str = ""


class FormRequest(Struct, frozen=True, tag="form"):
    """A file in another form than PDF, such as JATS. The reply is a Paper."""

    path: bytes
    limits: PaperLimits
    parser: str


Request = FormRequest | ParseRequest | RangeRequest | JoinRequest | PlainTextRequest | OcrRequest | RenderRequest


def answer(request: Request) -> object:
    if isinstance(request, FormRequest):
        from methodlens.papers.forms.reading import parse_form

        return parse_form(os.fsdecode(request.path), limits=request.limits, parser=request.parser)
    from methodlens.papers.pdf import parse  # imports PDFium, which the parent process never loads

    path = os.fsdecode(request.path)
    if isinstance(request, ParseRequest):
        try:
            return Parsed(
                parse.parse_pdf(
                    path, limits=request.limits, reading=request.reading, parser=request.parser, at_once=request.at_once
                )
            )
        except parse.LongDocument as long:
            return Parsed(pages=long.pages)
    if isinstance(request, RangeRequest):
        return PageRange(parse.read_range(path, request.first, request.last, limits=request.limits, reading=request.reading))
    if isinstance(request, JoinRequest):
        return parse.join_ranges(path, request.pages, request.ranges, limits=request.limits, parser=request.parser)
    if isinstance(request, PlainTextRequest):
        return PlainText(*parse.plain_text(path, limits=request.limits))
    if isinstance(request, OcrRequest):
        return parse.parse_with_ocr(path, limits=request.limits, paper=request.paper, verify=request.verify)
    options = {"scale": request.scale, "boxes": request.boxes, "grey": request.grey, "clip": request.clip}
    return PageImage(*parse.render_page(path, request.page, limits=request.limits, **options))


def main() -> None:
    def confined(request: Request) -> bool:
        return not isinstance(request, OcrRequest)  # OCR engines write files and start processes

    decode = msgspec.json.Decoder(Request).decode
    serve_limited(decode, lambda request: msgspec.json.encode(answer(request)), reading_only=confined)


if __name__ == "__main__":
    main()
