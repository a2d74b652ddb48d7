"""A fictional corpus, counted as the figures count it."""

from collections.abc import Sequence
from typing import Any

import pytest

from methodlens.facts.hardware import NOT_NAMED
from methodlens.ledger.store import Run
from methodlens.questions import load
from methodlens.records import Annotation, Answer, Cell, PaperEntry, Question, Row, Source, SourceKind, Status, Verdict
from methodlens.reports.figures.corpus_counts import CorpusCounts

QUESTIONS = tuple(question for question in load("dl-methods").questions if question.id in ("CQ12", "CQ19", "CQ20"))
READERS = ("embedded", "chat:a")
YES, NO, UNSURE = Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD
FACTS: dict[str, dict[str, Any]] = {
    "CQ12": {"architectures": ["U-Net"]},
    "CQ19": {"frameworks": [{"name": "PyTorch", "version": "1.8"}, {"name": "Gullwing", "version": None}]},
    "CQ20": {
        "hardware": [
            {"name": "Kestrel K9", "kind": "GPU"},
            {"name": "Heron H2", "kind": "CPU"},
            {"name": f"GPU {NOT_NAMED}", "kind": "GPU"},
        ]
    },
}
CONFIDENCE = {"CQ19": {"frameworks": {"Gullwing": 0.5}}}


def cell(question: Question, reader: str, status: Status, p: float | None = None) -> Cell:
    facts = FACTS[question.id] if status is YES else {}
    answer = Answer("", facts=facts, p_reported=p, fact_confidence=CONFIDENCE.get(question.id, {}))
    return Cell("k", "s", question.id, reader, "m", Verdict(status), answer)


def rows_of(
    paper: PaperEntry, statuses: Sequence[Status], *, source: Source | None = None, second: Status | None = None
) -> list[Row]:
    """The rows of the first reader, of the second if it has a status, and the final ones, which have these statuses."""
    rows: list[Row] = []
    for question, status in zip(QUESTIONS, statuses, strict=True):
        rows.append(Row(paper, question, cell(question, READERS[0], status, 0.9 if status is YES else 0.2)))
        if second is not None:
            rows.append(Row(paper, question, cell(question, READERS[1], second)))
        rows.append(
            Row(paper, question, cell(question, "final", status), final=source or Source(SourceKind.READER, (READERS[0],)))
        )
    return rows


def paper(number: int, **details: Any) -> PaperEntry:
    return PaperEntry(f"p{number}.pdf", str(number), **details)


@pytest.fixture
def run() -> Run:
    return Run("0123456789", ("papers",), QUESTIONS, READERS[:1], 40, question_set="dl-methods", version="0")


@pytest.fixture
def corpus() -> CorpusCounts:
    """40 papers of four years: hardware is reported in the later two only, frameworks in every second paper."""
    counts = CorpusCounts(QUESTIONS, 40)
    for number in range(40):
        year = 2018 + number // 10
        statuses = (YES, YES if number % 2 else NO, YES if year >= 2020 else NO)
        reviewed = number < 30
        entry = paper(number, year=year, authors=("Ada Moreau",))
        source = Source(SourceKind.PERSON, ("ann",)) if reviewed else None
        annotations = [Annotation(str(number), "CQ19", "ann", statuses[1], "1")] if reviewed else []
        counts.add(rows_of(entry, statuses, source=source, second=YES if number % 3 else NO), annotations)
    return counts
