"""Figures in the report: drawn without scripts, with their tables for the downloads, once per report."""

from pathlib import Path

import pytest

from methodlens.ledger.store import Run
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.report_figures import report_figures
from methodlens.reports.html.report_figure import FigurePlace
from methodlens.reports.html.report_template import ReportDetails
from methodlens.reports.html.report_writer import report_writer
from tests.reports.conftest import MakeRow
from tests.reports.parsed_page import ParsedPage
from tests.reports.test_report import ATTRIBUTES, TAGS

SVG_TAGS = set("figure figcaption desc line circle polyline polygon path text".split())
SVG_ATTRIBUTES = set(
    """xmlns font-family font-size font-weight fill stroke stroke-width stroke-dasharray text-anchor transform points d
    x1 x2 y1 y2 cx cy r data-figure aria-labelledby""".split()
)


@pytest.fixture
def details(corpus: CorpusCounts, run: Run) -> ReportDetails:
    return ReportDetails("A run", "1.0", figures=report_figures(corpus, run), review=corpus.review)


def test_each_figure_is_drawn_once_on_its_page_with_its_caption_and_table(
    make_row: MakeRow, details: ReportDetails, tmp_path: Path
) -> None:
    with report_writer(tmp_path / "r.html") as out:
        out.add(make_row())
        out.end()
        out.finish(details)
    seen = ParsedPage((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert seen.tags <= TAGS | SVG_TAGS
    assert seen.attributes <= ATTRIBUTES | SVG_ATTRIBUTES
    assert [name for name in seen.ids if name.startswith("figure-") and name != "figure-tables"] == [
        f"figure-{figure.name}" for place in FigurePlace for figure in details.figures.at(place)
    ]
    assert all(figure.caption in seen.text for figure in details.figures.drawn)
    assert seen.data["figure-tables"]["flow"].startswith('"step","papers","details"\r\n"Papers found","40",""')
    assert "metrics: no paper names a metric" in seen.text
    assert "1 reviewer checked 90 of the 120 cells" in seen.text


def test_only_the_first_part_of_a_report_has_the_figures(make_row: MakeRow, details: ReportDetails, tmp_path: Path) -> None:
    with report_writer(tmp_path / "r.html", papers_per_file=1) as out:
        out.add(make_row("a.pdf"))
        out.add(make_row("b.pdf"))
        out.end()
        files = out.finish(details)
    first, second = (file.read_text(encoding="utf-8") for file in files)
    assert 'data-figure="shares"' in first
    assert 'data-figure="' not in second
    assert ParsedPage(second).data["figure-tables"] == {}
    assert "the first part</a>" in second
