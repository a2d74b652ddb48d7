"""A blind reviewer learns nothing about a cell before deciding it, and the ledger knows which decisions were blind."""

from pathlib import Path

import pytest

from tests.web.conftest import Enter, Visitor, cell_ref, open_room


@pytest.mark.parametrize("name", ["", "ann"])
def test_other_peoples_decisions_are_not_listed(folder: Path, name: str) -> None:
    with open_room(folder, blind=True) as url:
        other = Visitor(url, "zebedee")
        other.annotate(cell_ref(other, "a", "Q1"), "reported", note="a secret")
        visitor = Visitor(url, name)
        assert visitor.get("/api/annotations") == []
        for path in ("/api/export/annotations.csv", "/api/export/annotations.jsonl", "/agreement", "/"):
            assert "zebedee" not in visitor.http.get(path, params={"annotator": "zebedee"}).text
        assert visitor.http.get("/api/agreement").status_code == 400


def test_flags_are_hidden(folder: Path) -> None:
    """Such as "no deep learning", which a reader concludes."""
    with open_room(folder) as url:
        visitor = Visitor(url, "ann", blind=True)
        assert all(paper["flags"] == [] for paper in visitor.get("/api/matrix")["papers"])


def test_a_decision_says_whether_it_was_blind(enter: Enter) -> None:
    blind, seeing = enter("ann", blind=True), enter("ben")
    ref = cell_ref(blind, "a", "Q1")
    assert blind.annotate(ref, "reported")["blind"] is True
    cell_ref(seeing, "a", "Q1")  # the matrix shows verdicts
    assert seeing.annotate(ref, "reported")["blind"] is False
    assert '"blind":true' in seeing.http.get("/api/export/annotations.jsonl").text.replace(" ", "")


def test_a_decision_after_an_undo_is_not_blind(enter: Enter) -> None:
    visitor = enter("ann", blind=True)
    ref = cell_ref(visitor, "a", "Q1")
    visitor.annotate(ref, "not_reported")
    assert visitor.get(f"/api/cells/{ref[0]}/{ref[1]}")["verdict"] == "reported"
    visitor.post("/api/undo", {})
    assert visitor.annotate(ref, "reported")["blind"] is False


LOOKS = ("matrix", "table", "papers/{}/answers", "cells/{}/Q1", "annotations", "agreement", "learning", "export/cells.csv")


def test_a_decision_after_a_look_without_blind_mode_is_not_blind(enter: Enter) -> None:
    ref = cell_ref(enter("ben"), "a", "Q1")
    for number, look in enumerate(LOOKS):
        name = f"ann{number}"
        visitor = enter(name)
        assert visitor.http.get(f"/api/{look.format(ref[0])}").status_code == 200
        visitor.post("/api/session", {"annotator": name, "blind": True})
        assert visitor.annotate(ref, "reported")["blind"] is False, look
