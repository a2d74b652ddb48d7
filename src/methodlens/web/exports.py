"""Files to take away: people's words as a label table, and the cells as `methodlens export` writes them."""

import csv
import io
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from starlette.responses import Response

from methodlens.records import Annotation, PaperEntry, Status
from methodlens.reports import jsonl, table_csv, xlsx
from methodlens.reports.rows import whereabouts
from methodlens.reports.table_csv import harmless
from methodlens.runs import board
from methodlens.runs.ledger import Ledger, Run

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


def annotations(said: Sequence[tuple[PaperEntry, Annotation]], format: TableFormat, run: Run) -> Response:
    """One row a word, the label in a word that `annotate import` knows."""
    asked = {question.id: question.text for question in run.questions}
    if format is TableFormat.JSONL:
        lines = [jsonl.encoded_line(_object(paper, word, asked)) for paper, word in said]
        return _file(b"".join(lines), f"annotations.{format}")
    out = io.StringIO(newline="")
    table = csv.writer(out, quoting=csv.QUOTE_ALL)
    table.writerow(_COLUMNS)
    for paper, word in said:
        row = _object(paper, word, asked) | {"quotes": " | ".join(f"“{q.quote}” ({whereabouts(q)})" for q in word.evidence)}
        table.writerow([harmless(str(row[name])) for name in _COLUMNS])
    return _file(out.getvalue().encode("utf-8-sig", "replace"), f"annotations.{format}")


def cells(ledger: Ledger, run: Run, format: CellFormat) -> Response:
    rows = board.rows(ledger, run)
    if format is CellFormat.XLSX:
        with TemporaryDirectory() as folder:
            path = Path(folder, "cells.xlsx")
            xlsx.write(rows, path)
            return _file(path.read_bytes(), "cells.xlsx")
    out = io.BytesIO()
    (jsonl.write if format is CellFormat.JSONL else table_csv.write)(rows, out)
    return _file(out.getvalue(), f"cells.{format}")


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


def _file(body: bytes, name: str) -> Response:
    kind = TYPES[name.rpartition(".")[2]]
    return Response(body, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})
