"""What can be quoted from a paper: its sentences, and the rows of its tables with the names of their columns.

Table 2. Batch size: 32 (encoder), 8 (decoder); Epochs: 100 (encoder), 40 (decoder)
Table 3. ResNet-18 – Batch size: 32; Learning rate: 0.005
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from methodlens.records import Paper, Table, TableRow
from methodlens.text.sentences import sentences

_MAX_ROWS = 40  # of a table
_MAX_CHARS = 400
# columns that say nothing about their values
_NO_TITLE = re.compile(
    r"(?:values?|settings?|description|details?|configuration|choice|specifications?|used|default)\b\.?", re.IGNORECASE
)
# what a row or column can give of a method, an experiment or data; a name of a model or a dataset is none
_PROPERTY = re.compile(
    r"\b(?:rate|sizes?|batch\w*|epochs?|optimi[sz]er|momentum|decay|drop-?out|iterations?|steps?|loss|layers?|seeds?|gamma|beta|alpha"
    r"|epsilon|lambda|factor|ratio|dimensions?|resolution|gpus?|cpus?|ram|memory|processor|framework|version|activation|schedul\w+"
    r"|regulari[sz]ation|augmentation|initiali[sz]ation|number|patience|warm-?up|temperature|threshold|kernel|stride|filters?|units"
    r"|length|width|height|time|duration|train\w*|test\w*|valid\w*|images|samples|total|count|accuracy|precision|recall|f1|auc|score)\b",
    re.IGNORECASE,
)


class Quotable(NamedTuple):
    """A span of a paper's text, and how to quote it."""

    start: int
    end: int
    text: str


def quotable(paper: Paper, start: int, end: int, wanted: Callable[[str], bool] | None = None) -> list[Quotable]:
    """The sentences in paper.text[start:end], in order, then the rows of the tables that are at least partly there.

    With `wanted`, only rows whose text it accepts; neighbours among them are quoted together if each row is a list of values.
    """
    tables = [table for table in paper.tables if table.start < end and start < table.end]
    found = [
        Quotable(first, last, paper.text[first:last])
        for begin, stop in _outside(tables, start, end)
        for first, last in sentences(paper.text, begin, stop)
    ]
    for table in tables:
        found += _rows(table, wanted)
    return found


def quote(paper: Paper, start: int, end: int) -> str:
    """How to quote a span: rows of a table in words, anything else as printed."""
    for table in paper.tables:
        if table.start <= start < end <= table.end:
            rows = [row for row in table.rows if row.start < end and start < row.end]
            if rows and (rows[0].start, rows[-1].end) == (start, end):
                by_row = _names_properties(table)
                texts = [(row, row_text(table, row, by_row=by_row)) for row in rows]
                return "".join(item.text for item in _joined(table, [row for row in texts if row[1]]))
    return paper.text[start:end]


def _outside(tables: Sequence[Table], start: int, end: int) -> Iterator[tuple[int, int]]:
    for table in tables:
        if table.start > start:
            yield start, table.start
        start = max(start, table.end)
    if start < end:
        yield start, end


def _rows(table: Table, wanted: Callable[[str], bool] | None) -> Iterator[Quotable]:
    by_row = _names_properties(table)
    run: list[tuple[TableRow, str]] = []
    for row in table.rows[:_MAX_ROWS]:
        text = row_text(table, row, by_row=by_row)
        if not text or (wanted and not wanted(text)):
            yield from _joined(table, run)
            run = []
            continue
        if run and (not by_row or not wanted or sum(len(part) for _, part in run) + len(text) > _MAX_CHARS):
            yield from _joined(table, run)
            run = []
        run.append((row, text))
    yield from _joined(table, run)


def _joined(table: Table, run: Sequence[tuple[TableRow, str]]) -> Iterator[Quotable]:
    if run:
        yield Quotable(run[0][0].start, run[-1][0].end, f"{table.label}. {'; '.join(text for _, text in run)}")


def row_text(table: Table, row: TableRow, *, by_row: bool) -> str:
    """The row in words: "Batch size: 32 (encoder), 8 (decoder)" if rows name properties, else "ResNet-18 – Batch size: 32".

    Empty if the row has a name only.
    """
    name = ", ".join(filter(None, row.cells[: table.heads]))
    values = [(_title(title), cell) for title, cell in zip(table.header, row.cells, strict=True)][table.heads :]
    values = [(title, cell) for title, cell in values if cell]
    if not values:
        return ""
    if by_row or not any(title for title, _ in values):
        listed = ", ".join(f"{cell} ({title})" if title and len(values) > 1 else cell for title, cell in values)
        return f"{name}: {listed}" if name else listed
    listed = "; ".join(f"{title}: {cell}" if title else cell for title, cell in values)
    return f"{name} – {listed}" if name else listed


def _title(title: str) -> str:
    return "" if _NO_TITLE.fullmatch(title) else title


def _names_properties(table: Table) -> bool:
    """Whether the rows rather than the columns name properties, such as "Batch size"."""
    names = [row.cells[table.heads - 1] for row in table.rows[:_MAX_ROWS]]
    titles = [title for title in map(_title, table.header[table.heads :]) if title]
    if not titles:
        return True
    return _share(names) > _share(titles)


def _share(names: Sequence[str]) -> float:
    return sum(bool(_PROPERTY.search(name)) for name in names) / max(1, len(names))
