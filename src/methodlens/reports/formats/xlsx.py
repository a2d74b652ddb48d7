"""An Excel workbook: the wide table, verdicts, answers, facts and papers, and what the columns of the wide table mean.

Every cell is a string or a number, so there are no formulas. The only links lead to the report in the same folder. A full
sheet continues on a numbered one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from methodlens.records import PaperEntry, Row, Status
from methodlens.reports.code_cells import CHECKLIST_COLUMNS, checklist_line
from methodlens.reports.deciding_rows import deciding
from methodlens.reports.formats.export_format import Exported
from methodlens.reports.formats.export_rows import COLUMNS, FACT_COLUMNS, fact_cells, table_cells
from methodlens.reports.formats.workbook_table import MOST_ROWS, WorkbookTable
from methodlens.reports.html.report_links import REPORT, PaperKeys, cell_address
from methodlens.reports.html.report_split import file_of_paper
from methodlens.reports.output_files import atomic_path
from methodlens.reports.verdict_matrix import SpooledMatrix, rows_by_paper, spooled_matrix
from methodlens.reports.wide.wide_table import Column, WideTable, wide_table

_NUMBERS = frozenset({"p_reported", "seconds"})
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
    description = "an Excel workbook: a table of papers by questions, verdicts, answers and facts, linked to report.html"

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        return write_workbook(rows, path, report=file_of_paper(path.parent / REPORT))


def write_workbook(rows: Iterable[Row], path: Path, *, report: FileOf = lambda key: "", most_rows: int = MOST_ROWS) -> Exported:
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
    names = ("table", "verdicts", "answers", "facts", "papers")
    wide, verdicts, answers, facts, papers = (WorkbookTable(book, name, most_rows) for name in names)
    dictionary = WorkbookTable(book, "dictionary", MOST_ROWS)  # one row per column of the table
    answers.begin(COLUMNS)
    facts.begin(FACT_COLUMNS)
    papers.begin(_PAPER_COLUMNS)
    links = _Links(report)
    repositories: WorkbookTable | None = None
    count = 0
    with spooled_matrix() as matrix, wide_table() as table:
        for paper_rows in rows_by_paper(rows):
            paper = paper_rows[0].paper
            matrix.add(paper_rows)
            table.add(deciding(paper_rows))
            for row in paper_rows:
                to_cell = links.of(paper, row.question.id)
                answers.append(_with_numbers(table_cells(row)), links={COLUMNS.index("question"): to_cell})
                for fact in fact_cells(row):
                    facts.append(fact, links={FACT_COLUMNS.index("question"): to_cell})
            flags = ", ".join(paper.flags)
            values = (paper.name, paper.title, str(paper.status), paper.reason, paper.pages, flags, paper.sha256)
            papers.append(values, links={0: links.of(paper)})
            if (code := paper_rows[0].code) and repositories is None:  # most runs have none
                repositories = WorkbookTable(book, "code", most_rows)
                repositories.begin(CHECKLIST_COLUMNS)
            if code and repositories:
                repositories.append(checklist_line(paper.name, code.repository), links={0: links.of(paper)})
            count += len(paper_rows)
        wrapped = {"valign": "top", "text_wrap": True}
        colours = {status: book.add_format({"bg_color": colour, **wrapped}) for status, colour in _COLOURS.items()}
        _wide(wide, table, _Links(report), colours)
        _dictionary(dictionary, table.columns)
        others = (wide.names, answers.names, facts.names, papers.names)
        sheets = verdicts.sheets_for(matrix.count, noted=any(names[1:] for names in others))
        note = _split_note((sheets, *others), most_rows)
        verdicts.begin(("paper", "reader", *matrix.questions), note=note, fixed=2)
        _verdicts(verdicts, matrix, _Links(report), colours)
    for each in (wide, verdicts, answers, facts, papers, dictionary, *([repositories] if repositories else [])):
        each.finish()
    return Exported(count, note)


def _with_numbers(cells: Sequence[str]) -> list[str | float]:
    return [float(text) if name in _NUMBERS and text else text for name, text in zip(COLUMNS, cells, strict=True)]


def _wide(sheet: WorkbookTable, table: WideTable, links: "_Links", colours: Mapping[Status, Any]) -> None:
    """One line per paper, with short answers in the colour of their status."""
    columns = table.columns
    sheet.begin([column.title for column in columns], widths=[_wide_width(column) for column in columns])
    for line in table:
        statuses = zip(columns, line.statuses(columns), strict=True)
        formats = [colours[status] if status and not column.key else None for column, status in statuses]
        questions = {index: column.question for index, column in enumerate(columns) if column.question and not column.key}
        where = {index: links.of(line.paper, question.id) for index, question in questions.items()}
        sheet.append(line.values(columns), formats, links={0: links.of(line.paper), **where})


def _wide_width(column: Column) -> int:
    return 16 if column.key or column.type != "text" else 40 if column.question or column.title in ("title", "authors") else 20


def _dictionary(sheet: WorkbookTable, columns: Iterable[Column]) -> None:
    """What each column of the wide table means."""
    sheet.begin(("column", "question", "meaning", "type", "unit"))
    for column in columns:
        sheet.append((column.title, column.question.id if column.question else "", column.meaning, column.type, column.unit))


def _verdicts(table: WorkbookTable, matrix: SpooledMatrix, links: "_Links", colours: Mapping[Status, Any]) -> None:
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
