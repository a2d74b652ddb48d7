"""What a report knows of a whole run, gathered row by row: verdicts by reader, facts by question, and each paper's cells apart.

Rows are heavy and runs are long: a paper's cells leave as soon as the next paper comes, encoded for the page.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from methodlens.records import Evidence, Hit, PaperEntry, Question, Row, Status
from methodlens.reports.fact_words import fact_label, shown_facts
from methodlens.reports.flags import FLAGS
from methodlens.reports.links import PaperKeys
from methodlens.reports.matrix import MARKS, in_words, numbers
from methodlens.reports.plain import one_line, printable
from methodlens.reports.rows import pages_of, whereabouts

CODES: Mapping[Status, str] = dict(zip(Status, "rnwfu", strict=True))
"""A status is one letter in the page's data; '.' stands for what was not asked."""
_NOT_ASKED = "."
_DERIVED = "derived"  # estimates of ours: no paper's own words, so no plot
_NEAREST = 2
"""Passages beside a cell that is not reported: silence can be checked too."""
_PaperId = tuple[str, str]


class CorpusBuilder:
    """`keep` is given each paper's key and cells when all of them are known."""

    def __init__(self, keep: Callable[[str, dict[str, Any]], None]) -> None:
        self._keep = keep
        self._keys = PaperKeys()
        self._current: _PaperId | None = None
        self._cells: dict[str, list[dict[str, Any]]] = {}
        self.papers: dict[_PaperId, PaperEntry] = {}
        self.questions: dict[str, Question] = {}
        self.readers: dict[str, str] = {}
        """With the model each runs on, the vote first."""
        self.pages: dict[_PaperId, set[int]] = {}
        """Those that quotes stand on."""
        self.shown: list[tuple[int, int]] = []
        """How many passages each reader was given for a cell, and how many characters."""
        self._verdicts: dict[str, dict[_PaperId, dict[str, Status]]] = {}
        self._facts: dict[str, dict[str, dict[str, list[int]]]] = {}

    def add(self, row: Row) -> None:
        paper = (row.paper.name, row.paper.sha256)
        if paper != self._current:
            self._finish()
            self._current = paper
        self.papers.setdefault(paper, row.paper)
        self.questions.setdefault(row.question.id, row.question)
        reader, is_vote = row.cell.reader, row.votes is not None
        if is_vote and next(iter(self.readers), reader) != reader:
            self.readers = {reader: row.cell.model, **self.readers}
        self.readers.setdefault(reader, row.cell.model)
        self._verdicts.setdefault(reader, {}).setdefault(paper, {})[row.question.id] = row.cell.verdict.status
        self.pages.setdefault(paper, set()).update(page for quote in row.cell.answer.evidence for page in pages_of(quote))
        if not is_vote and (given := [len(hit.passage.text) for hit in row.cell.hits if hit.shown]):
            self.shown.append((len(given), sum(given)))
        cells = self._cells.setdefault(row.question.id, [])
        cells.insert(0 if is_vote else len(cells), _cell(row))

    def _finish(self) -> None:
        if self._current is None:
            return
        number = len(self.papers) - 1
        for question, cells in self._cells.items():
            for key, _, values in cells[0]["facts"]:  # of the vote, or of the only reader: no paper counts twice
                if key == _DERIVED:
                    continue
                for value in dict.fromkeys(value for value, _ in values):
                    self._facts.setdefault(question, {}).setdefault(key, {}).setdefault(value, []).append(number)
        self._keep(self.key(self._current), {"cells": self._cells})
        self._cells = {}

    def finish(self) -> None:
        self._finish()
        self._current = None

    def key(self, paper: _PaperId) -> str:
        return self._keys.of(self.papers[paper])

    @property
    def lead(self) -> str:
        """Whose verdicts the report shows first: the vote's, or the first reader's."""
        return next(iter(self.readers), "")

    def statuses(self, reader: str) -> dict[_PaperId, dict[str, Status]]:
        return self._verdicts.get(reader, {})

    def overview(self) -> dict[str, Any]:
        """Everything the matrix, its filters and the plots need, without any answer."""
        labels = numbers(self.questions.values())
        return {
            "states": [
                {"code": CODES[status], "name": status.value, "word": in_words(status), "mark": MARKS[status]}
                for status in Status
            ],
            "questions": [
                {"id": question.id, "number": label, "title": one_line(question.title), "text": one_line(question.text)}
                for label, question in zip(labels, self.questions.values(), strict=True)
            ],
            "flags": FLAGS,
            "readers": list(self.readers),
            "papers": [self._paper(paper) for paper in self.papers],
            "verdicts": {
                reader: ["".join(self._codes(found.get(paper, {}))) for paper in self.papers]
                for reader in self.readers
                for found in [self.statuses(reader)]
            },
            "facts": {
                question: [
                    {"key": key, "label": fact_label(key), "values": sorted(values.items(), key=lambda item: -len(item[1]))}
                    for key, values in by_key.items()
                ]
                for question, by_key in self._facts.items()
            },
        }

    def _codes(self, statuses: Mapping[str, Status]) -> Iterator[str]:
        for question in self.questions:
            yield CODES[statuses[question]] if question in statuses else _NOT_ASKED

    def _paper(self, paper: _PaperId) -> dict[str, Any]:
        entry = self.papers[paper]
        return {
            "key": self.key(paper),
            "name": one_line(entry.name),
            "title": one_line(entry.title),
            "authors": [one_line(author) for author in entry.authors],
            "year": entry.year,
            "doi": one_line(entry.doi),
            "status": entry.status.value,
            "reason": one_line(entry.reason),
            "pages": entry.pages,
            "flags": [one_line(flag) for flag in entry.flags],
            "same": one_line(entry.duplicate_of),
            "hidden": [{"page": piece.page, "why": one_line(piece.why), "text": one_line(piece.text)} for piece in entry.hidden],
        }


def _cell(row: Row) -> dict[str, Any]:
    cell, answer, status = row.cell, row.cell.answer, row.cell.verdict.status
    return {
        "reader": one_line(cell.reader),
        "model": one_line(cell.model),
        "status": CODES[status],
        "reason": one_line(cell.verdict.reason),
        "p": answer.p_reported,
        "answer": printable(answer.text).strip(),
        "supposed": one_line(answer.speculation),
        "unsupported": [one_line(claim) for claim in answer.unsupported],
        "quotes": [_quote(quote) for quote in answer.evidence],
        "facts": [(key, fact_label(key), values) for key, values in shown_facts(answer.facts)],
        "nearest": [] if status is Status.REPORTED else [_passage(hit) for hit in cell.hits[:_NEAREST]],
        "votes": None if row.votes is None else [(one_line(reader), CODES[status]) for reader, status in row.votes.items()],
    }


def _passage(hit: Hit) -> tuple[int, str, str]:
    return hit.passage.page, one_line(hit.passage.section), one_line(hit.passage.text)


def _quote(evidence: Evidence) -> dict[str, Any]:
    return {
        "text": one_line(evidence.quote),
        "match": evidence.match.value,
        "where": whereabouts(evidence),
        "places": [(place.page, [[round(side, 1) for side in box] for box in place.boxes]) for place in evidence.places],
    }
