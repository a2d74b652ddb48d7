"""methodlens report, as a user calls it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call, one_line
from tests.conftest import EXAMPLES


@pytest.fixture
def out(methodlens: Call, tmp_path: Path) -> Path:
    paper = EXAMPLES / "papers" / "everything-reported.pdf"
    assert methodlens("run", paper, "--out", tmp_path / "out", "--no-pages").code == 0
    return tmp_path / "out"


def test_a_run_leaves_a_report_and_report_makes_it_again_with_pages(methodlens: Call, out: Path) -> None:
    assert "left out of this report" in (out / "report.html").read_text(encoding="utf-8")
    outcome = methodlens("report", "--out", out)
    assert outcome.out.strip() == f"see {out / 'report.html'}"
    assert "data:image/png;base64," in (out / "report.html").read_text(encoding="utf-8")


def test_the_report_goes_where_it_is_told_and_programs_can_ask(methodlens: Call, out: Path, tmp_path: Path) -> None:
    outcome = methodlens("report", "--out", out, "--to", tmp_path / "else.html", "--no-pages", "--json")
    found = json.loads(outcome.out)
    assert (found["path"], found["papers"], found["cells"], found["pages"]) == (str(tmp_path / "else.html"), 1, 28, 0)


def test_no_run_is_one_line_that_says_what_to_do(methodlens: Call, tmp_path: Path) -> None:
    assert "run 'methodlens run PAPERS --out DIR' first" in one_line(methodlens("report", "--out", tmp_path))


def test_a_place_that_cannot_be_written_is_one_line(methodlens: Call, out: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "cannot be written" in one_line(methodlens("report", "--out", out, "--to", tmp_path / "file" / "r.html", "--no-pages"))


def test_a_workbook_beside_the_report_links_to_it(methodlens: Call, out: Path) -> None:
    import zipfile

    assert methodlens("export", "--format", "xlsx", "--out", out).code == 0
    with zipfile.ZipFile(out / "cells.xlsx") as archive:
        assert b'Target="report.html"' in archive.read("xl/worksheets/_rels/sheet1.xml.rels")
