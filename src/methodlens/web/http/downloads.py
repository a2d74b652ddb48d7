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

from methodlens.ledger import rows as board
from methodlens.ledger.ledger import Ledger, Run
from methodlens.records import Annotation, PaperEntry, Row, Status
from methodlens.reports.formats import csv_tables, jsonl, xlsx
from methodlens.reports.formats.export_rows import quote_location
from methodlens.web.expected_errors import EXPECTED_ERRORS

_BLOCK = 64 << 10
_COLUMNS = ("paper_sha256", "paper", "title", "question", "question_text", "annotator", "label", "note", "answer", "quotes", "at")
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class TableFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"


class CellFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    XLSX = "xlsx"


def annotations(items: Iterable[tuple[PaperEntry, Annotation]], format: TableFormat, run: Run) -> Response:
    """One row per annotation, with labels that `annotate import` knows."""
    texts = {question.id: question.text for question in run.questions}
    records = ((annotation, _record(paper, annotation, texts)) for paper, annotation in items)
    if format is TableFormat.JSONL:
        return Download((jsonl.encode_line(record) for _, record in records), f"annotations.{format}")
    lines = ([str(value) for value in _csv_row(annotation, record)] for annotation, record in records)
    return Download(csv_tables.encoded(itertools.chain([_COLUMNS], lines)), f"annotations.{format}")


def _csv_row(annotation: Annotation, record: dict[str, object]) -> Iterator[object]:
    quotes = " | ".join(f"“{evidence.quote}” ({quote_location(evidence)})" for evidence in annotation.evidence)
    return (quotes if name == "quotes" else record[name] for name in _COLUMNS)


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
        "at": annotation.at,
    }


def cells(ledger: Ledger, run: Run, format: CellFormat) -> Response:
    rows = board.rows(ledger, run)
    match format:
        case CellFormat.JSONL:
            return Download(map(jsonl.line, rows), "cells.jsonl")
        case CellFormat.CSV:
            return Download(csv_tables.encoded(csv_tables.answers(rows)), "cells.csv")
        case CellFormat.XLSX:
            return _workbook(rows)


def _workbook(rows: Iterable[Row]) -> Response:
    """A workbook cannot be streamed, so it is written to a temporary file that is removed after sending."""
    folder = TemporaryDirectory()
    try:
        path = Path(folder.name, "cells.xlsx")
        xlsx.write(rows, path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(path, media_type=MEDIA_TYPES["xlsx"], filename=path.name, background=BackgroundTask(folder.cleanup))


class Download(StreamingResponse):
    """A file streamed while it is written. An error in the first block becomes an error response; a later one breaks the
    connection, so that a truncated file is not mistaken for a complete one."""

    def __init__(self, pieces: Iterator[bytes], name: str) -> None:
        blocks = _blocks(pieces)
        first = next(blocks, b"")
        super().__init__(
            itertools.chain([first], blocks),
            media_type=MEDIA_TYPES[name.rpartition(".")[2]],
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
