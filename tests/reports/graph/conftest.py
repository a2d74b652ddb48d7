"""Fictional rows of every kind."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from methodlens.ledger.store import Run
from methodlens.records import Evidence, Match, PaperStatus, Row, Source, SourceKind, Status
from methodlens.reports.graph.review_context import ReviewContext

MakeRow = Callable[..., Row]

TEXT = "In short. Training ran on two Kestrel K9 cards for six hours. It was warm."
FACTS: dict[str, Any] = {
    "hardware": [{"name": "Kestrel K9", "kind": "GPU", "count": 8, "memory_gb": 24.5}],
    "frameworks": [{"name": "Pondflow", "version": "2.1"}],
    "learning_rate": [0.00001, 0.1],
    "optimizer": "Adam",
    "split": {"train": 0.8, "test": 0.2},
    "code_urls": ["https://example.org/moths", "javascript:alert(1)", "https://example.org/a b"],
    "derived": [{"name": "GPU-hours", "value": 12.0, "unit": "h", "assumption": "8 x 1.5 h"}],
    "ram_gb": None,
    "depth_m": [{"name": "pond", "deepest": [3, 4]}],
}


@pytest.fixture
def context() -> ReviewContext:
    run = Run("f" * 64, ("papers/",), (), ("embedded", "chat:heron"), papers=4, question_set="ponds", version="0.3.0")
    return ReviewContext(run, "2026-05-04T10:00:00+00:00", "", lambda paper: TEXT)


@pytest.fixture
def rows(make_row: MakeRow) -> Sequence[Row]:
    """Papers that are answered, voted on, decided by people, doubtful and unreadable."""
    votes = {"embedded": Status.REPORTED, "chat:heron": Status.WITHHELD}
    people = Source(SourceKind.PERSON, ("ann", "bob"), "2026-05-04T11:00:00+00:00")
    failed = {"paper": "newts.pdf", "question": "CQ24", "status": Status.FAILED, "facts": {}, "reason": "the server hung up"}
    torn = make_row("torn.pdf", status=Status.UNREADABLE, paper_status=PaperStatus.MALFORMED, facts={}, paper_reason="torn")
    doubtful = make_row("newts.pdf", reader="chat:heron", status=Status.WITHHELD, facts={})
    newts = (
        make_row("newts.pdf"),
        with_quote(doubtful, Evidence("Nobody wrote this.", Match.ABSENT)),
        make_row("newts.pdf", reader="vote", votes=votes),
        replace(make_row("newts.pdf", reader="final"), final=people),
        make_row(**failed),
        replace(make_row(**failed, reader="final"), final=Source(SourceKind.READER, ("embedded",))),
    )
    return [
        make_row("moths.pdf", facts=FACTS),
        make_row("moths.pdf", question="CQ24", status=Status.NOT_REPORTED, facts={}),
        *(of_paper(row, "cd" * 32) for row in newts),
        of_paper(replace(torn, paper=replace(torn.paper, duplicate_of="newts.pdf", flags=("ocr",))), ""),
    ]


def of_paper(row: Row, sha256: str) -> Row:
    return replace(row, paper=replace(row.paper, sha256=sha256, authors=("A. Newt",), year=2025, doi="10.5555/newt.1"))


def with_quote(row: Row, quote: Evidence) -> Row:
    return replace(row, cell=replace(row.cell, answer=replace(row.cell.answer, evidence=(quote,))))
