"""An Excel workbook with the sheets verdicts, answers, facts and papers; a full sheet continues on a numbered one.

Every cell is a string, so there are no formulas. The only links lead to the report in the same folder.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from methodlens.records import PaperEntry, Row, Status
from methodlens.reports.formats.export_format import Exported
from methodlens.reports.formats.export_rows import COLUMNS, FACT_COLUMNS, fact_cells, table_cells
from methodlens.reports.html.report_links import REPORT, PaperKeys, cell_address
from methodlens.reports.html.report_split import file_of_paper
from methodlens.reports.output_files import atomic_path
from methodlens.reports.verdict_matrix import SpooledMatrix, rows_by_paper, spooled_matrix
from methodlens.text.printable import cut, printable

_MOST_ROWS = 1_048_576
_MOST_LINKS = 65_000  # Excel drops all of a sheet's links when there are more than 65,530
_LONGEST_LINK = 2_000
_WIDTH = 13  # wide enough for a status
_WIDTHS = {
    **dict.fromkeys(("paper", "reader", "model", "fact", "flags", "sha256"), 20),
    **dict.fromkeys(("title", "question_title", "facts", "reason", "value", "details"), 40),
    **dict.fromkeys(("answer", "quotes"), 60),
}
_PAPER_COLUMNS = ("paper", "title", "status", "reason", "pages", "flags", "sha256")
# Distinguishable with any colour vision; the cell also has the word
_COLOURS = {
    Status.REPORTED: "#CFE5F3",
    Status.NOT_REPORTED: "#FBE3C4",
    Status.WITHHELD: "#E9DDF1",
    Status.FAILED: "#F5D0D0",
    Status.UNREADABLE: "#E3E3E3",
}


FileOf = Callable[[str], str]
"""The file of the report that shows a paper, by the paper's key; '' if there is none."""


class Xlsx:
    name = "xlsx"
    suffix = ".xlsx"
    description = "an Excel workbook of verdicts, answers, facts and papers, linked to report.html in the same folder"

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        return write_workbook(rows, path, report=file_of_paper(path.parent / REPORT))


def write_workbook(rows: Iterable[Row], path: Path, *, report: FileOf = lambda key: "", most_rows: int = _MOST_ROWS) -> Exported:
    """Write the workbook in one pass over the rows."""
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    # constant_memory writes each row to disk; the other options keep every string a string
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with atomic_path(path) as draft:
        try:
            with xlsxwriter.Workbook(str(draft), options) as book:
                return _fill(book, rows, report, most_rows)
        except FileCreateError as err:
            raise OSError(str(err)) from err


def _fill(book: Any, rows: Iterable[Row], report: FileOf, most_rows: int) -> Exported:
    verdicts, answers, facts, papers = (_Table(book, name, most_rows) for name in ("verdicts", "answers", "facts", "papers"))
    answers.begin(COLUMNS)
    facts.begin(FACT_COLUMNS)
    papers.begin(_PAPER_COLUMNS)
    links = _Links(report)
    count = 0
    with spooled_matrix() as matrix:
        for paper_rows in rows_by_paper(rows):
            paper = paper_rows[0].paper
            matrix.add(paper_rows)
            for row in paper_rows:
                to_cell = links.of(paper, row.question.id)
                answers.append(table_cells(row), links={COLUMNS.index("question"): to_cell})
                for fact in fact_cells(row):
                    facts.append(fact, links={FACT_COLUMNS.index("question"): to_cell})
            flags = ", ".join(paper.flags)
            values = (paper.name, paper.title, str(paper.status), paper.reason, str(paper.pages), flags, paper.sha256)
            papers.append(values, links={0: links.of(paper)})
            count += len(paper_rows)
        others = (answers.names, facts.names, papers.names)
        note = _split_note((verdicts.sheets_for(matrix.count, noted=any(names[1:] for names in others)), *others), most_rows)
        verdicts.begin(("paper", "reader", *matrix.questions), note=note, fixed=2)
        _verdicts(book, verdicts, matrix, _Links(report))
    for table in (verdicts, answers, facts, papers):
        table.finish()
    return Exported(count, note)


