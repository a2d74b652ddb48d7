"""Pages of statistics: safe, without scripts, and readable without colour."""

from pathlib import Path

import pytest

from methodlens.reports.statistics.sections import (
    Bar,
    BarsSection,
    CurvePoint,
    CurveSection,
    MatrixSection,
    StatisticsPage,
    TableSection,
    format_interval,
    format_number,
)
from methodlens.reports.statistics.statistics_output import text_lines, write_html
from tests.reports.conftest import HOSTILE
from tests.reports.parsed_page import ParsedPage

TAGS = set("html head meta title style body main h1 h2 p div span table thead tbody tr th td details summary".split())
ATTRIBUTES = set("lang charset http-equiv content name class scope title role tabindex aria-hidden aria-label".split())
SVG_TAGS = {"svg", "rect", "line", "text", "circle", "polyline", "polygon"}
SVG_ATTRIBUTES = set(
    "role viewbox width height x y x1 y1 x2 y2 cx cy r points text-anchor fill-opacity class aria-label scope".split()
)


def page(name: str) -> StatisticsPage:
    return StatisticsPage(
        name,
        (name,),
        (
            TableSection(name, ("", name), ((name, name),), note=name),
            BarsSection(name, (Bar(name, 0.4, -0.2, 0.7, (0.5, None)), Bar("CQ2", None)), (name, name), note=name, folded=True),
            MatrixSection(name, (name, "b"), ((None, 0.5), (0.5, None)), note=name),
            CurveSection(name, (CurvePoint(0.2, 0.3, 5), CurvePoint(0.8, 0.7, 50)), name, name, note=name),
        ),
    )


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_add_no_elements_or_attributes(hostile: str, tmp_path: Path) -> None:
    write_html(page(hostile), tmp_path / "p.html")
    seen = ParsedPage((tmp_path / "p.html").read_text(encoding="utf-8"))
    assert seen.tags <= TAGS | SVG_TAGS
    assert seen.attributes <= ATTRIBUTES | SVG_ATTRIBUTES
    assert not {"\x00", "\x1b", "\x9b", "\u202e"} & set(seen.text)
    assert seen.open == []
    assert not {"\x00", "\x1b", "\x9b"} & set("\n".join(text_lines(page(hostile))))


def test_the_policy_allows_only_the_page_s_own_style(tmp_path: Path) -> None:
    write_html(page("plain"), tmp_path / "p.html")
    text = (tmp_path / "p.html").read_text()
    assert "default-src 'none'" in text
    assert not any(word in text for word in ("<script", "http:", "https:", "url(", "@import", "<foreignObject"))


def test_every_value_is_printed_or_in_a_tooltip(tmp_path: Path) -> None:
    write_html(page("plain"), tmp_path / "p.html")
    text = (tmp_path / "p.html").read_text()
    assert ">0.40<" in text
    assert ">0.50<" in text
    assert "predicted 0.20, observed 0.30, 5 cells" in text


def test_undefined_is_a_dash_and_zero_has_no_sign() -> None:
    assert (format_number(None), format_number(float("nan")), format_number(-0.0001), format_interval(0.5, None, None)) == (
        "–",
        "–",
        "0.00",
        "0.50",
    )


def test_a_page_with_empty_sections_can_be_written(tmp_path: Path) -> None:
    empty = StatisticsPage(
        "nothing", (), (TableSection("t", ("", "n"), ()), BarsSection("b", ()), CurveSection("c", (), "x", "y"))
    )
    write_html(empty, tmp_path / "p.html")
    assert next(iter(text_lines(empty))) == "nothing"
