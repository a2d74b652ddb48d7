"""The JSON that the report's script works with: the cells of a paper, and an overview of all papers in a part."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from methodlens.questions import calibration_mark, is_calibrated
from methodlens.records import Evidence, Hit, PaperEntry, Row, Source, Status, Step, SupplementCell
from methodlens.records.code import CodeCell, Repository
from methodlens.reports.code_cells import problem, repository_name, shown_checks, shown_code
from methodlens.reports.fact_words import fact_label, shown_facts
from methodlens.reports.formats.export_rows import quote_location
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_split import ReportSplit
from methodlens.reports.html.run_summary import FLAGS, RunTotals
from methodlens.reports.supplement_cells import shown_supplement
from methodlens.reports.verdict_matrix import CODES, MARKS, question_labels, status_label
from methodlens.reports.wide.wide_table import wide_question
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
                "calibration": calibration_mark(question),
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


def table_data(part: ReportPart, totals: RunTotals) -> dict[str, Any]:
    """The wide table: the questions with their facts, and for each paper one cell per question, None if it was not asked."""
    found = {(question, key) for cells in part.wide for question, cell in cells.items() for key in cell.facts}
    return {
        "questions": [wide_question(question, found) for question in totals.questions.values()],
        "cells": [
            [
                (CODES[cell.status], cell.text, cell.facts) if (cell := cells.get(question)) else None
                for question in totals.questions
            ]
            for cells in part.wide
        ],
    }


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
        "source": None if row.final is None else _source(row.final),
        "trail": [_step(step) for step in answer.trail] if len(answer.trail) > 1 else [],
        "votes": None if row.votes is None else [(one_line(reader), CODES[vote]) for reader, vote in row.votes.items()],
    }


def code_data(code: CodeCell) -> dict[str, Any]:
    """What the repository says on a question, with short names: there may be many of these."""
    shown = shown_code(code)
    return {
        "comparison": shown.comparison,
        "findings": [(each.place, each.quote, each.note) for each in (*shown.findings, *shown.more)],
        "first": len(shown.findings),
    }


def supplement_data(supplement: SupplementCell) -> dict[str, Any]:
    """What a supplement says on a question."""
    shown = shown_supplement(supplement)
    return {
        "file": shown.file,
        "status": CODES[shown.status] if shown.status else None,
        "answer": shown.answer,
        "quotes": [(quote.text, quote.where) for quote in shown.quotes],
    }


def supplement_file(supplement: SupplementCell) -> tuple[str, int, str]:
    """Its name, its pages, and why it could not be read."""
    shown = shown_supplement(supplement)
    return shown.file, supplement.pages, shown.problem


def repository_data(repository: Repository) -> dict[str, Any]:
    """The repository of a paper, with its checklist."""
    return {
        "name": repository_name(repository),
        "problem": problem(repository),
        "files": repository.files,
        "checks": [(check.item, check.met, check.places) for check in shown_checks(repository)],
    }


def _step(step: Step) -> tuple[str, str, str]:
    """The reader, its status, and its probability, cost and why the next one was asked, in words."""
    p = "" if step.p_reported is None else f"p = {step.p_reported:.2f}"
    cost = "" if step.cost is None else f"cost {step.cost:.6f}"
    return one_line(step.reader), CODES[step.status], ", ".join(filter(None, (p, cost, one_line(step.doubt or step.reason))))


def _source(source: Source) -> dict[str, Any]:
    return {"kind": str(source.kind), "by": [one_line(name) for name in source.by], "at": source.at[:16].replace("T", " ")}


def _passage(hit: Hit) -> tuple[int, str, str]:
    return hit.passage.page, one_line(hit.passage.section), one_line(hit.passage.text)


def _quote(evidence: Evidence) -> dict[str, Any]:
    span = {"span": (evidence.start, evidence.end)} if evidence.paragraph else {}
    return span | {
        "text": one_line(evidence.quote),
        "where": quote_location(evidence),
        "places": [(place.page, [[round(side, 1) for side in box] for box in place.boxes]) for place in evidence.places],
    }
