"""methodlens report"""

import json
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import Call, one_line
from tests.conftest import EXAMPLES


@pytest.fixture
def out(methodlens: Call, tmp_path: Path) -> Path:
    paper = EXAMPLES / "papers" / "everything-reported.pdf"
    assert methodlens("run", paper, "--out", tmp_path / "out", "--no-pages").code == 0
    return tmp_path / "out"


def test_a_run_writes_a_report_and_report_rewrites_it_with_page_images(methodlens: Call, out: Path) -> None:
    assert "written without page images" in (out / "report.html").read_text(encoding="utf-8")
    outcome = methodlens("report", "--out", out)
    assert outcome.out.strip() == f"see {out / 'report.html'}"
    assert "data:image/png;base64," in (out / "report.html").read_text(encoding="utf-8")


def test_the_report_can_be_written_elsewhere_and_described_as_json(methodlens: Call, out: Path, tmp_path: Path) -> None:
    outcome = methodlens("report", "--out", out, "--to", tmp_path / "else.html", "--no-pages", "--json")
    written = json.loads(outcome.out)
    assert (written["path"], written["papers"], written["cells"], written["pages"]) == (str(tmp_path / "else.html"), 1, 28, 0)


def test_without_a_run_the_fix_is_shown_in_one_line(methodlens: Call, tmp_path: Path) -> None:
    assert "run 'methodlens run PAPERS --out DIR' first" in one_line(methodlens("report", "--out", tmp_path))


def test_a_path_that_cannot_be_written_is_refused_in_one_line(methodlens: Call, out: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "cannot be written" in one_line(methodlens("report", "--out", out, "--to", tmp_path / "file" / "r.html", "--no-pages"))


def test_a_workbook_in_the_same_folder_links_to_the_report(methodlens: Call, out: Path) -> None:
    assert methodlens("export", "--format", "xlsx", "--out", out).code == 0
    with zipfile.ZipFile(out / "cells.xlsx") as archive:
        assert b'Target="report.html"' in archive.read("xl/worksheets/_rels/sheet1.xml.rels")


@pytest.mark.long
def test_a_large_run_prints_a_few_papers_and_where_to_find_the_rest(methodlens: Call, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    for number in range(61):
        (tmp_path / "papers" / f"{number}.pdf").write_text(f"%PDF-1.4 broken {number}")
    (tmp_path / "questions.txt").write_text("Which seed was used?\n")
    out, split = tmp_path / "out", ("--set", "report.papers_per_file=30")
    outcome = methodlens("run", tmp_path / "papers", "--questions", tmp_path / "questions.txt", "--out", out, *split)
    assert outcome.out.count("(embedded): unreadable, malformed") == 50
    assert "... and 11 more papers, in the report and in 'methodlens export'" in outcome.out
    assert outcome.err.count("pdf: malformed: ") == 10
    assert "... and 51 more like this" in outcome.err
    assert "61 papers: report.html and 2 more (report-2.html to report-3.html), 30 papers each" in outcome.err
    written = json.loads(methodlens("report", "--out", out, "--json", *split).out)
    assert (written["papers"], written["parts"], written["bytes"]) == (
        61,
        3,
        sum(file.stat().st_size for file in out.glob("*.html")),
    )
    assert methodlens("export", "--format", "xlsx", "--out", out).code == 0
    with zipfile.ZipFile(out / "cells.xlsx") as archive:
        related = archive.read("xl/worksheets/_rels/sheet1.xml.rels").decode()
    assert {related.count(f'Target="{name}"') for name in ("report.html", "report-2.html")} == {30 * 2}
    assert related.count('Target="report-3.html"') == 2
    methodlens("report", "--out", out, "--one-file", *split)
    assert [file.name for file in out.glob("*.html")] == ["report.html"]
