"""CSV for people and spreadsheets. Programs should read JSON Lines, which leaves nothing out."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from methodlens.records import Row
from methodlens.reports.checklists.form import csv_lines
from methodlens.reports.formats.export_format import StreamFormat
from methodlens.reports.formats.export_rows import COLUMNS, FACT_COLUMNS, fact_cells, table_cells
from methodlens.reports.verdict_matrix import rows_by_paper, spooled_matrix
from methodlens.text.printable import cut, one_line

# What starts a formula in Excel or LibreOffice, including the full-width forms of East Asian locales
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Where the list separator is a semicolon (most of Europe), text after one becomes a separate cell, even if quoted
_AFTER_SEMICOLON = re.compile(r'(;"*)(?=[=+\-@＝＋－＠])')


class CsvTable(StrEnum):
    """One line per cell (`answers`), per fact (`facts`), paper and reader (`verdicts`), or paper and item (`checklist`)."""

    ANSWERS = "answers"
    FACTS = "facts"
    VERDICTS = "verdicts"
    CHECKLIST = "checklist"


class Csv(StreamFormat):
    name = "csv"
    suffix = ".csv"
    description = "one line per cell, for spreadsheets"

    def __init__(self, table: CsvTable = CsvTable.ANSWERS) -> None:
        self._table = table

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        return encode_lines(_TABLES[self._table](rows))


def encode_lines(lines: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """The bytes of a CSV file, line by line, with no cell that a spreadsheet takes for a formula.

    They start with a byte order mark: without one, Excel reads the file in the local code page and mangles µ, é and 山.
    pandas and R skip the mark; Python's csv module needs encoding="utf-8-sig".
    """
    yield codecs.BOM_UTF8
    for line in lines:
        text = io.StringIO(newline="")
        csv.writer(text, quoting=csv.QUOTE_ALL).writerow([escape_formula(value) for value in line])
        yield text.getvalue().encode("utf-8", "replace")


def _answers(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    yield COLUMNS
    yield from map(table_cells, rows)


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
    CsvTable.FACTS: _facts,
    CsvTable.VERDICTS: _verdicts,
    CsvTable.CHECKLIST: csv_lines,
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
