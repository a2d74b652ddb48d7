"""CSV for people and spreadsheets. Programs should read JSON Lines, which leaves nothing out."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from methodlens.records import Row
from methodlens.reports.checklists.form import csv_lines as checklist_lines
from methodlens.reports.code_cells import checklist_lines as code_lines
from methodlens.reports.formats.export_format import Counted, Exported, StreamFormat
from methodlens.reports.formats.export_rows import COLUMNS, FACT_COLUMNS, fact_cells, table_cells
from methodlens.reports.formats.references import csv_lines as reference_lines
from methodlens.reports.output_files import atomic_path
from methodlens.reports.verdict_matrix import rows_by_paper, spooled_matrix
from methodlens.reports.wide.wide_table import wide_table
from methodlens.text.printable import cut, one_line

# What starts a formula in Excel or LibreOffice, including the full-width forms of East Asian locales
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Where the list separator is a semicolon (most of Europe), text after one becomes a separate cell, even if quoted
_AFTER_SEMICOLON = re.compile(r'(;"*)(?=[=+\-@＝＋－＠])')


class CsvTable(StrEnum):
    """One line per cell (`answers`), per paper (`wide`), per fact (`facts`), paper and reader (`verdicts`), paper and item
    (`checklist`), paper with its verdicts as tags (`papers`), or paper with a repository (`code`)."""

    ANSWERS = "answers"
    WIDE = "wide"
    FACTS = "facts"
    VERDICTS = "verdicts"
    CHECKLIST = "checklist"
    PAPERS = "papers"
    CODE = "code"


_LINES = {
    CsvTable.WIDE: "papers",
    CsvTable.FACTS: "facts",
    CsvTable.VERDICTS: "lines of verdicts",
    CsvTable.CHECKLIST: "checklist items",
    CsvTable.PAPERS: "papers",
    CsvTable.CODE: "repositories",
}
"""What the lines of a table are, if they are not cells."""


class Csv(StreamFormat):
    name = "csv"
    suffix = ".csv"
    description = "one line per cell, for spreadsheets"

    def __init__(self, table: CsvTable = CsvTable.ANSWERS) -> None:
        self._table = table

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        return encode_lines(_TABLES[self._table](rows))

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        if self._table is CsvTable.ANSWERS:
            return super().write(rows, path)
        cells = Counted(rows)
        lines = Counted(_TABLES[self._table](cells))
        with atomic_path(path) as draft, draft.open("wb") as out:
            out.writelines(encode_lines(lines))
        return Exported(cells.count, lines=f"{lines.count - 1} {_LINES[self._table]}")  # the first line is the header


def encode_lines(lines: Iterable[Sequence[str | float | None]]) -> Iterator[bytes]:
    """The bytes of a CSV file, line by line, with no cell that a spreadsheet takes for a formula. Numbers stay numbers.

    They start with a byte order mark: without one, Excel reads the file in the local code page and mangles µ, é and 山.
    pandas and R skip the mark; Python's csv module needs encoding="utf-8-sig".
    """
    yield codecs.BOM_UTF8
    for line in lines:
        text = io.StringIO(newline="")
        csv.writer(text, quoting=csv.QUOTE_ALL).writerow(
            [escape_formula(value) if isinstance(value, str) else value for value in line]
        )
        yield text.getvalue().encode("utf-8", "replace")


def _answers(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    yield COLUMNS
    yield from map(table_cells, rows)


def _wide(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    with wide_table(rows) as table:
        columns = table.columns
        yield [column.title for column in columns]
        for line in table:
            yield ["" if value is None else str(value) for value in line.values(columns)]


def _facts(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    yield FACT_COLUMNS
    for row in rows:
        yield from fact_cells(row)


def _verdicts(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    with spooled_matrix() as matrix:
        for paper_rows in rows_by_paper(rows):
            matrix.add(paper_rows)
        yield ("paper", "reader", *matrix.questions)
        for line in matrix:
            yield (line.paper.name, line.reader, *(str(status or "") for status in line.statuses))


_TABLES: Mapping[CsvTable, Callable[[Iterable[Row]], Iterator[Sequence[str]]]] = {
    CsvTable.ANSWERS: _answers,
    CsvTable.WIDE: _wide,
    CsvTable.FACTS: _facts,
    CsvTable.VERDICTS: _verdicts,
    CsvTable.CHECKLIST: checklist_lines,
    CsvTable.PAPERS: reference_lines,
    CsvTable.CODE: code_lines,
}


def escape_formula(text: str) -> str:
    """One line of text that no spreadsheet takes for a formula: a leading apostrophe marks it as text.

    >>> escape_formula("=1+1")
    "'=1+1"
    """
    line = _AFTER_SEMICOLON.sub(r"\1'", one_line(text))
    is_formula = text.startswith(_FORMULA_STARTS) or line.startswith(_FORMULA_STARTS)
    # Excel splits text that is too long for a cell; the remainder could start a formula in a new cell
    return cut(f"'{line}" if is_formula else line)
