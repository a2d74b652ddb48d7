"""An Excel workbook: verdicts, answers, facts, papers. Every cell is a string, so none can be a formula.

The only links are ours: to the report beside the workbook, at an address made of a hash and a question's id.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from methodlens.errors import OutputError
from methodlens.records import PaperEntry, Row, Status
from methodlens.reports.files import replacing
from methodlens.reports.links import PaperKeys, cell_address
from methodlens.reports.matrix import Matrix, MatrixBuilder
from methodlens.reports.plain import cut, printable
from methodlens.reports.rows import COLUMNS, FACT_COLUMNS, fact_cells, table_cells

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


def write(rows: Iterable[Row], path: Path, *, report: str = "") -> int:
    """Writes the workbook in one pass over the rows; returns how many there were. `report` is the name of the report that
    lies beside it: verdicts, answers, facts and papers then link to their place in it."""
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    with replacing(path) as draft:
        # constant_memory: rows go to disk as they come. The other options are off so that no string turns into anything else.
        options = {
            "constant_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        try:
            with xlsxwriter.Workbook(str(draft), options) as book:
                return _fill(book, rows, report)
        except FileCreateError as err:
            raise OSError(str(err)) from err


def _fill(book: Any, rows: Iterable[Row], report: str) -> int:
    bold = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
    text = book.add_format({"text_wrap": True, "valign": "top"})
    verdicts, answers, facts, papers = (book.add_worksheet(name) for name in ("verdicts", "answers", "facts", "papers"))
    answers_sheet = _Sheet(answers, COLUMNS, head=bold, body=text)
    facts_sheet = _Sheet(facts, FACT_COLUMNS, head=bold, body=text)
    papers_sheet = _Sheet(papers, _PAPER_COLUMNS, head=bold, body=text)
    seen, links = MatrixBuilder(), _Links(report)
    count = 0
    for row in rows:
        seen.add(row)
        to_cell = links.of(row.paper, row.question.id)
        answers_sheet.append(table_cells(row), links={COLUMNS.index("question"): to_cell})
        for fact in fact_cells(row):
            facts_sheet.append(fact, links={FACT_COLUMNS.index("question"): to_cell})
        count += 1
    matrix = seen.build()
    for paper in matrix.papers:
        flags = ", ".join(paper.flags)
        about = (paper.name, paper.title, str(paper.status), paper.reason, str(paper.pages), flags, paper.sha256)
        papers_sheet.append(about, links={0: links.of(paper)})
    verdicts_sheet = _Sheet(verdicts, ("paper", "reader", *(q.id for q in matrix.questions)), head=bold, body=text, fixed=2)
    _verdicts(book, verdicts_sheet, matrix, links)
    for sheet in (verdicts_sheet, answers_sheet, facts_sheet, papers_sheet):
        sheet.finish()
    return count


def _verdicts(book: Any, sheet: "_Sheet", matrix: Matrix, links: "_Links") -> None:
    colours = {status: book.add_format({"bg_color": colour, "valign": "top"}) for status, colour in _COLOURS.items()}
    for line in matrix.lines:
        formats = [None, None, *(colours[status] if status else None for status in line.statuses)]
        where = {column: links.of(line.paper, question.id) for column, question in enumerate(matrix.questions, 2)}
        words = (line.paper.name, line.reader, *(str(status or "") for status in line.statuses))
        sheet.append(words, formats, links={0: links.of(line.paper), **where})


class _Links:
    """Addresses in the report, or none when there is no report."""

    def __init__(self, report: str) -> None:
        self._report, self._keys = report, PaperKeys()

    def of(self, paper: PaperEntry, question: str = "") -> str:
        key = self._keys.of(paper)
        # what writes workbooks turns every slash of a link to a file around; the report takes colons as well
        address = cell_address(key, question).replace("#/", "#").replace("/", ":")
        return f"external:{self._report}{address}" if self._report else ""


NO_LINKS: Mapping[int, str] = {}


class _Sheet:
    """A table with a frozen, filtered header, filled row by row."""

    def __init__(self, sheet: Any, columns: Sequence[str], *, head: Any, body: Any, fixed: int = 1) -> None:
        self._sheet, self._columns, self._body = sheet, columns, body
        self._next = self._links = 0
        for index, name in enumerate(columns):
            sheet.set_column(index, index, _WIDTHS.get(name, _WIDTH))
        sheet.freeze_panes(1, fixed)
        self.append(columns, [head] * len(columns))

    def append(self, values: Sequence[str], formats: Sequence[Any] | None = None, *, links: Mapping[int, str] = NO_LINKS) -> None:
        if self._next >= _MOST_ROWS:
            raise OutputError(f"there are more than {_MOST_ROWS:,} rows, which no spreadsheet holds", "use jsonl or csv")
        for index, value in enumerate(values):
            layout = formats[index] if formats else None
            text, link = cut(printable(value)), links.get(index, "")
            if text and link and len(link) <= _LONGEST_LINK and self._links < _MOST_LINKS:
                self._sheet.write_url(self._next, index, link, layout or self._body, string=text)
                self._links += 1
            else:
                self._sheet.write_string(self._next, index, text, layout or self._body)
        self._next += 1

    def finish(self) -> None:
        from xlsxwriter.utility import xl_range

        last_row, last_column = max(self._next - 1, 1), len(self._columns) - 1
        self._sheet.autofilter(0, 0, last_row, last_column)
        # p_reported and seconds are strings like the rest; spare the reader Excel's green corners
        self._sheet.ignore_errors({"number_stored_as_text": xl_range(0, 0, last_row, last_column)})
