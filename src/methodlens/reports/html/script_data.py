"""What the report's script works with: a paper's cells as it shows them, and an overview of all papers in its file."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from methodlens.records import Evidence, Hit, PaperEntry, Row, Status
from methodlens.reports.fact_words import fact_label, shown_facts
from methodlens.reports.formats.export_rows import quote_location
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_split import ReportSplit
from methodlens.reports.html.run_totals import RunTotals
from methodlens.reports.verdict_matrix import CODES, MARKS, question_labels, status_label
from methodlens.text.printable import one_line, printable

FLAGS = {
    "no_dl": "no deep learning of its own: read its verdicts with that in mind",
    "ocr": "read by OCR, from pictures of its pages: expect slips in quotes",
    "hidden_text": "holds text that nobody sees on the page; it was kept from the readers",
}
_NEAREST = 2
"""Passages beside a cell that is not reported: silence can be checked too."""


def overview(part: ReportPart, figures: RunTotals, split: ReportSplit | None = None) -> dict[str, Any]:
    """Everything the matrix, its filters and the plots need, without any answer."""
    labels = question_labels(figures.questions.values())
    found: dict[str, Any] = {
        "states": [
            {"code": CODES[status], "name": status.value, "word": status_label(status), "mark": MARKS[status]}
            for status in Status
        ],
        "questions": [
            {"id": question.id, "number": label, "title": one_line(question.title), "text": one_line(question.text)}
            for label, question in zip(labels, figures.questions.values(), strict=True)
        ],
        "flags": FLAGS,
        "readers": list(figures.readers),
        "papers": [_paper(key, entry) for key, entry in zip(part.keys, part.papers, strict=True)],
        "verdicts": {
            reader: [codes.ljust(len(figures.questions), ".") for codes in part.codes(reader)] for reader in figures.readers
        },
        "facts": {
            question: [
                {"key": key, "label": fact_label(key), "values": sorted(values.items(), key=lambda item: -len(item[1]))}
                for key, values in by_key.items()
            ]
            for question, by_key in part.facts.items()
        },
    }
    return found if split is None else {**found, "split": _split(split, figures)}


def _split(split: ReportSplit, figures: RunTotals) -> dict[str, Any]:
    def neighbour(step: int) -> dict[str, str] | None:
        if not (other := split.beside(step)):
            return None
        key, name = (other.last_key, other.last_name) if step < 0 else (other.first_key, other.first_name)
        return {"file": split.address(other), "key": key, "name": one_line(name)}

    counts = figures.verdicts.get(figures.lead, {})
    whole = [counts.get(question, Counter[Status]()) for question in figures.questions]
    return {
        "stamp": split.stamp,
        "first": split.address(split.parts[0]),
        "previous": neighbour(-1),
        "next": neighbour(1),
        "whole": [(found[Status.REPORTED], found.total() - found[Status.UNREADABLE]) for found in whole],
    }


def _paper(key: str, entry: PaperEntry) -> dict[str, Any]:
    return {
        "key": key,
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


def cell_data(row: Row) -> Mapping[str, Any]:
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
        "where": quote_location(evidence),
        "places": [(place.page, [[round(side, 1) for side in box] for box in place.boxes]) for place in evidence.places],
    }
