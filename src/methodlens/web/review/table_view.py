"""The wide table in the room: one page of papers by questions, with the short answers and facts of the final words."""

from typing import Any

from msgspec import Struct

from methodlens.ledger.final_words import final_rows
from methodlens.ledger.store import Ledger, Run
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.wide.wide_cell import WideCell, wide_cell
from methodlens.reports.wide.wide_table import wide_question
from methodlens.text.printable import one_line
from methodlens.web.review.run_order import page_count


class TablePaper(Struct, frozen=True):
    """One paper; `cells` has one item per question, None if there is no answer yet."""

    name: str
    sha256: str
    title: str
    authors: str
    year: int | None
    doi: str
    flags: str
    cells: tuple[WideCell | None, ...]


class TableView(Struct, frozen=True):
    """`page` counts from 1; each has 500 papers."""

    questions: tuple[dict[str, Any], ...]
    papers: tuple[TablePaper, ...]
    page: int
    pages: int


def table_view(ledger: Ledger, run: Run, *, page: int) -> TableView:
    names = frozenset(ledger.names(run, page=page - 1))
    papers = []
    found: set[tuple[str, str]] = set()
    for entry, rows in deciding_rows(final_rows(ledger, run, only=names)):
        cells = {row.question.id: wide_cell(row) for row in rows}
        found |= {(question, key) for question, cell in cells.items() for key in cell.facts}
        papers.append(
            TablePaper(
                name=one_line(entry.name),
                sha256=entry.sha256,
                title=one_line(entry.title),
                authors="; ".join(map(one_line, entry.authors)),
                year=entry.year,
                doi=one_line(entry.doi),
                flags=", ".join(map(one_line, entry.flags)),
                cells=tuple(cells.get(question.id) for question in run.questions),
            )
        )
    questions = tuple(wide_question(question, found) for question in run.questions)
    return TableView(questions, tuple(papers), page, page_count(run))
