"""CSV for spreadsheets and for people. Programs are better served by `jsonl`, which leaves nothing out.

(Not named csv.py, so that nobody has to wonder which csv an import means.)
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import BinaryIO

from methodlens.records import Row
from methodlens.reports.formats.export_rows import COLUMNS, FACT_COLUMNS, fact_cells, table_cells
from methodlens.reports.verdict_matrix import rows_by_paper, spooled_matrix
from methodlens.text.printable import cut, one_line

# What makes Excel or LibreOffice take a text for a formula, the full-width forms for East Asian locales included
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Where the semicolon separates (most of Europe), text after one is a cell of its own, quotes or not
_AFTER_SEMICOLON = re.compile(r'(;"*)(?=[=+\-@＝＋－＠])')


class CsvTable(StrEnum):
    """`answers` has a line a cell, `facts` a line a fact, `verdicts` a line a paper and reader."""

    ANSWERS = "answers"
    FACTS = "facts"
    VERDICTS = "verdicts"


def write(rows: Iterable[Row], out: BinaryIO, *, table: CsvTable = CsvTable.ANSWERS) -> int:
    """Writes a header and the lines as they come; returns how many rows there were."""
    counted = _Counted(rows)
    out.writelines(encoded(_TABLES[table](counted)))
    return counted.count


def encoded(lines: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """Each line as it stands in the file, when it is there.

    With a byte order mark: without one Excel reads the file in the local code page and mangles µ, é and 山.
    pandas and R skip the mark; Python's csv module wants encoding="utf-8-sig".
    """
    yield codecs.BOM_UTF8
    for line in lines:
        text = io.StringIO(newline="")
        csv.writer(text, quoting=csv.QUOTE_ALL).writerow([escape_formula(value) for value in line])
        yield text.getvalue().encode("utf-8", "replace")


def answers(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    """A header, then a line a cell."""
    yield COLUMNS
    yield from map(table_cells, rows)


class _Counted:
    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.count += 1
            yield row


def _facts(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    yield FACT_COLUMNS
    for row in rows:
        yield from fact_cells(row)


def _verdicts(rows: Iterable[Row]) -> Iterator[Sequence[str]]:
    with spooled_matrix() as found:
        for of_paper in rows_by_paper(rows):
            found.add(of_paper)
        yield ("paper", "reader", *found.questions)
        for line in found:
            yield (line.paper.name, line.reader, *(str(status or "") for status in line.statuses))


_TABLES: Mapping[CsvTable, Callable[[Iterable[Row]], Iterator[Sequence[str]]]] = {
    CsvTable.ANSWERS: answers,
    CsvTable.FACTS: _facts,
    CsvTable.VERDICTS: _verdicts,
}


def escape_formula(text: str) -> str:
    """Text that no spreadsheet takes for a formula: the apostrophe says "this is text", as if typed by hand.

    >>> escape_formula("=1+1")
    "'=1+1"
    """
    plain = _AFTER_SEMICOLON.sub(r"\1'", one_line(text))
    starts_a_formula = text.startswith(_STARTS) or plain.startswith(_STARTS)
    # Cut here too: what exceeds a cell spills into a new one when Excel opens the file, and could start a formula there
    return cut(f"'{plain}" if starts_a_formula else plain)
