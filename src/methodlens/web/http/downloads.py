"""Downloads: annotations as a table of labels, and cells as `methodlens export` writes them."""

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from methodlens.errors import InputError
from methodlens.ledger import run_rows
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, PaperEntry, Row, Status
from methodlens.reports.formats.csv_tables import encode_lines
from methodlens.reports.formats.export_format import Format, StreamFormat
from methodlens.reports.formats.export_rows import quotes_text
from methodlens.reports.formats.format_registry import load_format
from methodlens.reports.formats.jsonl import encode_line
from methodlens.web.expected_errors import EXPECTED_ERRORS

_BLOCK = 64 << 10
_COLUMNS = (
    "paper_sha256",
    "paper",
    "title",
    "question",
    "question_text",
    "annotator",
    "label",
    "note",
    "answer",
    "quotes",
    "blind",
    "at",
)
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class TableFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"


def annotations(items: Iterable[tuple[PaperEntry, Annotation]], format: TableFormat, run: Run) -> Response:
    """One row per annotation, with labels that `annotate import` knows."""
    texts = {question.id: question.text for question in run.questions}
    records = ((annotation, _record(paper, annotation, texts)) for paper, annotation in items)
    if format is TableFormat.JSONL:
        return Download((encode_line(record) for _, record in records), f"annotations.{format}")
    lines = ([str(value) for value in _csv_row(annotation, record)] for annotation, record in records)
    return Download(encode_lines(itertools.chain([_COLUMNS], lines)), f"annotations.{format}")


def _csv_row(annotation: Annotation, record: dict[str, object]) -> Iterator[object]:
    return (quotes_text(annotation.evidence) if name == "quotes" else record[name] for name in _COLUMNS)


def _record(paper: PaperEntry, annotation: Annotation, texts: dict[str, str]) -> dict[str, object]:
    return {
        "paper_sha256": paper.sha256,
        "paper": paper.name,
        "title": paper.title,
        "question": annotation.question,
        "question_text": texts.get(annotation.question, ""),
        "annotator": annotation.annotator,
        "label": "unsure" if annotation.status is Status.WITHHELD else annotation.status.value,
        "note": annotation.note,
        "answer": annotation.answer,
        "evidence": msgspec.to_builtins(annotation.evidence),
        "blind": annotation.blind,
        "at": annotation.at,
    }


def cells(ledger: Ledger, run: Run, format_name: str) -> Response:
    """The cells in any export format that writes one file."""
    chosen = load_format(format_name)
    if not chosen.suffix:
        raise InputError(f"{format_name} writes a folder", f"run: methodlens export --format {format_name}")
    rows, name = run_rows.rows(ledger, run), f"cells{chosen.suffix}"
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
