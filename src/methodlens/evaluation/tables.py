"""Tables that people keep labels in: CSV in its many dialects, XLSX, JSON Lines. Each row knows its line."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from methodlens.errors import LabelsError
from methodlens.evaluation.workbook import sheet_rows

SUFFIXES = (".jsonl", ".csv", ".tsv", ".xlsx")
_MOST_BYTES = 200_000_000


class TableRow(NamedTuple):
    source: str
    line: int
    values: dict[str, Any]

    @property
    def where(self) -> str:
        return f"{self.source}, line {self.line}"


def read_table(path: Path) -> list[TableRow]:
    """The rows with a value in them, by column name."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise LabelsError(f"{path} is no table of labels", f"name a file that ends in {', '.join(SUFFIXES)}")
    data = _bytes(path)
    if suffix == ".jsonl":
        rows = list(_jsonl(_text(data, path), path.name))
    elif suffix == ".xlsx":
        rows = list(_headed(sheet_rows(data, str(path)), path))
    else:
        rows = list(_headed(_csv(_text(data, path), path), path))
    if not rows:
        raise LabelsError(f"{path} has no rows", "it needs a header and a line for each label or paper")
    return rows


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise LabelsError(f"{path} is larger than {_MOST_BYTES >> 20} MB", "is it the file you meant?")
        return path.read_bytes()
    except FileNotFoundError as err:
        raise LabelsError(f"{path} is not there", "name an existing file or folder") from err
    except OSError as err:
        raise LabelsError(f"{path} cannot be read ({err.strerror})", "name a file that you may read") from err


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = data.count(b"\n", 0, err.start) + 1
        raise LabelsError(f"{path}, line {line}: not UTF-8", "save the file as UTF-8") from err


def _csv(text: str, path: Path) -> Iterator[tuple[int, Sequence[str]]]:
    """Comma, semicolon or tab: whichever the header has most of."""
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        line = 1
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as err:
        raise LabelsError(f"{path}, line {reader.line_num}: {err}", "correct the quotes there, or save the file anew") from err


def _headed(lines: Iterator[tuple[int, Sequence[str]]], path: Path) -> Iterator[TableRow]:
    header: list[str] = []
    for line, row in lines:
        if not any(value.strip() for value in row):
            continue
        if not header:
            header = [name.strip() for name in row]
            _check_header(header, path)
            continue
        if any(value.strip() for value in row[len(header) :]):
            raise LabelsError(f"{path}, line {line}: more values than columns", "is a comma in a value without quotes?")
        yield TableRow(path.name, line, dict(zip(header, row, strict=False)))


def _check_header(header: Sequence[str], path: Path) -> None:
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise LabelsError(f"{path}: the column {twice[0]!r} stands twice in the header", "rename or remove one of the two")


def _jsonl(text: str, source: str) -> Iterator[TableRow]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            values = msgspec.json.decode(line)
        except msgspec.DecodeError as err:
            raise LabelsError(f"{source}, line {number}: {err}", "each line must be one JSON object") from err
        if not isinstance(values, dict):
            raise LabelsError(f"{source}, line {number}: not an object", "each line must be one JSON object")
        yield TableRow(source, number, values)
