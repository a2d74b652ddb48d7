"""People's annotations as a file that can be read back: JSON Lines without any loss, CSV without line breaks in texts."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from methodlens.evaluation.labels import Problem
from methodlens.evaluation.table_files import TableRow
from methodlens.ledger.annotations import RESERVED
from methodlens.records import Annotation, Evidence, Facts, PaperEntry, Question, Status
from methodlens.reports.formats.csv_tables import encode_lines
from methodlens.reports.formats.export_rows import quotes_text
from methodlens.reports.formats.jsonl import encode_line

_LABELS = {Status.REPORTED: "reported", Status.NOT_REPORTED: "not_reported", Status.WITHHELD: "unsure"}
_STATUSES = {label: status for status, label in _LABELS.items()}
_KEPT_AS_JSON = ("evidence", "facts", "tags")
_COLUMNS = (
    *("paper_sha256", "paper", "title", "question", "question_text", "annotator", "label", "note", "answer", "quotes"),
    *("blind", "adjudicates", "at", *_KEPT_AS_JSON),
)


class AnnotationFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"


def annotation_lines(
    items: Iterable[tuple[PaperEntry, Annotation]], questions: Iterable[Question], format: AnnotationFormat
) -> Iterator[bytes]:
    """One line per annotation, with labels that `annotate import` knows."""
    texts = {question.id: question.text for question in questions}
    records = ((annotation, _record(paper, annotation, texts)) for paper, annotation in items)
    if format is AnnotationFormat.JSONL:
        return (encode_line(record) for _, record in records)
    return encode_lines(itertools.chain([_COLUMNS], itertools.starmap(_csv_row, records)))


def _record(paper: PaperEntry, annotation: Annotation, texts: Mapping[str, str]) -> dict[str, Any]:
    return {
        "paper_sha256": paper.sha256,
        "paper": paper.name,
        "title": paper.title,
        "question": annotation.question,
        "question_text": texts.get(annotation.question, ""),
        "annotator": annotation.annotator,
        "label": _LABELS[annotation.status],
        "note": annotation.note,
        "answer": annotation.answer,
        "evidence": msgspec.to_builtins(annotation.evidence),
        "facts": annotation.facts,
        "tags": list(annotation.tags),
        "blind": annotation.blind,
        "adjudicates": annotation.adjudicates,
        "at": annotation.at,
    }


def _csv_row(annotation: Annotation, record: Mapping[str, Any]) -> list[str]:
    as_json = {name: msgspec.json.encode(record[name]).decode() if record[name] else "" for name in _KEPT_AS_JSON}
    if annotation.facts is not None:  # "{}" says that the reviewer removed all facts
        as_json["facts"] = msgspec.json.encode(annotation.facts).decode()
    texts = {**record, **as_json, "quotes": quotes_text(annotation.evidence)}
    return [str(texts[name]) for name in _COLUMNS]


# --- reading them back ----------------------------------------------------------------------------------------------


class _Stored(Struct):
    """The columns of a file from which an annotation is made."""

    paper_sha256: str
    question: str
    annotator: str
    label: str
    at: str
    note: str = ""
    answer: str = ""
    evidence: tuple[Evidence, ...] = ()
    facts: Facts | None = None
    tags: tuple[str, ...] = ()
    blind: bool = False
    adjudicates: bool = False


class ReadAnnotations(Struct, frozen=True):
    annotations: tuple[Annotation, ...]
    problems: tuple[Problem, ...]


def has_annotations(rows: Sequence[TableRow]) -> bool:
    """Whether these rows were exported as annotations: each names its annotator and the time."""
    return bool(rows) and all(row.values.get("annotator") and row.values.get("at") and "label" in row.values for row in rows)


def read_annotations(rows: Iterable[TableRow], papers: Iterable[PaperEntry], questions: Iterable[Question]) -> ReadAnnotations:
    """Those on these papers and questions; each other row is a problem."""
    known_papers, known_questions = {paper.sha256 for paper in papers}, {question.id for question in questions}
    annotations: list[Annotation] = []
    problems: list[Problem] = []
    for row in rows:
        try:
            annotation = _annotation(row.values)
        except (msgspec.MsgspecError, ValueError) as err:
            problems.append(Problem("odd annotation", str(err), row.where))
            continue
        if annotation.paper_sha256 not in known_papers:
            problems.append(Problem("unknown paper", f"{row.values.get('paper') or annotation.paper_sha256[:8]}", row.where))
        elif annotation.question not in known_questions:
            problems.append(Problem("unknown question", annotation.question, row.where))
        else:
            annotations.append(annotation)
    return ReadAnnotations(tuple(annotations), tuple(problems))


def _annotation(values: Mapping[str, Any]) -> Annotation:
    known = {name: value for name, value in values.items() if name in _Stored.__struct_fields__}
    for name in _KEPT_AS_JSON:
        if isinstance(known.get(name), str):
            text = known.pop(name)
            if text:
                known[name] = msgspec.json.decode(text)
    for name in ("blind", "adjudicates"):
        if isinstance(known.get(name), str):
            known[name] = known[name].casefold() in ("true", "yes", "1")
    stored = msgspec.convert(known, _Stored)
    if stored.annotator.startswith(RESERVED):
        raise ValueError(f"{stored.annotator!r} cannot be the name of an annotator")
    if stored.label not in _STATUSES:
        raise ValueError(f"{stored.label[:40]!r} is not a label: use {', '.join(_STATUSES)}")
    return Annotation(
        stored.paper_sha256,
        stored.question,
        stored.annotator,
        _STATUSES[stored.label],
        stored.at,
        note=stored.note,
        answer=stored.answer,
        evidence=stored.evidence,
        blind=stored.blind,
        facts=stored.facts,
        adjudicates=stored.adjudicates,
        tags=stored.tags,
    )
