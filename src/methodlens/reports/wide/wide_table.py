"""The wide table of a run, on disk: its columns are known only after the last paper, and a corpus may have any size."""

import tempfile
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from methodlens.facts.shapes import editable_types, shape_of
from methodlens.records import PaperEntry, Question, Row, Status
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.fact_words import fact_label
from methodlens.reports.wide.wide_cell import FactValues, WideCell, wide_cell
from methodlens.text.printable import encodable, one_line

_IN_MEMORY = 4 << 20

Value = str | int | float | None


class Column(Struct, frozen=True):
    """A column about the paper, or about a question: its short answer, or the values of the fact `key`."""

    title: str
    meaning: str
    type: str = "text"
    unit: str = ""
    question: Question | None = None
    key: str = ""


PAPER_COLUMNS = (
    Column("paper", "name of the file"),
    Column("title", "title of the paper"),
    Column("authors", "authors, separated by semicolons"),
    Column("year", "year of publication", "integer"),
    Column("doi", "DOI"),
    Column("flags", "notes on the paper, such as no_dl: no deep learning of its own"),
    Column("paper status", "ok, or why the paper could not be read"),
)


class WideLine(Struct, frozen=True, array_like=True):
    """One paper; `cells` by question id."""

    paper: PaperEntry
    cells: dict[str, WideCell]

    def values(self, columns: Iterable[Column]) -> list[Value]:
        """One value per column; None if there is none."""
        about = dict(zip((column.title for column in PAPER_COLUMNS), _paper_values(self.paper), strict=True))
        return [
            about[column.title] if column.question is None else self._value(column.question, column.key) for column in columns
        ]

    def statuses(self, columns: Iterable[Column]) -> list[Status | None]:
        """The status of each column that is about a question."""
        cells = (self.cells.get(column.question.id) if column.question else None for column in columns)
        return [cell.status if cell else None for cell in cells]

    def _value(self, question: Question, key: str) -> Value:
        cell = self.cells.get(question.id)
        if cell is None:
            return None
        return cell.text if not key else _one_or_text(cell.facts[key]) if key in cell.facts else None


class WideTable:
    """Add all papers, then iterate over the lines."""

    def __init__(self, spool: IO[bytes]) -> None:
        self._spool = spool
        self._questions: dict[str, Question] = {}
        self._facts: set[tuple[str, str]] = set()
        self.count = 0

    def add(self, rows: Sequence[Row]) -> None:
        """Add a paper, with one row per question."""
        line = WideLine(replace(rows[0].paper, hidden=()), {row.question.id: wide_cell(row) for row in rows})
        for row in rows:
            self._questions.setdefault(row.question.id, row.question)
        self._facts.update((question, key) for question, cell in line.cells.items() for key in cell.facts)
        self._spool.write(msgspec.json.encode(encodable(msgspec.to_builtins(line))) + b"\n")
        self.count += 1

    def __iter__(self) -> Iterator[WideLine]:
        self._spool.seek(0)
        return (msgspec.json.decode(line, type=WideLine) for line in self._spool)

    @property
    def columns(self) -> list[Column]:
        """Those of the paper, then each question followed by its facts; facts that no paper has are left out."""
        columns = [*PAPER_COLUMNS]
        for question in self._questions.values():
            columns.append(Column(_title(question), one_line(question.text), question=question))
            columns += [column for column in _fact_columns(question) if (question.id, column.key) in self._facts]
        return columns


@contextmanager
def wide_table(rows: Iterable[Row] = ()) -> Iterator[WideTable]:
    """The table of these rows, those of a paper consecutive. More papers can be added."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        table = WideTable(spool)
        for _, chosen in deciding_rows(rows):
            table.add(chosen)
        yield table


def wide_question(question: Question, facts: Container[tuple[str, str]]) -> dict[str, Any]:
    """A question as the script of the table needs it, with those of its facts that are in `facts`, by question id and key."""
    columns = (column for column in _fact_columns(question) if (question.id, column.key) in facts)
    shown = [{"key": column.key, "label": fact_label(column.key), "unit": column.unit} for column in columns]
    return {"id": question.id, "title": _title(question), "facts": shown}


def _fact_columns(question: Question) -> Iterator[Column]:
    for fact_type in editable_types(question):
        shape, label = shape_of(fact_type.key), fact_label(fact_type.key)
        kind = "text" if shape.fields else str(shape.type)
        meaning = f"{label} reported by the paper; several values are separated by semicolons"
        yield Column(f"{_title(question)}: {label}", meaning, kind, fact_type.unit, question, fact_type.key)


def _title(question: Question) -> str:
    return one_line(question.title or question.text)


def _one_or_text(values: FactValues) -> Value:
    """One number stays a number; several values are a text."""
    if len(values) == 1:
        return values[0]
    return "; ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)


def _paper_values(paper: PaperEntry) -> tuple[Value, ...]:
    """One per column of PAPER_COLUMNS."""
    authors, flags = "; ".join(map(one_line, paper.authors)), ", ".join(paper.flags)
    return paper.name, one_line(paper.title), authors, paper.year, one_line(paper.doi), flags, str(paper.status)
