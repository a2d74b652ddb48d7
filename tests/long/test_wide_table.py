"""The wide table in a real browser: filters, sorting, columns, widths and copying, by mouse and by keyboard."""

from itertools import cycle, islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from methodlens.records import Row
from tests.long.conftest import PHONE, Watched, picture_of
from tests.reports.conftest import HOSTILE, MakeRow
from tests.reports.test_report import other_file, written

pytest.importorskip("playwright.sync_api", reason="pip install playwright drives the browser")
pytestmark = pytest.mark.long

HARDWARE = ("hardware", "training_time_h")


@pytest.fixture
def table(make_row: MakeRow, watched: Watched, tmp_path: Path) -> Watched:
    """The table of three papers: of 2019 with six hours, of 2023 with fifty, and one that does not report its hardware."""
    rows = []
    for name, year, hours in (("old.pdf", 2019, 6), ("new.pdf", 2023, 50), ("silent.pdf", 2023, None)):
        facts = {"hardware": [{"name": f"Kestrel K{hours}", "count": 1}], "training_time_h": hours} if hours else {}
        row = make_row(name, facts=facts, answer="Text | with a pipe & 50% of it." if not hours else "")
        row = replace(row, paper=replace(row.paper, year=year), question=replace(row.question, facts=HARDWARE))
        rows.append(other_file(row, name.encode().hex().ljust(64, "0")))
    show(watched, rows, tmp_path)
    return watched


def show(watched: Watched, rows: list[Row], folder: Path) -> None:
    path = folder / "r.html"
    written(path, *rows)
    watched.page.goto(f"{path.as_uri()}#/table")


def names(table: Watched) -> list[str]:
    return list(table.page.locator(".wide tbody th a").all_inner_texts())


def add_filter(table: Watched, field: str, test: str, value: str) -> None:
    form = table.page.locator(".wide-filter")
    form.get_by_label("Filter by").select_option(label=field)
    form.get_by_label("Condition").select_option(test)
    if value:
        form.get_by_label("Value").fill(value)
    form.get_by_role("button").click()


def test_papers_are_filtered_by_facts_and_years(table: Watched) -> None:
    add_filter(table, "year", ">", "2020")
    assert names(table) == ["new.pdf", "silent.pdf"]
    add_filter(table, "Hardware: training time (h)", "≥", "10")
    assert names(table) == ["new.pdf"]
    table.page.get_by_role("button", name="Remove this filter").first.click()
    table.page.get_by_role("button", name="Remove this filter").first.click()
    add_filter(table, "Hardware: hardware", "contains", "kestrel k6")
    assert names(table) == ["old.pdf"]
    assert table.page.locator("#wide [role=status]").first.inner_text() == "1 of 3 papers"


def test_a_header_sorts_up_then_down_then_not_and_missing_values_come_last(table: Watched) -> None:
    table.page.get_by_text("Columns", exact=True).click()
    table.page.get_by_label("Hardware: training time (h)").check()
    orders = []
    for _ in range(3):
        table.page.get_by_role("button", name="Hardware: training time").click()
        orders.append(names(table))
    assert orders == [
        ["old.pdf", "new.pdf", "silent.pdf"],
        ["new.pdf", "old.pdf", "silent.pdf"],
        ["old.pdf", "new.pdf", "silent.pdf"],
    ]


def test_columns_are_resized_by_mouse_and_by_keyboard(table: Watched) -> None:
    head = table.page.locator(".wide thead th").nth(2)
    before = head.bounding_box()["width"]
    grip = head.get_by_role("separator")
    box = grip.bounding_box()
    table.page.mouse.move(box["x"] + 2, box["y"] + 4)
    table.page.mouse.down()
    table.page.mouse.move(box["x"] + 82, box["y"] + 4)
    table.page.mouse.up()
    dragged = head.bounding_box()["width"]
    assert abs(dragged - before - 80) < 5
    grip.focus()
    table.page.keyboard.press("ArrowLeft")
    assert abs(head.bounding_box()["width"] - dragged + 20) < 5


def test_the_shown_part_is_copied_as_markdown_and_latex(table: Watched) -> None:
    table.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    add_filter(table, "paper", "is", "silent.pdf")
    table.page.get_by_role("button", name="Markdown").click()
    table.page.get_by_text("Copied.").wait_for()
    copied = table.page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines() == [
        "| paper | year | Hardware |",
        "| --- | --- | --- |",
        "| silent.pdf | 2023 | Text \\| with a pipe & 50% of it. |",
    ]
    table.page.get_by_role("button", name="LaTeX").click()
    table.page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('longtable'))")
    assert r"silent.pdf & 2023 & Text | with a pipe \& 50\% of it. \\" in table.page.evaluate("navigator.clipboard.readText()")


def test_a_cell_opens_its_quote_and_the_table_fits_a_phone(table: Watched) -> None:
    table.page.set_viewport_size(PHONE)
    assert table.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    picture_of(table.page, "wide-phone")
    table.page.get_by_role("link", name="Kestrel K50").click()
    table.page.locator("article.active").wait_for()
    assert "/paper/" in table.page.url


def test_hostile_text_stays_text_and_500_papers_are_drawn_as_they_are_needed(
    make_row: MakeRow, watched: Watched, tmp_path: Path
) -> None:
    rows = [
        other_file(make_row(f"{number}.pdf", answer=text, title=text[:200], facts={}), f"{number:04}" * 16)
        for number, text in enumerate(islice(cycle(HOSTILE), 500))
    ]
    show(watched, rows, tmp_path)
    drawn = watched.page.locator(".wide tbody tr")
    assert drawn.count() < 200
    while drawn.count() < 500:
        before = drawn.count()
        watched.page.locator(".wide-frame").evaluate("(frame) => { frame.scrollTop = frame.scrollHeight; }")
        watched.page.wait_for_function("(before) => document.querySelectorAll('.wide tbody tr').length > before", arg=before)
    assert watched.page.locator("#wide img, #wide script").count() == 0
