"""Parquet files for pandas, DuckDB, polars and R: the tables `cells`, `facts` and `papers` of the Python API.

Lists and objects are stored as JSON text, since their shape differs from row to row. Needs the extra `frames`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from methodlens.errors import InputError
from methodlens.records import Row
from methodlens.reports.formats.export_format import Exported
from methodlens.reports.formats.export_rows import export_object, fact_objects, paper_object
from methodlens.reports.output_files import atomic_path
from methodlens.reports.verdict_matrix import rows_by_paper
from methodlens.text.printable import encodable

_BATCH = 500
"""Rows that are held in memory before they are written."""
COLUMNS: Mapping[str, Sequence[str]] = {
    "cells": (
        *("paper", "paper_sha256", "paper_status", "paper_flags", "question", "reader", "status", "reported", "p_reported"),
        *("answer", "reason", "evidence", "facts", "fact_confidence", "passages", "model", "seconds", "tokens", "usage"),
        *("calibrated", "answered_as", "speculation", "trail", "votes", "source", "code"),
    ),
    "facts": ("paper", "question", "reader", "status", "fact", "value", "number", "details"),
    "papers": (
        *("name", "sha256", "status", "reason", "title", "authors", "year", "doi", "pages", "text_sha256", "duplicate_of"),
        "flags",
    ),
}
_NOT_TEXT = {
    **dict.fromkeys(("reported", "calibrated"), "bool_"),
    **dict.fromkeys(("p_reported", "seconds", "number"), "float64"),
    **dict.fromkeys(("tokens", "year", "pages"), "int64"),
}
"""Columns that are not text, and their Arrow types."""


class Parquet:
    name = "parquet"
    suffix = ""
    description = "a folder with cells.parquet, facts.parquet and papers.parquet"

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        cells = facts = papers = 0
        with ExitStack() as stack:
            into = {name: stack.enter_context(open_table(name, path / f"{name}.parquet")) for name in COLUMNS}
            for paper_rows in rows_by_paper(rows):
                stated = [fact for row in paper_rows for fact in fact_objects(row)]
                into["papers"].add([paper_object(paper_rows[0].paper)])
                into["cells"].add([export_object(row) for row in paper_rows])
                into["facts"].add(stated)
                cells, facts, papers = cells + len(paper_rows), facts + len(stated), papers + 1
        return Exported(cells, lines=f"{cells} cells, {facts} facts and {papers} papers")


class TableFile:
    """A Parquet file that is written in batches."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema
        self._rows: list[dict[str, Any]] = []

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            self._rows.append({name: _flat(name, row.get(name)) for name in self._schema.names})
            if len(self._rows) >= _BATCH:
                self.flush()

    def flush(self) -> None:
        import pyarrow as pa

        try:
            table = pa.Table.from_pylist(self._rows, schema=self._schema)
        except UnicodeEncodeError:  # a lone surrogate, as in text from broken fonts
            table = pa.Table.from_pylist(encodable(self._rows), schema=self._schema)
        self._writer.write_table(table)
        self._rows = []


@contextmanager
def open_table(name: str, path: Path) -> Iterator[TableFile]:
    """The file of `cells`, `final`, `facts` or `papers`. It appears when it is complete."""
    if find_spec("pyarrow") is None:
        raise InputError("Parquet files need pyarrow", "pip install 'methodlens[frames]'")
    import pyarrow as pa
    from pyarrow import parquet

    columns = COLUMNS["cells" if name == "final" else name]
    schema = pa.schema([(column, getattr(pa, _NOT_TEXT.get(column, "string"))()) for column in columns])
    with atomic_path(path) as draft, parquet.ParquetWriter(draft, schema, compression="zstd") as writer:
        table = TableFile(writer, schema)
        yield table
        table.flush()


def _flat(column: str, value: Any) -> Any:
    """In a column of texts, what is no text is JSON."""
    if value is None or isinstance(value, str) or column in _NOT_TEXT:
        return value
    return msgspec.json.encode(encodable(value)).decode()
