"""Answers as W3C Web Annotations (https://www.w3.org/TR/annotation-model/), one JSON-LD document."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from methodlens._version import __version__
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Evidence, PaperEntry, Row, SourceKind
from methodlens.reports.deciding_rows import deciding_rows
from methodlens.reports.formats.export_format import StreamFormat
from methodlens.reports.formats.export_rows import decided_by
from methodlens.reports.graph.review_context import ReviewContext
from methodlens.reports.quote_fragments import PDF_FRAGMENTS, fragment_value, quoted_text
from methodlens.reports.verdict_matrix import status_label
from methodlens.settings import Settings
from methodlens.text.printable import encodable

_CONTEXT = ["http://www.w3.org/ns/anno.jsonld", {"sameAs": {"@id": "http://schema.org/sameAs", "@type": "@id"}}]
_PEOPLE = (SourceKind.PERSON, SourceKind.ADJUDICATED, SourceKind.DISPUTED)


class WebAnnotations(StreamFormat):
    name = "annotations"
    suffix = ".jsonld"
    description = "quotes and answers as W3C Web Annotations"

    def __init__(self, context: ReviewContext = ReviewContext()) -> None:  # noqa: B008 - frozen
        self._context = context

    def for_run(self, run: Run, ledger: Ledger, settings: Settings) -> "WebAnnotations":
        return WebAnnotations(ReviewContext.of_run(ledger, run))

    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]:
        """An AnnotationPage with one annotation per quote, or per answer without a quote, one per line."""
        yield b'{"@context":' + msgspec.json.encode(_CONTEXT) + b',"type":"AnnotationPage","items":['
        separator = b"\n"
        for paper, paper_rows in deciding_rows(rows):
            for annotation in _annotations(paper, paper_rows, self._context.text_of(paper)):
                yield separator + msgspec.json.encode(encodable(annotation))
                separator = b",\n"
        yield b"\n]}\n"


def _annotations(paper: PaperEntry, rows: Sequence[Row], text: str) -> Iterator[dict[str, Any]]:
    source = _source(paper)
    for row in rows:
        for number, evidence in enumerate(row.cell.answer.evidence or (None,)):
            identity = "\0".join((paper.sha256 or paper.name, row.question.id, decided_by(row), str(number)))
            yield {
                "id": f"urn:methodlens:annotation:{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()[:32]}",
                "type": "Annotation",
                "motivation": "describing",
                **_creator(row),
                "body": list(_bodies(row)),
                "target": {"source": source, "selector": _selectors(evidence, text)} if evidence else source,
            }


def _source(paper: PaperEntry) -> dict[str, Any]:
    """The file is named by its hash (RFC 6920), because a path means nothing on another machine."""
    digest = base64.urlsafe_b64encode(bytes.fromhex(paper.sha256)).decode().rstrip("=")
    source = {"type": "Text", "format": "application/pdf", "label": paper.title or paper.name}
    if digest:
        source["id"] = f"ni:///sha-256;{digest}"
    return {**source, "sameAs": f"https://doi.org/{paper.doi}"} if paper.doi else source


def _creator(row: Row) -> dict[str, Any]:
    generator = {"generator": {"type": "Software", "name": f"methodlens {__version__}"}}
    if row.final and row.final.kind in _PEOPLE:
        people = [{"type": "Person", "name": name} for name in row.final.by]
        return {"creator": people, "created": row.final.at, **generator}
    return {"creator": {"type": "Software", "name": decided_by(row)}, **generator}


def _bodies(row: Row) -> Iterator[dict[str, str]]:
    verdict, answer = row.cell.verdict, row.cell.answer.text
    bodies = (
        ("describing", answer),
        ("classifying", status_label(verdict.status)),
        ("tagging", f"{row.question.id} {row.question.title or row.question.text}"),
        ("commenting", verdict.reason),
    )
    return ({"type": "TextualBody", "purpose": purpose, "value": value} for purpose, value in bodies if value)


def _selectors(evidence: Evidence, text: str) -> list[dict[str, Any]]:
    quoted = {name: value for name, value in quoted_text(evidence, text)._asdict().items() if value is not None}
    places = ((place.page, box) for place in evidence.places for box in place.boxes or (None,))
    return [
        {"type": "TextQuoteSelector", **quoted},
        *({"type": "FragmentSelector", "conformsTo": PDF_FRAGMENTS, "value": fragment_value(page, box)} for page, box in places),
    ]
