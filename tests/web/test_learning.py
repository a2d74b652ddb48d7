"""Learning from decisions: offered with before and after, and applied only when asked."""

import hashlib
from pathlib import Path

import pytest

from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, Answer, Cell, Page, Paper, PaperEntry, Question, Status, Verdict
from tests.web.conftest import Visitor, open_room

PAPERS = 32


def sha256(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


@pytest.fixture
def pond_run(tmp_path: Path) -> Path:
    """Every second paper reports the depth of its pond; the reader withholds it there. Ann has decided 29 papers."""
    asked = Question("Q1", "How deep was the pond?")
    names = [f"{number:02}.pdf" for number in range(PAPERS)]
    run = Run("a" * 64, (str(tmp_path),), (asked,), ("newt",), PAPERS)
    with Ledger.at(tmp_path, create=True) as ledger:
        ledger.begin(run, names)
        for number, name in enumerate(names):
            reports = bool(number % 2)
            verdict = Verdict(Status.WITHHELD if reports else Status.NOT_REPORTED)
            answer = Answer("It may be so.", p_reported=0.45 if reports else 0.02)
            cell = Cell(f"{number:064}", sha256(number), "Q1", "newt", "m", verdict, answer)
            paper = Paper(sha256(number), "p-1", text=f"Pond {number}.", pages=(Page(1, 600, 600),))
            ledger.keep_result(run.id, result_of(PaperEntry(name, sha256(number), pages=1), paper, [cell]))
        ledger.end(run.id)
        ledger.keep_annotations(Annotation(sha256(n), "Q1", "ann", _decision(n), f"2020-01-{n + 1:02}") for n in range(29))
    return tmp_path


def _decision(number: int) -> Status:
    return Status.REPORTED if number % 2 else Status.NOT_REPORTED


def test_a_question_is_refitted_after_30_decisions_on_confirmation_and_can_be_undone(pond_run: Path) -> None:
    with open_room(pond_run) as url:
        ann = Visitor(url, "ann")
        assert ann.get("/api/learning")["offers"] == []
        assert "1 more decision on one question" in ann.http.get("/agreement").text
        ann.annotate((sha256(29), "Q1"), _decision(29).value)
        (offer,) = ann.get("/api/learning")["offers"]
        assert offer["decisions"] == 30
        assert offer["after"]["ece"] < offer["before"]["ece"]
        page = ann.http.get("/agreement").text
        assert "Learn from these decisions" in page
        assert "Before: kappa" in page
        blind = Visitor(url, "bob", blind=True)
        assert blind.http.post("/api/learning", json={"question": "Q1"}).status_code == 400
        assert ann.get("/api/learning")["applied"] == []
        before = [paper["marks"] for paper in ann.get("/api/matrix")["papers"]]
        view = ann.post("/api/learning", {"question": "Q1"})
        assert (view["offers"], view["applied"]) == ([], ["Q1"])
        assert "is refitted to the decisions" in ann.http.get("/agreement").text
        assert blind.http.post("/api/learning/undo", json={"question": "Q1"}).status_code == 400
        assert ann.post("/api/learning/undo", {"question": "Q1"})["applied"] == []
        assert [paper["marks"] for paper in ann.get("/api/matrix")["papers"]] == before
        assert ann.http.post("/api/learning/undo", json={"question": "Q1"}).status_code == 400
        assert ann.http.post("/api/learning", json={"question": "Q9"}).status_code == 400
        assert blind.http.get("/api/learning").status_code == 400
