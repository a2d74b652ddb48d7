"""One row of a run, flattened: as the export's object, and as the columns of a table."""

from collections.abc import Iterator
from typing import Any

import msgspec

from methodlens.records import Evidence, Match, Row
from methodlens.text.printable import encodable

COLUMNS = (
    "paper",
    "title",
    "question",
    "question_title",
    "reader",
    "status",
    "p_reported",
    "answer",
    "quotes",
    "pages",
    "facts",
    "reason",
    "model",
    "seconds",
)
FACT_COLUMNS = ("paper", "question", "reader", "status", "fact", "value", "details")


def export_object(row: Row) -> dict[str, Any]:
    """The contract of docs/reference/export.md: plain dicts, lists, strings, numbers and None."""
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
    if answer.usage:
        spent = answer.usage
        exported["usage"] = {
            "tokens_in": spent.tokens_in,
            "tokens_out": spent.tokens_out,
            "requests": spent.requests,
            "cost": spent.cost,
            "estimated": spent.estimated,
        }
    if answer.speculation:
        exported["speculation"] = answer.speculation
    if row.votes is not None:
        exported["votes"] = {reader: str(status) for reader, status in row.votes.items()}
    return exported


def _evidence(evidence: Evidence) -> dict[str, Any]:
    places = [{"page": place.page, "boxes": [list(box) for box in place.boxes]} for place in evidence.places]
    return {"quote": evidence.quote, "match": str(evidence.match), "places": places}


def table_cells(row: Row) -> tuple[str, ...]:
    """One text for each of COLUMNS, not yet made escape_formula for any format."""
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
        " | ".join(f"“{evidence.quote}” ({quote_location(evidence)})" for evidence in answer.evidence),
        ", ".join(map(str, pages)),
        compact_json(dict(answer.facts)) if answer.facts else "",
        cell.verdict.reason,
        cell.model,
        f"{cell.seconds:.3f}",
    )


def pages_of(evidence: Evidence) -> list[int]:
    return [place.page for place in evidence.places]


def quote_location(evidence: Evidence) -> str:
    """'p. 8', 'pp. 8, 9, nearly as quoted' or 'not found in the paper'."""
    if evidence.match is Match.ABSENT:
        return "not found in the paper"
    pages = pages_of(evidence)
    where = f"p{'p' if len(pages) > 1 else ''}. {', '.join(map(str, pages))}" if pages else "page unknown"
    return where if evidence.match is Match.EXACT else f"{where}, nearly as quoted"


def fact_cells(row: Row) -> Iterator[tuple[str, ...]]:
    """One text for each of FACT_COLUMNS, a row a fact."""
    about = (row.paper.name, row.question.id, row.cell.reader, str(row.cell.verdict.status))
    return ((*about, *fact) for fact in fact_values(row))


def fact_values(row: Row) -> Iterator[tuple[str, str, str]]:
    """Key, value and what else is known of it: ('hardware', 'NVIDIA TITAN Xp', '{"kind":"GPU","count":3}')."""
    for key, found in row.cell.answer.facts.items():
        for value in found if isinstance(found, list | tuple) else [found]:
            if value is None:
                continue
            if isinstance(value, dict) and "name" in value:
                rest = {name: part for name, part in value.items() if name != "name" and part is not None}
                yield key, str(value["name"]), compact_json(rest) if rest else ""
            else:
                yield key, value if isinstance(value, str) else compact_json(value), ""


def compact_json(value: Any) -> str:
    return msgspec.json.encode(encodable(value)).decode()
