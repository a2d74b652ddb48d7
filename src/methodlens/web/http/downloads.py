"""Downloads: annotations as a table of labels, and cells as `methodlens export` writes them."""

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from methodlens.errors import InputError
from methodlens.ledger.final_words import rows_of_export
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, PaperEntry, Row
from methodlens.reports.annotation_files import AnnotationFormat, annotation_lines
from methodlens.reports.formats.export_format import Format, RunFormat, StreamFormat
from methodlens.reports.formats.format_registry import load_format
from methodlens.settings import Settings
from methodlens.web.expected_errors import EXPECTED_ERRORS

_BLOCK = 64 << 10
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "jsonld": "application/ld+json",
    "nq": "application/n-quads",
    "ttl": "text/turtle",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}


def annotations(items: Iterable[tuple[PaperEntry, Annotation]], format: AnnotationFormat, run: Run) -> Response:
    return Download(annotation_lines(items, run.questions, format), f"annotations.{format}")


def cells(ledger: Ledger, run: Run, format_name: str) -> Response:
    """The cells in any export format that writes one file."""
    chosen = load_format(format_name)
    if not chosen.suffix:
        raise InputError(f"{format_name} writes a folder", f"run: methodlens export --format {format_name}")
    if isinstance(chosen, RunFormat):
        chosen = chosen.for_run(run, ledger, Settings())  # settings matter to formats that read files, which write folders
    rows, name = rows_of_export(ledger, run), f"cells{chosen.suffix}"
    return Download(chosen.stream(rows), name) if isinstance(chosen, StreamFormat) else _file(chosen, rows, name)


def _file(format: Format, rows: Iterable[Row], name: str) -> Response:
    """A format that cannot be streamed is written to a temporary file that is removed after sending."""
    folder = TemporaryDirectory()
    try:
        path = Path(folder.name, name)
        format.write(rows, path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(path, media_type=_media_type(name), filename=name, background=BackgroundTask(folder.cleanup))


def _media_type(name: str) -> str:
    return MEDIA_TYPES.get(name.rpartition(".")[2], "application/octet-stream")


class Download(StreamingResponse):
    """A file streamed while it is written. An error in the first block becomes an error response; a later one breaks the
    connection, so that a truncated file is not mistaken for a complete one."""

    def __init__(self, pieces: Iterator[bytes], name: str) -> None:
        blocks = _blocks(pieces)
        first = next(blocks, b"")
        super().__init__(
            itertools.chain([first], blocks),
            media_type=_media_type(name),
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # a response without an end makes the server close the connection and log one line
        with contextlib.suppress(*EXPECTED_ERRORS):
            await super().__call__(scope, receive, send)


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    block = bytearray()
    for piece in pieces:
        block += piece
        if len(block) >= _BLOCK:
            yield bytes(block)
            block.clear()
    yield bytes(block)
