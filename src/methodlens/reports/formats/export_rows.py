"""A row of a run as the object of the JSON export, and as the cells of a table."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from methodlens.questions import is_calibrated
from methodlens.records import Evidence, Match, Row
from methodlens.text.printable import encodable

COLUMNS = (
    *("paper", "title", "question", "question_title", "reader", "status", "p_reported"),
    *("answer", "quotes", "pages", "facts", "reason", "model", "seconds", "calibrated"),
)
FACT_COLUMNS = ("paper", "question", "reader", "status", "fact", "value", "details")


def export_object(row: Row) -> dict[str, Any]:
    """The object that docs/reference/export.md specifies: dicts, lists, strings, numbers and None."""
    cell, answer = row.cell, row.cell.answer
    exported: dict[str, Any] = {
        "paper": row.paper.name,
        "paper_sha256": row.paper.sha256,
        "paper_status": str(row.paper.status),
        "paper_flags": list(row.paper.flags),
        "question": row.question.id,
        "reader": cell.reader,
        "status": str(cell.verdict.status),
        "reported": cell.verdict.status.reported,
        "p_reported": answer.p_reported,
        "answer": answer.text,
        "reason": cell.verdict.reason,
        "evidence": [_evidence(evidence) for evidence in answer.evidence],
        "facts": dict(answer.facts),
        "passages": [
            {
                "rank": rank,
                "shown": rank <= cell.shown,
                "page": hit.passage.page,
                "section": hit.passage.section,
                "text": hit.passage.text,
            }
            for rank, hit in enumerate(cell.hits, 1)
        ],
        "model": cell.model,
        "seconds": cell.seconds,
        "tokens": answer.tokens,
    }
    if answer.fact_confidence:
        exported["fact_confidence"] = {key: dict(values) for key, values in answer.fact_confidence.items()}
    if not is_calibrated(row.question):
        exported["calibrated"] = False
    if row.question.like:
        exported["answered_as"] = row.question.like
    if answer.usage:
        fields = ("tokens_in", "tokens_out", "requests", "cost", "estimated")
        exported["usage"] = {field: getattr(answer.usage, field) for field in fields}
    if answer.speculation:
        exported["speculation"] = answer.speculation
    if row.votes is not None:
        exported["votes"] = {reader: str(status) for reader, status in row.votes.items()}
    return exported


def _evidence(evidence: Evidence) -> dict[str, Any]:
    places = [{"page": place.page, "boxes": [list(box) for box in place.boxes]} for place in evidence.places]
    return {"quote": evidence.quote, "match": str(evidence.match), "places": places}


def table_cells(row: Row) -> tuple[str, ...]:
    """One text per column of COLUMNS, not escaped for any format."""
    cell, answer = row.cell, row.cell.answer
    pages = sorted({page for evidence in answer.evidence for page in pages_of(evidence)})
    return (
        row.paper.name,
        row.paper.title,
        row.question.id,
        row.question.title or row.question.text,
        cell.reader,
        str(cell.verdict.status),
        "" if answer.p_reported is None else f"{answer.p_reported:.4f}",
        answer.text,
        quotes_text(answer.evidence),
        ", ".join(map(str, pages)),
        _compact_json(dict(answer.facts)) if answer.facts else "",
        cell.verdict.reason,
        cell.model,
        f"{cell.seconds:.3f}",
        "yes" if is_calibrated(row.question) else "no",
    )


def pages_of(evidence: Evidence) -> list[int]:
    return [place.page for place in evidence.places]


def quotes_text(evidence: Iterable[Evidence]) -> str:
    """'“We used one GPU.” (p. 8) | “It took two hours.” (p. 9)'"""
    return " | ".join(f"“{quote.quote}” ({quote_location(quote)})" for quote in evidence)


def quote_location(evidence: Evidence) -> str:
    """'p. 8', 'pp. 8, 9, nearly as quoted' or 'not found in the paper'."""
    if evidence.match is Match.ABSENT:
        return "not found in the paper"
    pages = pages_of(evidence)
    where = f"p{'p' if len(pages) > 1 else ''}. {', '.join(map(str, pages))}" if pages else "page unknown"
    return where if evidence.match is Match.EXACT else f"{where}, nearly as quoted"


def fact_cells(row: Row) -> Iterator[tuple[str, ...]]:
    """One row per fact, with one text per column of FACT_COLUMNS."""
    cell = (row.paper.name, row.question.id, row.cell.reader, str(row.cell.verdict.status))
    return ((*cell, *fact) for fact in fact_values(row))


def fact_values(row: Row) -> Iterator[tuple[str, str, str]]:
    """Key, value and further details: ('hardware', 'NVIDIA TITAN Xp', '{"kind":"GPU","count":3}')."""
    for key, values in row.cell.answer.facts.items():
        for value in values if isinstance(values, list | tuple) else [values]:
            if value is None:
                continue
            if isinstance(value, dict) and "name" in value:
                details = {name: part for name, part in value.items() if name != "name" and part is not None}
                yield key, str(value["name"]), _compact_json(details) if details else ""
            else:
                yield key, value if isinstance(value, str) else _compact_json(value), ""


def _compact_json(value: Any) -> str:
    return msgspec.json.encode(encodable(value)).decode()
