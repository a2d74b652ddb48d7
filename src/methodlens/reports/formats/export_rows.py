"""A row of a run as the object of the JSON export, and as the cells of a table."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from methodlens.questions import is_calibrated
from methodlens.records import Evidence, Match, PaperEntry, PaperStatus, Question, Row, Source, Status, SupplementCell
from methodlens.reports.code_cells import code_object, code_text
from methodlens.text.printable import encodable, one_line

COLUMNS = (
    *("paper", "title", "question", "question_title", "reader", "status", "p_reported"),
    *("answer", "quotes", "pages", "facts", "reason", "model", "seconds", "calibrated", "source", "in_code", "in_supplement"),
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
    if row.question.calibrated_on:
        exported["calibrated_on"] = row.question.calibrated_on
    if row.question.like:
        exported["answered_as"] = row.question.like
    if answer.usage:
        fields = ("tokens_in", "tokens_out", "requests", "cost", "estimated")
        further = tuple(field for field in ("tokens_cached", "tokens_reasoning") if getattr(answer.usage, field))
        exported["usage"] = {field: getattr(answer.usage, field) for field in fields + further}
    if answer.speculation:
        exported["speculation"] = answer.speculation
    if answer.trail:
        exported["trail"] = msgspec.to_builtins(answer.trail)
    if row.votes is not None:
        exported["votes"] = {reader: str(status) for reader, status in row.votes.items()}
    if row.final is not None:
        exported["source"] = {"kind": str(row.final.kind), "by": list(row.final.by), "at": row.final.at or None}
    if row.code is not None:
        exported["code"] = code_object(row.code)
    if row.supplements:
        exported["supplement"] = [_supplement_object(supplement) for supplement in row.supplements]
    return exported


def _evidence(evidence: Evidence) -> dict[str, Any]:
    places = [{"page": place.page, "boxes": [list(box) for box in place.boxes]} for place in evidence.places]
    exported: dict[str, Any] = {"quote": evidence.quote, "match": str(evidence.match), "places": places}
    if evidence.picture:
        exported["picture"] = evidence.picture
    return exported | {"section": evidence.section, "paragraph": evidence.paragraph} if evidence.paragraph else exported


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
        calibrated_word(row.question),
        source_text(row.final) if row.final else "",
        code_text(row.code) if row.code else "",
        " | ".join(filter(None, map(_supplement_text, row.supplements))),
    )


def _supplement_object(supplement: SupplementCell) -> dict[str, Any]:
    """What one supplement says; its `status` is None if the question was not asked of it."""
    cell, is_read = supplement.cell, supplement.status is PaperStatus.OK
    exported: dict[str, Any] = {"file": one_line(supplement.file), "sha256": supplement.sha256}
    if cell is None:
        status = None if is_read else str(Status.UNREADABLE)
        reason = "" if is_read else one_line(f"{supplement.status}: {supplement.reason}")
        return exported | {"status": status, "p_reported": None, "answer": "", "reason": reason, "evidence": [], "facts": {}}
    plain: dict[str, Any] = encodable(
        exported
        | {
            "status": str(cell.verdict.status),
            "p_reported": cell.answer.p_reported,
            "answer": cell.answer.text,
            "reason": cell.verdict.reason,
            "evidence": [_evidence(evidence) for evidence in cell.answer.evidence],
            "facts": dict(cell.answer.facts),
        }
    )
    return plain


def _supplement_text(supplement: SupplementCell) -> str:
    """'“We used one GPU.” (moths-supplement.pdf, p. 2)' or 'moths-supplement.pdf: not reported'"""
    file, cell = one_line(supplement.file), supplement.cell
    if supplement.status is not PaperStatus.OK:
        return one_line(f"{file} not read: {supplement.status.value.replace('_', ' ')}: {supplement.reason}")
    if cell is None:
        return ""
    quotes = [f"“{one_line(quote.quote)}” ({file}, {quote_location(quote)})" for quote in cell.answer.evidence]
    decided = (
        [] if quotes and cell.verdict.status is Status.REPORTED else [f"{file}: {cell.verdict.status.value.replace('_', ' ')}"]
    )
    return " | ".join((*decided, *quotes))


def source_text(source: Source) -> str:
    """
    >>> from methodlens.records import SourceKind
    >>> source_text(Source(SourceKind.PERSON, ("ann", "bob"), "2026-05-04T10:00:00.000000+00:00"))
    'person: ann, bob, 2026-05-04 10:00'
    """
    return ", ".join(filter(None, (f"{source.kind}: {', '.join(source.by)}", source.at[:16].replace("T", " "))))


def calibrated_word(question: Question) -> str:
    """
    >>> calibrated_word(Question("Q1", "Which reef?", calibrated_on=34))
    'on 34 decisions'
    """
    if question.calibrated_on:
        return f"on {question.calibrated_on} decisions"
    return "yes" if is_calibrated(question) else "no"


def pages_of(evidence: Evidence) -> list[int]:
    return [place.page for place in evidence.places]


def quotes_text(evidence: Iterable[Evidence]) -> str:
    """'“We used one GPU.” (p. 8) | “It took two hours.” (p. 9)'"""
    return " | ".join(f"“{quote.quote}” ({quote_location(quote)})" for quote in evidence)


def quote_location(evidence: Evidence) -> str:
    """'p. 8', 'pp. 8, 9, nearly as quoted', '3.1 Training, paragraph 2', 'read from Table 2, p. 4', 'not found in the paper'."""
    if evidence.picture:
        return f"read from {evidence.picture}, p. {evidence.page}"
    if evidence.match is Match.ABSENT:
        return "not found in the paper"
    pages = pages_of(evidence)
    where = f"p{'p' if len(pages) > 1 else ''}. {', '.join(map(str, pages))}" if pages else _section_place(evidence)
    return where if evidence.match is Match.EXACT else f"{where}, nearly as quoted"


def _section_place(evidence: Evidence) -> str:
    """ "3.1 Training, paragraph 2" """
    return f"{evidence.section}, paragraph {evidence.paragraph}" if evidence.paragraph else "page unknown"


def decided_by(row: Row) -> str:
    """The reader, or on a final row the people, readers or reader behind it: 'ann, bob'."""
    return ", ".join(row.final.by) if row.final else row.cell.reader


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


def fact_objects(row: Row) -> Iterator[dict[str, Any]]:
    """One object per fact. `number` is the value if it is one, `details` what else is known, such as a GPU's count."""
    cell = {
        "paper": row.paper.name,
        "question": row.question.id,
        "reader": row.cell.reader,
        "status": str(row.cell.verdict.status),
    }
    status = str(row.cell.verdict.status)
    for key, values in row.cell.answer.facts.items():
        for value in values if isinstance(values, list | tuple) else [values]:
            if value is not None:
                named = isinstance(value, dict)
                shown = value.get("name") if named else value
                details = {name: part for name, part in value.items() if name != "name"} if named else {}
                number = shown if isinstance(shown, int | float) and not isinstance(shown, bool) else None
                yield {**cell, "status": status, "fact": key, "value": shown, "number": number, "details": details}


def paper_object(paper: PaperEntry) -> dict[str, Any]:
    """What is known about a paper, without its hidden text."""
    exported: dict[str, Any] = msgspec.to_builtins(replace(paper, hidden=()))
    del exported["hidden"]
    return exported


def _compact_json(value: Any) -> str:
    return msgspec.json.encode(encodable(value)).decode()
