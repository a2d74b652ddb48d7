"""The JSON that the report's script works with: the cells of a paper, and an overview of all papers in a part."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from methodlens.questions import is_calibrated
from methodlens.records import Evidence, Hit, PaperEntry, Row, Status
from methodlens.reports.fact_words import fact_label, shown_facts
from methodlens.reports.formats.export_rows import quote_location
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_split import ReportSplit
from methodlens.reports.html.run_summary import FLAGS, RunTotals
from methodlens.reports.verdict_matrix import CODES, MARKS, question_labels, status_label
from methodlens.text.printable import one_line, printable

_NEAREST = 2
"""Passages shown with a cell that is not reported, so that a reader of the report can check it."""


def overview(part: ReportPart, totals: RunTotals, split: ReportSplit | None = None) -> dict[str, Any]:
    """Everything that the matrix, its filters and the plots need, without any answers."""
    labels = question_labels(totals.questions.values())
    data: dict[str, Any] = {
        "states": [
            {"code": CODES[status], "name": status.value, "word": status_label(status), "mark": MARKS[status]}
            for status in Status
        ],
        "questions": [
            {
                "id": question.id,
                "number": label,
                "title": one_line(question.title),
                "text": one_line(question.text),
                "calibrated": is_calibrated(question),
                "answeredAs": question.like,
            }
            for label, question in zip(labels, totals.questions.values(), strict=True)
        ],
        "flags": FLAGS,
        "readers": list(totals.readers),
        "papers": [_paper(key, paper) for key, paper in zip(part.keys, part.papers, strict=True)],
        "verdicts": {
            reader: [codes.ljust(len(totals.questions), ".") for codes in part.codes(reader)] for reader in totals.readers
        },
        "facts": {
            question: [
                {"key": key, "label": fact_label(key), "values": sorted(values.items(), key=lambda item: -len(item[1]))}
                for key, values in by_key.items()
            ]
            for question, by_key in part.facts.items()
        },
    }
    return data if split is None else {**data, "split": _split(split, totals)}


def _split(split: ReportSplit, totals: RunTotals) -> dict[str, Any]:
    def neighbour(step: int) -> dict[str, str] | None:
        if not (other := split.neighbour(step)):
            return None
        key, name = (other.last_key, other.last_name) if step < 0 else (other.first_key, other.first_name)
        return {"file": split.address(other), "key": key, "name": one_line(name)}

    verdicts = totals.verdicts.get(totals.lead, {})
    counts = [verdicts.get(question, Counter[Status]()) for question in totals.questions]
    return {
        "stamp": split.stamp,
        "previous": neighbour(-1),
        "next": neighbour(1),
        "whole_run": [(count[Status.REPORTED], count.total() - count[Status.UNREADABLE]) for count in counts],
    }


def _paper(key: str, paper: PaperEntry) -> dict[str, Any]:
    return {
        "key": key,
        "name": one_line(paper.name),
        "title": one_line(paper.title),
        "authors": [one_line(author) for author in paper.authors],
        "year": paper.year,
        "doi": one_line(paper.doi),
        "status": paper.status.value,
        "reason": one_line(paper.reason),
        "pages": paper.pages,
        "flags": [one_line(flag) for flag in paper.flags],
        "duplicate_of": one_line(paper.duplicate_of),
        "hidden": [{"page": piece.page, "why": one_line(piece.why), "text": one_line(piece.text)} for piece in paper.hidden],
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
        "speculation": one_line(answer.speculation),
        "unsupported": [one_line(claim) for claim in answer.unsupported],
        "quotes": [_quote(quote) for quote in answer.evidence],
        "facts": [(key, fact_label(key), values) for key, values in shown_facts(answer.facts, answer.fact_confidence)],
        "nearest": [] if status is Status.REPORTED else [_passage(hit) for hit in cell.hits[:_NEAREST]],
        "votes": None if row.votes is None else [(one_line(reader), CODES[vote]) for reader, vote in row.votes.items()],
    }


def _passage(hit: Hit) -> tuple[int, str, str]:
    return hit.passage.page, one_line(hit.passage.section), one_line(hit.passage.text)


def _quote(evidence: Evidence) -> dict[str, Any]:
    return {
        "text": one_line(evidence.quote),
        "where": quote_location(evidence),
        "places": [(place.page, [[round(side, 1) for side in box] for box in place.boxes]) for place in evidence.places],
    }
