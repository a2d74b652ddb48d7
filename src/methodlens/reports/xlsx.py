"""An Excel workbook: verdicts, answers, facts, papers. Every cell is a string, so none can be a formula or a link."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from methodlens.errors import OutputError
from methodlens.records import Row, Status
from methodlens.reports.files import replacing
from methodlens.reports.matrix import Matrix, MatrixBuilder
from methodlens.reports.plain import cut, printable
from methodlens.reports.rows import COLUMNS, fact_values, table_cells

_MOST_ROWS = 1_048_576
_WIDTH = 13  # wide enough for a status; what needs more:
_WIDTHS = {
    **dict.fromkeys(("paper", "reader", "model", "fact", "flags", "sha256"), 20),
    **dict.fromkeys(("title", "question_title", "facts", "reason", "value", "details"), 40),
    **dict.fromkeys(("answer", "quotes"), 60),
}
_FACT_COLUMNS = ("paper", "question", "reader", "status", "fact", "value", "details")
_PAPER_COLUMNS = ("paper", "title", "status", "reason", "pages", "flags", "sha256")
# Blue, orange and purple are told apart by the colour-blind as well; the word is in the cell in any case
_COLOURS = {
    Status.REPORTED: "#CFE5F3",
    Status.NOT_REPORTED: "#FBE3C4",
    Status.WITHHELD: "#E9DDF1",
    Status.FAILED: "#F5D0D0",
    Status.UNREADABLE: "#E3E3E3",
}


def write(rows: Iterable[Row], path: Path) -> int:
    """Writes the workbook in one pass over the rows; returns how many there were."""
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
                return _fill(book, rows)
        except FileCreateError as err:
            raise OSError(str(err)) from err


def _fill(book: Any, rows: Iterable[Row]) -> int:
    bold = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
    text = book.add_format({"text_wrap": True, "valign": "top"})
    verdicts, answers, facts, papers = (book.add_worksheet(name) for name in ("verdicts", "answers", "facts", "papers"))
    answers_sheet = _Sheet(answers, COLUMNS, head=bold, body=text)
    facts_sheet = _Sheet(facts, _FACT_COLUMNS, head=bold, body=text)
    papers_sheet = _Sheet(papers, _PAPER_COLUMNS, head=bold, body=text)
    seen = MatrixBuilder()
    count = 0
    for row in rows:
        seen.add(row)
        answers_sheet.append(table_cells(row))
        about = (row.paper.name, row.question.id, row.cell.reader, str(row.cell.verdict.status))
        for fact in fact_values(row):
            facts_sheet.append((*about, *fact))
        count += 1
    matrix = seen.build()
    for paper in matrix.papers:
        flags = ", ".join(paper.flags)
        papers_sheet.append((paper.name, paper.title, str(paper.status), paper.reason, str(paper.pages), flags, paper.sha256))
    verdicts_sheet = _Sheet(verdicts, ("paper", "reader", *(q.id for q in matrix.questions)), head=bold, body=text, fixed=2)
    _verdicts(book, verdicts_sheet, matrix)
    for sheet in (verdicts_sheet, answers_sheet, facts_sheet, papers_sheet):
        sheet.finish()
    return count


def _verdicts(book: Any, sheet: "_Sheet", matrix: Matrix) -> None:
    colours = {status: book.add_format({"bg_color": colour, "valign": "top"}) for status, colour in _COLOURS.items()}
    for line in matrix.lines:
        formats = [None, None, *(colours[status] if status else None for status in line.statuses)]
        sheet.append((line.paper.name, line.reader, *(str(status or "") for status in line.statuses)), formats)


class _Sheet:
    """A table with a frozen, filtered header, filled row by row."""

    def __init__(self, sheet: Any, columns: Sequence[str], *, head: Any, body: Any, fixed: int = 1) -> None:
        self._sheet, self._columns, self._body, self._next = sheet, columns, body, 0
        for index, name in enumerate(columns):
            sheet.set_column(index, index, _WIDTHS.get(name, _WIDTH))
        sheet.freeze_panes(1, fixed)
        self.append(columns, [head] * len(columns))

    def append(self, values: Sequence[str], formats: Sequence[Any] | None = None) -> None:
        if self._next >= _MOST_ROWS:
            raise OutputError(f"there are more than {_MOST_ROWS:,} rows, which no spreadsheet holds", "use jsonl or csv")
        for index, value in enumerate(values):
            layout = formats[index] if formats else None
            self._sheet.write_string(self._next, index, cut(printable(value)), layout or self._body)
        self._next += 1

    def finish(self) -> None:
        from xlsxwriter.utility import xl_range

        last_row, last_column = max(self._next - 1, 1), len(self._columns) - 1
        self._sheet.autofilter(0, 0, last_row, last_column)
        # p_reported and seconds are strings like the rest; spare the reader Excel's green corners
        self._sheet.ignore_errors({"number_stored_as_text": xl_range(0, 0, last_row, last_column)})
