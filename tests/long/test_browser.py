"""The page of cells in a real browser: it opens from disk, shows the verdicts, and runs nothing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from methodlens.reports import page_html
from methodlens.reports.page import Bar, BarsPart, CurvePart, CurvePoint, MatrixPart, Page
from tests.conftest import EXAMPLES

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here; on Debian: apt-get install chromium"),
]
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --virtual-time-budget=5000""".split()


def test_the_page_of_cells_opens_and_shows_every_paper(tmp_path: Path) -> None:
    run: list[str | Path] = [sys.executable, "-m", "methodlens.cli.app", "run", EXAMPLES / "papers", "--out", tmp_path / "out"]
    subprocess.run(run, check=True, capture_output=True)
    page = (tmp_path / "out" / "report.html").as_uri()
    browser = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]
    dom = subprocess.run([*browser, "--dump-dom", page], check=True, capture_output=True, text=True).stdout
    for paper in (EXAMPLES / "papers").glob("*.pdf"):
        assert paper.name in dom
    assert "<script" not in dom
    picture = tmp_path / "page.png"
    subprocess.run([*browser, f"--screenshot={picture}", "--window-size=1280,1200", page], check=True, capture_output=True)
    assert picture.stat().st_size > 20_000


def test_the_page_of_figures_shows_its_plots_and_fits_a_phone(tmp_path: Path) -> None:
    page = Page(
        "Figures",
        ("a line",),
        (
            BarsPart("Bars", tuple(Bar(f"CQ{n}", n / 28, n / 30, min(1, n / 25), (0.5, 0.7)) for n in range(1, 29)), ("a", "b")),
            MatrixPart("Matrix", ("one", "two", "three"), ((None, 0.5, 0.2), (0.5, None, 0.9), (0.2, 0.9, None))),
            CurvePart("Curve", (CurvePoint(0.1, 0.2, 9), CurvePoint(0.9, 0.8, 90)), "said", "true"),
        ),
    )
    page_html.write(page, tmp_path / "page.html")
    browser = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]
    for width in (1280, 400):
        picture = tmp_path / f"{width}.png"
        flags = [f"--screenshot={picture}", f"--window-size={width},1600", (tmp_path / "page.html").as_uri()]
        subprocess.run([*browser, *flags], check=True, capture_output=True)
        assert picture.stat().st_size > 20_000
