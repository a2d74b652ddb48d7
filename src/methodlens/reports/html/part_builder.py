"""A run's rows, gathered for its report: figures of the whole, the part that is being filled, and each paper's cells apart.

Rows are heavy and runs are long: a paper's cells leave as soon as the next paper comes, a part's papers with the part.
"""

from collections.abc import Callable, Mapping
from typing import Any

from methodlens.records import PaperEntry, Row, Status
from methodlens.reports.formats.export_rows import pages_of
from methodlens.reports.html.report_links import PaperKeys
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.run_totals import RunTotals
from methodlens.reports.html.script_data import cell_data

_DERIVED = "derived"  # estimates of ours: no paper's own words, so no plot


class PartBuilder:
    """Takes rows paper by paper. `keep` is given each paper's key and cells when all of them are known."""

    def __init__(self, keep: Callable[[str, dict[str, Any]], None]) -> None:
        self._keep = keep
        self._keys = PaperKeys()
        self._current: tuple[str, str] | None = None
        self._cells: dict[str, list[Mapping[str, Any]]] = {}
        self._verdicts: dict[str, dict[str, Status]] = {}
        self._pages: set[int] = set()
        self.figures = RunTotals()
        self.part = ReportPart()

    def is_new(self, paper: PaperEntry) -> bool:
        return (paper.name, paper.sha256) != self._current

    def add(self, row: Row) -> None:
        if self.is_new(row.paper):
            self._finish_paper()
            self._current = (row.paper.name, row.paper.sha256)
            self.figures.add_paper(row.paper)
            self.part.papers.append(row.paper)
            self.part.keys.append(self._keys.of(row.paper))
        self.figures.add(row)
        self._verdicts.setdefault(row.cell.reader, {})[row.question.id] = row.cell.verdict.status
        self._pages.update(page for quote in row.cell.answer.evidence for page in pages_of(quote))
        cells = self._cells.setdefault(row.question.id, [])
        cells.insert(0 if row.votes is not None else len(cells), cell_data(row))

    def take_part(self) -> ReportPart:
        """What was gathered since the last one; the next paper begins another."""
        self._finish_paper()
        done, self.part = self.part, ReportPart()
        return done

    def _finish_paper(self) -> None:
        if self._current is None:
            return
        number = len(self.part.papers) - 1
        for question, cells in self._cells.items():
            for key, _, values in cells[0]["facts"]:  # of the vote, or of the only reader: no paper counts twice
                if key == _DERIVED:
                    continue
                for value in dict.fromkeys(value for value, _ in values):
                    self.part.facts.setdefault(question, {}).setdefault(key, {}).setdefault(value, []).append(number)
        self.part.keep_verdicts(self._verdicts, self.figures.questions)
        self.part.quoted.append(sorted(self._pages))
        self._keep(self.part.keys[-1], {"cells": self._cells})
        self._current, self._cells, self._verdicts, self._pages = None, {}, {}, set()
