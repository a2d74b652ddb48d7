"""Files to take away: people's words as a label table, and the cells as `methodlens export` writes them."""

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
from methodlens.web.expected_errors import TROUBLE

_BLOCK = 64 << 10
_COLUMNS = ("paper_sha256", "paper", "title", "question", "question_text", "annotator", "label", "note", "answer", "quotes", "at")
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_WORDS = {Status.REPORTED: "reported", Status.NOT_REPORTED: "not_reported", Status.WITHHELD: "unsure"}


class TableFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"


class CellFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    XLSX = "xlsx"


def annotations(said: Iterable[tuple[PaperEntry, Annotation]], format: TableFormat, run: Run) -> Response:
    """One row a word, the label in a word that `annotate import` knows."""
    asked = {question.id: question.text for question in run.questions}
    objects = ((word, _object(paper, word, asked)) for paper, word in said)
    if format is TableFormat.JSONL:
        return Download((jsonl.encode_line(one) for _, one in objects), f"annotations.{format}")
    rows = (one | {"quotes": " | ".join(f"“{q.quote}” ({quote_location(q)})" for q in word.evidence)} for word, one in objects)
    lines = ([str(row[name]) for name in _COLUMNS] for row in rows)
    return Download(csv_tables.encoded(itertools.chain([_COLUMNS], lines)), f"annotations.{format}")


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
    """No part of a workbook is there before all of it is: from a file, which is removed when it was sent."""
    folder = TemporaryDirectory()
    try:
        path = Path(folder.name, "cells.xlsx")
        xlsx.write(rows, path)
    except BaseException:
        folder.cleanup()
        raise
    sent = BackgroundTask(folder.cleanup)
    return FileResponse(path, media_type=TYPES["xlsx"], filename=path.name, background=sent)


class Download(StreamingResponse):
    """A file that is sent while it is made, some kilobytes at a time. What is wrong with its beginning is said as ever; what
    goes wrong later breaks the transfer off, so that nobody takes half a file for a whole one."""

    def __init__(self, pieces: Iterator[bytes], name: str) -> None:
        blocks = _blocks(pieces)
        first = next(blocks, b"")
        super().__init__(
            itertools.chain([first], blocks),
            media_type=TYPES[name.rpartition(".")[2]],
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # without an end the server closes the connection, and says so in a line
        with contextlib.suppress(*TROUBLE):
            await super().__call__(scope, receive, send)


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    block = bytearray()
    for piece in pieces:
        block += piece
        if len(block) >= _BLOCK:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def _object(paper: PaperEntry, word: Annotation, asked: dict[str, str]) -> dict[str, object]:
    return {
        "paper_sha256": paper.sha256,
        "paper": paper.name,
        "title": paper.title,
        "question": word.question,
        "question_text": asked.get(word.question, ""),
        "annotator": word.annotator,
        "label": _WORDS.get(word.status, word.status.value),
        "note": word.note,
        "answer": word.answer,
        "evidence": msgspec.to_builtins(word.evidence),
        "at": word.at,
    }
