"""Collects the rows of a run, paper by paper, into the parts of a report and the totals of the run.

To save memory, the cells of a paper are handed over as soon as the next paper starts.
"""

from collections.abc import Callable, Mapping
from typing import Any

from methodlens.records import PaperEntry, Row, Status
from methodlens.reports.formats.export_rows import pages_of
from methodlens.reports.html.report_links import PaperKeys
from methodlens.reports.html.report_part import TEXT, ReportPart
from methodlens.reports.html.run_summary import RunTotals
from methodlens.reports.html.script_data import cell_data, code_data, repository_data, supplement_data, supplement_file
from methodlens.reports.wide.wide_cell import WideCell, wide_cell

_DERIVED = "derived"  # estimates by methodlens, which no paper states: not plotted


class PartBuilder:
    """`keep_cells` is called with the key and the cells of each paper when it is complete."""

    def __init__(self, keep_cells: Callable[[str, dict[str, Any]], None]) -> None:
        self._keep_cells = keep_cells
        self._keys = PaperKeys()
        self._paper: tuple[str, str] | None = None
        self._cells: dict[str, list[Mapping[str, Any]]] = {}
        self._verdicts: dict[str, dict[str, Status]] = {}
        self._wide: dict[str, WideCell] = {}
        self._pages: set[int] = set()
        self._code: dict[str, Any] = {}
        self._supplements: dict[str, Any] = {}
        self.totals = RunTotals()
        self.part = ReportPart()

    def is_new(self, paper: PaperEntry) -> bool:
        return (paper.name, paper.sha256) != self._paper

    def add(self, row: Row) -> None:
        if self.is_new(row.paper):
            self._finish_paper()
            self._paper = (row.paper.name, row.paper.sha256)
            self.totals.add_paper(row.paper)
            self.part.papers.append(row.paper)
            self.part.keys.append(self._keys.of(row.paper))
            if row.code:
                self.totals.add_code(row.code.repository)
                self._code = {"repository": repository_data(row.code.repository), "cells": {}}
            if row.supplements:
                self._supplements = {"files": list(map(supplement_file, row.supplements)), "cells": {}}
        self.totals.add(row)
        self._verdicts.setdefault(row.cell.reader, {})[row.question.id] = row.cell.verdict.status
        self._pages.update(page for quote in row.cell.answer.evidence for page in pages_of(quote))
        if any(quote.paragraph for quote in row.cell.answer.evidence):
            self._pages.add(TEXT)
        if row.question.id not in self._wide or row.votes is not None or row.final:
            self._wide[row.question.id] = wide_cell(row)
        leads = row.question.id not in self._code.get("cells", {}) or row.votes is not None or row.final
        if row.code and leads:  # compared with the final word, or else with the first reader's answer
            self._code["cells"][row.question.id] = code_data(row.code)
        if row.supplements and row.question.id not in self._supplements["cells"]:  # the same with each reader
            self._supplements["cells"][row.question.id] = list(map(supplement_data, row.supplements))
        cells = self._cells.setdefault(row.question.id, [])
        cells.insert(0 if row.votes is not None or row.final else len(cells), cell_data(row))  # the final word comes last

    def take_part(self) -> ReportPart:
        """The papers since the last call; the next paper starts a new part."""
        self._finish_paper()
        part, self.part = self.part, ReportPart()
        return part

    def _finish_paper(self) -> None:
        if self._paper is None:
            return
        index = len(self.part.papers) - 1
        for question, cells in self._cells.items():
            for key, _, values in cells[0]["facts"]:  # of the final word or the only reader, so that a paper counts once
                if key == _DERIVED:
                    continue
                for value in dict.fromkeys(value for value, _ in values):
                    self.part.facts.setdefault(question, {}).setdefault(key, {}).setdefault(value, []).append(index)
        self.part.add_verdicts(self._verdicts, self.totals.questions)
        self.part.wide.append(self._wide)
        self.part.quoted_pages.append(sorted(self._pages))
        next_to_it = {"code": self._code, "supplements": self._supplements}
        self._keep_cells(self.part.keys[-1], {"cells": self._cells} | {name: data for name, data in next_to_it.items() if data})
        self._paper, self._cells, self._verdicts, self._wide, self._pages = None, {}, {}, {}, set()
        self._code, self._supplements = {}, {}