def _verdicts(book: Any, table: "_Table", matrix: SpooledMatrix, links: "_Links") -> None:
    colours = {status: book.add_format({"bg_color": colour, "valign": "top"}) for status, colour in _COLOURS.items()}
    for line in matrix:
        formats = [None, None, *(colours[status] if status else None for status in line.statuses)]
        where = {column: links.of(line.paper, question) for column, question in enumerate(matrix.questions, 2)}
        values = (line.paper.name, line.reader, *(str(status or "") for status in line.statuses))
        table.append(values, formats, links={0: links.of(line.paper), **where})


def _split_note(tables: Iterable[Sequence[str]], most_rows: int) -> str:
    """
    >>> _split_note([["answers", "answers 2", "answers 3"], ["facts"]], 1_048_576)
    'A sheet holds 1,048,576 rows: answers continue on answers 2 to answers 3.'
    """
    longer = [f"{first} continue on {more[0]}{f' to {more[-1]}' if more[1:] else ''}" for first, *more in tables if more]
    return f"A sheet holds {most_rows:,} rows: {', '.join(longer)}." if longer else ""


class _Links:
    """Links into the report; empty if there is none."""

    def __init__(self, report: FileOf) -> None:
        self._report, self._keys = report, PaperKeys()

    def of(self, paper: PaperEntry, question: str = "") -> str:
        key = self._keys.of(paper)
        file = self._report(key)
        # xlsxwriter turns slashes in links to files into backslashes; the report accepts colons as well
        address = cell_address(key, question).replace("#/", "#").replace("/", ":")
        return f"external:{file}{address}" if file else ""


class _Table:
    """A table with a frozen, filtered header, filled row by row, on one sheet or on several."""

    def __init__(self, book: Any, name: str, most_rows: int) -> None:
        self._book, self._name, self._most = book, name, most_rows
        self._head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self._body = book.add_format({"text_wrap": True, "valign": "top"})
        self._columns: Sequence[str] = ()
        self._fixed = self._top = self._next = self._links = 0
        self.names = [name]
        self._sheet = book.add_worksheet(name)

    def begin(self, columns: Sequence[str], *, note: str = "", fixed: int = 1) -> None:
        """Write the header. `note` goes above it."""
        self._columns, self._fixed = columns, fixed
        if note:
            self._sheet.write_string(0, 0, note)
        self._lay_out(top=1 if note else 0)

    def sheets_for(self, rows: int, *, noted: bool) -> list[str]:
        """The names of the sheets for a number of rows. The first has a note if `noted`, or if there is a second."""
        each = self._most - 1  # one row is the header
        first = each - (noted or rows > each)
        sheets = 1 + math.ceil(max(0, rows - first) / each)
        return [self._sheet_name(number) for number in range(1, sheets + 1)]

    def append(self, values: Sequence[str], formats: Sequence[Any] = (), *, links: Mapping[int, str] | None = None) -> None:
        if self._next >= self._most:
            self.finish()
            self.names.append(self._sheet_name(len(self.names) + 1))
            self._sheet = self._book.add_worksheet(self.names[-1])
            self._lay_out(top=0)
        for index, value in enumerate(values):
            layout = (formats[index] if formats else None) or self._body
            text, link = cut(printable(value)), (links or {}).get(index, "")
            if text and link and len(link) <= _LONGEST_LINK and self._links < _MOST_LINKS:
                self._sheet.write_url(self._next, index, link, layout, string=text)
                self._links += 1
            else:
                self._sheet.write_string(self._next, index, text, layout)
        self._next += 1

    def finish(self) -> None:
        from xlsxwriter.utility import xl_range

        last_row, last_column = max(self._next - 1, self._top + 1), len(self._columns) - 1
        self._sheet.autofilter(self._top, 0, last_row, last_column)
        # p_reported and seconds are strings too; without this, Excel marks each with a green corner
        self._sheet.ignore_errors({"number_stored_as_text": xl_range(0, 0, last_row, last_column)})

    def _lay_out(self, *, top: int) -> None:
        self._top = self._next = top
        self._links = 0
        for index, name in enumerate(self._columns):
            self._sheet.set_column(index, index, _WIDTHS.get(name, _WIDTH))
        self._sheet.freeze_panes(top + 1, self._fixed)
        self.append(self._columns, [self._head] * len(self._columns))

    def _sheet_name(self, number: int) -> str:
        return self._name if number == 1 else f"{self._name} {number}"
