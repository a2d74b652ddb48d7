"""Read label tables (CSV, TSV, XLSX, JSON Lines) as rows that know their line number."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from methodlens.errors import LabelsError
from methodlens.evaluation.workbook import sheet_rows

SUFFIXES = (".jsonl", ".csv", ".tsv", ".xlsx")
_MAX_BYTES = 200_000_000


class TableRow(NamedTuple):
    source: str
    line: int
    values: dict[str, Any]

    @property
    def where(self) -> str:
        return f"{self.source}, line {self.line}"


def read_table(path: Path) -> list[TableRow]:
    """The non-empty rows of a file, with values by column name. Raises LabelsError if the file cannot be parsed."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise LabelsError(f"{path} is not a label table", f"use a file that ends in {', '.join(SUFFIXES)}")
    data = _read_bytes(path)
    if suffix == ".jsonl":
        rows = list(_jsonl_rows(_decode(data, path), path.name))
    elif suffix == ".xlsx":
        rows = list(_with_header(sheet_rows(data, str(path)), path))
    else:
        rows = list(_with_header(_csv_lines(_decode(data, path), path), path))
    if not rows:
        raise LabelsError(f"{path} has no rows", "add a header and one line per label or per paper")
    return rows


def _read_bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise LabelsError(f"{path} is larger than {_MAX_BYTES >> 20} MB", "check that it is the right file")
        return path.read_bytes()
    except FileNotFoundError as err:
        raise LabelsError(f"{path} does not exist", "use an existing file or folder") from err
    except OSError as err:
        raise LabelsError(f"{path} cannot be read ({err.strerror})", "check its permissions") from err


def _decode(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = data.count(b"\n", 0, err.start) + 1
        raise LabelsError(f"{path}, line {line}: not UTF-8", "save the file as UTF-8") from err


def _jsonl_rows(text: str, source: str) -> Iterator[TableRow]:
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


def _with_header(lines: Iterator[tuple[int, Sequence[str]]], path: Path) -> Iterator[TableRow]:
    header: list[str] = []
    for line, values in lines:
        if not any(value.strip() for value in values):
            continue
        if not header:
            header = [name.strip() for name in values]
            repeated = sorted({name for name in header if name and header.count(name) > 1})
            if repeated:
                raise LabelsError(f"{path}: duplicate column {repeated[0]!r} in the header", "rename or remove one of them")
            continue
        if any(value.strip() for value in values[len(header) :]):
            raise LabelsError(f"{path}, line {line}: more values than columns", "put values that contain commas in quotes")
        yield TableRow(path.name, line, dict(zip(header, values, strict=False)))


def _csv_lines(text: str, path: Path) -> Iterator[tuple[int, Sequence[str]]]:
    """The delimiter is the most frequent of comma, semicolon and tab in the header."""
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        line = 1
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as err:
        raise LabelsError(
            f"{path}, line {reader.line_num}: {err}", "fix the quotes in this line, or export the file again"
        ) from err
