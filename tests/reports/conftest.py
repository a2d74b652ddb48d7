"""Fictional rows, built from the records."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from methodlens.records import (
    Answer,
    Cell,
    Evidence,
    Hit,
    Match,
    PaperEntry,
    PaperStatus,
    Passage,
    Place,
    Question,
    Row,
    Status,
    SupplementCell,
    Verdict,
)
from methodlens.records.code import Check, CheckItem, CodeCell, Comparison, Finding, Outcome, Repository, Topic

MakeRow = Callable[..., Row]

HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style><img src=x onerror=alert(1)>",
    "=cmd|'/c calc'!A1",
    "+1+1",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r\n=1+1",
    "＝1+1",
    "x;=1+1",
    'x";"=1+1',
    "javascript:alert(1)",
    '" onmouseover="alert(1)',
    "NUL \x00 ESC \x1b[31m BEL \x07 C1 \x9b31m",
    "next \u0085 line \u2028 separated \u2029 here",
    "\u202egnp.exe \u2066isolated",
    "half a character \ud83d and \udcff",
    "not XML \ufffe\uffff _x0041_",
    "[bold]markup[/bold] [link=https://example.org]x[/link]",
    "x" * 40_000,
    "𝒳" * 20_000,
)


@pytest.fixture(params=HOSTILE, ids=range(len(HOSTILE)))
def hostile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make_row() -> MakeRow:
    def make(
        paper: str = "moths.pdf",
        question: str = "CQ20",
        *,
        reader: str = "embedded",
        status: Status = Status.REPORTED,
        votes: Mapping[str, Status] | None = None,
        paper_status: PaperStatus = PaperStatus.OK,
        **text: Any,
    ) -> Row:
        quote = text.get("quote", "Training ran on two Kestrel K9 cards for six hours.")
        evidence = Evidence(quote, Match.EXACT, 10, 61, (Place(8, ((72.0, 100.5, 300.0, 112.5),)),))
        passage = Passage(0, 61, 8, text.get("section", "Methods"), text.get("passage", f"In short. {quote}"))
        answer = Answer(
            text=text.get("answer", "Two Kestrel K9 cards."),
            evidence=(evidence,) if status is Status.REPORTED else (),
            facts=text.get("facts", {"hardware": [{"name": "Kestrel K9", "kind": "GPU", "count": 2, "memory_gb": None}]}),
            p_reported=0.97 if status is Status.REPORTED else None,
        )
        return Row(
            paper=PaperEntry(
                name=paper,
                sha256="ab" * 32,
                status=paper_status,
                reason=text.get("paper_reason", ""),
                title=text.get("title", "Counting moths at night"),
                pages=12,
                flags=text.get("flags", ()),
            ),
            question=Question(
                question, text.get("question_text", "Which hardware?"), title=text.get("question_title", "Hardware")
            ),
            cell=Cell(
                key="k",
                paper_sha256="ab" * 32,
                question=question,
                reader=reader,
                model=text.get("model", "embedded-1"),
                verdict=Verdict(status, text.get("reason", "")),
                answer=answer,
                hits=(Hit(passage, 2.5), Hit(passage, 1.0)),
                shown=1,
                seconds=0.02,
            ),
            votes=votes,
        )

    return make


@pytest.fixture
def hostile_row(make_row: MakeRow, hostile: str) -> Row:
    """The hostile text everywhere a paper, a repository, a model or a user could have put it."""
    row = make_row(
        hostile,
        hostile,
        reader=hostile,
        quote=hostile,
        passage=hostile,
        section=hostile,
        answer=hostile,
        facts={hostile: [{"name": hostile, "kind": hostile}], "code_urls": [hostile], "split": {hostile: hostile}},
        title=hostile,
        question_text=hostile,
        question_title=hostile,
        model=hostile,
        reason=hostile,
        paper_reason=hostile,
        flags=(hostile,),
    )
    return replace(
        row, code=hostile_code(hostile), supplements=(SupplementCell(hostile, "cd" * 32, PaperStatus.OK, hostile, 3, row.cell),)
    )


def hostile_code(text: str) -> CodeCell:
    finding = Finding(Topic.SEED, text, 3, text, "seeds", text, text)
    repository = Repository(
        text, "r-1", reason=text, commit=text, date=text, findings=(finding,), checks=(Check(CheckItem.SEEDS, True, (finding,)),)
    )
    return CodeCell(repository, (finding,), (Comparison(text, Outcome.DIFFERS, (text,), (finding,), text),))
