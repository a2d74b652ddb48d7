"""methodlens evaluate: from a ledger and a label file to figures."""

import json
from pathlib import Path

import pytest

from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Answer, Cell, Paper, PaperEntry, Question, Status, Verdict
from tests.cli.conftest import Call, one_line

QUESTIONS = (Question("CQ5", "Which data?", title="Data"), Question("CQ10", "Which code?", title="Code"))
PAPERS = ("barges.pdf", "moths.pdf", "tides.pdf")
VERDICTS = {  # reader -> paper -> the two verdicts; the second reader has not answered tides
    "north": {"barges.pdf": "yn", "moths.pdf": "yy", "tides.pdf": "nw"},
    "south": {"barges.pdf": "yn", "moths.pdf": "nf"},
}
STATUS = {"y": Status.REPORTED, "n": Status.NOT_REPORTED, "w": Status.WITHHELD, "f": Status.FAILED}
GOLD = "paper,CQ5,CQ10\nbarges,y,n\nmoths,y,y\ntides,n,n\n"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    run = Run("r" * 64, sources=("x",), questions=QUESTIONS, readers=tuple(VERDICTS), papers=len(PAPERS))
    with Ledger.at(folder, create=True) as ledger:
        ledger.begin(run, PAPERS)
        for name in PAPERS:
            paper = Paper(sha256=name[0] * 64, parser="p", text=f"All about {name}.")
            cells = [
                Cell(
                    f"{name}{reader}{question.id}".ljust(64, "0"),
                    paper.sha256,
                    question.id,
                    reader,
                    "m",
                    Verdict(STATUS[letter], "because"),
                    Answer("It says so.", p_reported=0.9 if letter == "y" else 0.2),
                )
                for reader, papers in VERDICTS.items()
                for question, letter in zip(QUESTIONS, papers.get(name, ""), strict=False)
            ]
            ledger.keep_result(run.id, result_of(PaperEntry(name, paper.sha256), paper, cells))
    return folder


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.csv"
    path.write_text(GOLD)
    return path


def test_every_reader_and_the_vote_are_measured_next_to_the_baselines(methodlens: Call, out: Path, gold: Path) -> None:
    done = methodlens("evaluate", "--gold", gold, "--out", out)
    assert done.code == 0, done
    for word in ("north", "south", "vote", "(always yes)", "(majority)", "Fleiss", "McNemar", "CQ10 Code"):
        assert word in done.out
    page = (out / "agreement.html").read_text()
    assert page.count("<svg") >= 3
    assert "<script" not in page


def test_json_has_the_denominator_and_the_status_counts(methodlens: Call, out: Path, gold: Path) -> None:
    done = methodlens("evaluate", "--gold", gold, "--out", out, "--json")
    readers = {score["reader"]: score["overall"] for score in json.loads(done.out)["evaluation"]["readers"]}
    assert readers["south"]["asked"] == 6
    assert readers["south"]["counts"] == {"reported": 1, "not_reported": 2, "failed": 1, "missing": 2}
    assert readers["north"]["figures"]["accuracy"]["value"] == 1.0


def test_readers_can_be_selected(methodlens: Call, out: Path, gold: Path) -> None:
    done = methodlens("evaluate", "--gold", gold, "--out", out, "--reader", "north", "--json")
    assert [score["reader"] for score in json.loads(done.out)["evaluation"]["readers"]] == ["north"]
    assert "use one of: vote, north, south" in one_line(methodlens("evaluate", "--gold", gold, "--out", out, "--reader", "west"))


def test_unusable_labels_are_listed_and_the_rest_is_measured(methodlens: Call, out: Path, gold: Path) -> None:
    gold.write_text(
        "paper,question,label,annotator\nbarges,CQ5,y,ann\nbarges,CQ5,n,bob\nmoths,CQ5,y,ann\nmoths,CQ5,y,ann\n"
        "moths,CQ10,probably,ann\nwhales,CQ5,y,ann\nmoths,CQ77,y,ann\ntides,CQ5,n,bob\n"
    )
    done = methodlens("evaluate", "--gold", gold, "--out", out)
    assert done.code == 0, done
    assert "Traceback" not in done.err
    for word in ("odd label (1)", "unknown paper (1)", "unknown question (1)", "duplicate (1)", "line 6"):
        assert word in done.err
    assert "1 cells have no ground truth" in done.out
    strict = methodlens("evaluate", "--gold", gold, "--out", out, "--strict")
    assert strict.code == 2


def test_labels_outside_the_run_count_as_missing_with_whole_gold(methodlens: Call, out: Path, gold: Path) -> None:
    gold.write_text(GOLD + "whales,y,n\n")
    asked = []
    for flags in ([], ["--whole-gold"]):
        done = methodlens("evaluate", "--gold", gold, "--out", out, "--json", *flags)
        asked.append(json.loads(done.out)["evaluation"]["asked"])
    assert asked == [6, 8]


def test_two_runs_can_be_compared(methodlens: Call, out: Path, gold: Path) -> None:
    done = methodlens("evaluate", "--gold", gold, "--out", out, "--run", "rrr", "--run", "rrr", "--json")
    assert {score["reader"] for score in json.loads(done.out)["evaluation"]["readers"]} >= {"north@rrrrrrrr"}


def test_invalid_input_is_refused_in_one_line(methodlens: Call, out: Path, gold: Path, tmp_path: Path) -> None:
    assert "does not exist" in one_line(methodlens("evaluate", "--gold", tmp_path / "no.csv", "--out", out))
    assert "no labels" in one_line(methodlens("evaluate", "--out", out))
    assert "left-out" in one_line(methodlens("evaluate", "--gold", gold, "--out", out, "--undecided", "maybe"))
    assert "study-categories" in one_line(methodlens("evaluate", "--gold", gold, "--out", out, "--mapping", "x"))
    gold.write_text("paper,CQ5\nwhales,y\n")
    done = methodlens("evaluate", "--gold", gold, "--out", out)
    assert done.code == 2
    assert "no label can be used" in done.err
