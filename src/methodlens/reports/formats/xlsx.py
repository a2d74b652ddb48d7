"""An Excel workbook: verdicts, answers, facts, papers, on further sheets where one is full. Every cell is a string: no formulas.

The only links are ours: to the report beside the workbook, at an address made of a hash and a question's id.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from methodlens.records import PaperEntry, Row, Status
from methodlens.reports.formats.export_rows import COLUMNS, FACT_COLUMNS, fact_cells, table_cells
from methodlens.reports.html.report_links import PaperKeys, cell_address
from methodlens.reports.output_files import atomic_path
from methodlens.reports.verdict_matrix import SpooledMatrix, rows_by_paper, spooled_matrix
from methodlens.text.printable import cut, printable

_MOST_ROWS = 1_048_576
_MOST_LINKS = 65_000  # Excel drops all of a sheet's links when there are more than 65,530
_LONGEST_LINK = 2_000
_WIDTH = 13  # wide enough for a status; what needs more:
_WIDTHS = {
    **dict.fromkeys(("paper", "reader", "model", "fact", "flags", "sha256"), 20),
    **dict.fromkeys(("title", "question_title", "facts", "reason", "value", "details"), 40),
    **dict.fromkeys(("answer", "quotes"), 60),
}
_PAPER_COLUMNS = ("paper", "title", "status", "reason", "pages", "flags", "sha256")
# Blue, orange and purple are told apart by the colour-blind as well; the word is in the cell in any case
_COLOURS = {
    Status.REPORTED: "#CFE5F3",
    Status.NOT_REPORTED: "#FBE3C4",
    Status.WITHHELD: "#E9DDF1",
    Status.FAILED: "#F5D0D0",
    Status.UNREADABLE: "#E3E3E3",
}


class Filled(NamedTuple):
    """How many cells there were, and what to know about the workbook."""

    cells: int
    note: str = ""


FileOf = Callable[[str], str]
"""The file of the report beside the workbook that shows a paper, by the paper's key; '' if none does."""


def write(rows: Iterable[Row], path: Path, *, report: FileOf = lambda key: "", most_rows: int = _MOST_ROWS) -> Filled:
    """Writes the workbook in one pass over the rows, paper by paper. Verdicts, answers, facts and papers link to their places
    in the report."""
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    with atomic_path(path) as draft:
        # constant_memory: rows go to disk as they come. The other options are off so that no string turns into anything else.
        options = {
            "constant_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        try:
            with xlsxwriter.Workbook(str(draft), options) as book:
                return _fill(book, rows, report, most_rows)
        except FileCreateError as err:
            raise OSError(str(err)) from err


def _fill(book: Any, rows: Iterable[Row], report: FileOf, most_rows: int) -> Filled:
    verdicts, answers, facts, papers = (_Table(book, name, most_rows) for name in ("verdicts", "answers", "facts", "papers"))
    answers.begin(COLUMNS)
    facts.begin(FACT_COLUMNS)
    papers.begin(_PAPER_COLUMNS)
    links = _Links(report)
    count = 0
    with spooled_matrix() as seen:
        for found in rows_by_paper(rows):
            paper = found[0].paper
            seen.add(found)
            for row in found:
                to_cell = links.of(paper, row.question.id)
                answers.append(table_cells(row), links={COLUMNS.index("question"): to_cell})
                for fact in fact_cells(row):
                    facts.append(fact, links={FACT_COLUMNS.index("question"): to_cell})
            flags = ", ".join(paper.flags)
            about = (paper.name, paper.title, str(paper.status), paper.reason, str(paper.pages), flags, paper.sha256)
            papers.append(about, links={0: links.of(paper)})
            count += len(found)
        others = (answers.names, facts.names, papers.names)
        note = _split_note((verdicts.sheets_for(seen.count, noted=any(names[1:] for names in others)), *others), most_rows)
        verdicts.begin(("paper", "reader", *seen.questions), note=note, fixed=2)
        _verdicts(book, verdicts, seen, _Links(report))
    for table in (verdicts, answers, facts, papers):
        table.finish()
    return Filled(count, note)


def _verdicts(book: Any, table: "_Table", matrix: SpooledMatrix, links: "_Links") -> None:
    colours = {status: book.add_format({"bg_color": colour, "valign": "top"}) for status, colour in _COLOURS.items()}
    for line in matrix:
        formats = [None, None, *(colours[status] if status else None for status in line.statuses)]
        where = {column: links.of(line.paper, question) for column, question in enumerate(matrix.questions, 2)}
        words = (line.paper.name, line.reader, *(str(status or "") for status in line.statuses))
        table.append(words, formats, links={0: links.of(line.paper), **where})


def _split_note(tables: Iterable[Sequence[str]], most_rows: int) -> str:
    """
    >>> _split_note([["answers", "answers 2", "answers 3"], ["facts"]], 1_048_576)
    'A sheet holds 1,048,576 rows: answers go on in answers 2 to answers 3.'
    """
    longer = [f"{first} go on in {more[0]}{f' to {more[-1]}' if more[1:] else ''}" for first, *more in tables if more]
    return f"A sheet holds {most_rows:,} rows: {', '.join(longer)}." if longer else ""


class _Links:
    """Addresses in the report, or none when there is no report."""

    def __init__(self, report: FileOf) -> None:
        self._report, self._keys = report, PaperKeys()

    def of(self, paper: PaperEntry, question: str = "") -> str:
        key = self._keys.of(paper)
        file = self._report(key)
        # what writes workbooks turns every slash of a link to a file around; the report takes colons as well
        address = cell_address(key, question).replace("#/", "#").replace("/", ":")
        return f"external:{file}{address}" if file else ""


NO_LINKS: Mapping[int, str] = {}


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
        """`note` stands above the header of the first sheet."""
        self._columns, self._fixed = columns, fixed
        if note:
            self._sheet.write_string(0, 0, note)
        self._lay_out(top=1 if note else 0)

    def sheets_for(self, rows: int, *, noted: bool) -> list[str]:
        """The names of the sheets that so many rows will take, the first with a note if it is not the only one."""
        each = self._most - 1  # the header takes one
        first = each - (noted or rows > each)
        sheets = 1 + math.ceil(max(0, rows - first) / each)
        return [self._called(number) for number in range(1, sheets + 1)]

    def append(self, values: Sequence[str], formats: Sequence[Any] | None = None, *, links: Mapping[int, str] = NO_LINKS) -> None:
        if self._next >= self._most:
            self.finish()
            self.names.append(self._called(len(self.names) + 1))
            self._sheet = self._book.add_worksheet(self.names[-1])
            self._lay_out(top=0)
        for index, value in enumerate(values):
            layout = (formats[index] if formats else None) or self._body
            text, link = cut(printable(value)), links.get(index, "")
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
        # p_reported and seconds are strings like the rest; spare the reader Excel's green corners
        self._sheet.ignore_errors({"number_stored_as_text": xl_range(0, 0, last_row, last_column)})

    def _lay_out(self, *, top: int) -> None:
        self._top = self._next = top
        self._links = 0
        for index, name in enumerate(self._columns):
            self._sheet.set_column(index, index, _WIDTHS.get(name, _WIDTH))
        self._sheet.freeze_panes(top + 1, self._fixed)
        self.append(self._columns, [self._head] * len(self._columns))

    def _called(self, number: int) -> str:
        return self._name if number == 1 else f"{self._name} {number}"
