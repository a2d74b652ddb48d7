"""methodlens figures"""

import csv
import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, Paper, PaperEntry, Status
from methodlens.reports.figures.figure_set import NAMES
from tests.cli.conftest import Call, one_line
from tests.reports.figures.conftest import NO, QUESTIONS, YES, cell

PAPERS = 24
REVIEWED = 10


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """No paper reports its hardware, says the reader; ann has reviewed ten, and found it in each of them."""
    folder = tmp_path / "out"
    run = Run("abcdef0123", ("papers",), QUESTIONS, ("embedded",), PAPERS, question_set="dl-methods", version="0")
    with Ledger.at(folder, create=True) as ledger:
        ledger.begin(run, [f"p{number}.pdf" for number in range(PAPERS)])
        for number in range(PAPERS):
            paper = Paper(f"{number:064}", "parser-1", title="Counting gulls", text=f"Text {number}.")
            entry = PaperEntry(f"p{number}.pdf", paper.sha256, year=2019 + number // 12, text_sha256=str(number))
            statuses = (YES, YES if number % 2 else NO, NO)
            cells = [
                replace(cell(question, "embedded", status, 0.6), key=f"{number}{question.id}", paper_sha256=paper.sha256)
                for question, status in zip(QUESTIONS, statuses, strict=True)
            ]
            ledger.keep_result(run.id, result_of(entry, paper, cells))
        ledger.keep_annotations(
            Annotation(f"{number:064}", question.id, "ann", Status.REPORTED, f"2026-01-01T00:00:{number:02}")
            for number in range(REVIEWED)
            for question in QUESTIONS
        )
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_every_figure_is_written_as_svg_png_and_csv_and_the_others_say_why_not(methodlens: Call, out: Path) -> None:
    outcome = methodlens("figures", "--out", out)
    assert outcome.code == 0
    folder = out / "figures"
    for name in ("flow", "shares", "matrix", "trends", "frameworks", "coreporting", "calibration"):
        assert {file.suffix for file in folder.glob(f"{name}.*")} == {".svg", ".png", ".csv"}
    assert "gpus: skipped, no paper names a GPU model" in outcome.err
    assert "metrics: skipped, no paper names a metric" in outcome.err
    assert not list(folder.glob("metrics.*"))
    assert "**Figure 1.** Flow of papers" in (folder / "captions.md").read_text(encoding="utf-8")
    methods = (folder / "methods.md").read_text(encoding="utf-8")
    assert "1 reviewer checked 30 of the 72 cells of the 24 papers assessed (42%)" in methods
    assert "doi:10.7717/peerj-cs.3204" in methods


def test_figures_count_the_decisions_of_people(methodlens: Call, out: Path) -> None:
    assert methodlens("figures", "--out", out, "--only", "shares", "--only", "flow").code == 0
    shares = {row["question"]: row for row in rows(out / "figures" / "shares.csv")}
    assert (shares["CQ20"]["reported"], shares["CQ20"]["n"]) == (str(REVIEWED), str(PAPERS))
    assert float(shares["CQ20"]["low"]) < REVIEWED / PAPERS < float(shares["CQ20"]["high"])
    assert rows(out / "figures" / "flow.csv")[-1]["papers"] == str(REVIEWED)
    assert not (out / "figures" / "matrix.svg").exists()


def test_json_names_the_files_and_the_reasons(methodlens: Call, out: Path, tmp_path: Path) -> None:
    outcome = methodlens("figures", "--out", out, "--to", tmp_path / "f", "--only", "agreement", "--only", "metrics", "--json")
    written = json.loads(outcome.out)
    assert (written["folder"], written["written"]) == (str(tmp_path / "f"), ["agreement"])
    assert set(written["skipped"]) == {"metrics"}


def test_an_unknown_figure_is_refused_with_the_names(methodlens: Call, out: Path) -> None:
    assert "use one of: flow, shares, matrix" in one_line(methodlens("figures", "--out", out, "--only", "pie"))


def test_the_help_names_every_figure(methodlens: Call) -> None:
    words = set(re.findall(r"\w+", methodlens("figures", "--help").out))
    assert words >= set(NAMES)
