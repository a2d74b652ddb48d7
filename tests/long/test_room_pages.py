"""The review room on a run of 1,200 papers, in a real browser: pages, keys and search."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.long.conftest import PHONE, Watched, picture_of
from tests.long.test_room import CONTRAST, name
from tests.waiting import wait_until
from tests.web.conftest import open_room
from tests.web.corpus import large_run

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.long


@pytest.fixture
def room(tmp_path: Path, watched: Watched) -> Iterator["Page"]:
    large_run(tmp_path / "out", 1200, with_pdf=700)
    with open_room(tmp_path / "out") as url:
        page = watched.page
        page.goto(url)
        name(page, "ann")
        yield page
        page.goto("about:blank")


def until(page: "Page", condition: str) -> None:
    """In place of wait_for_function, which the content security policy blocks."""
    wait_until(lambda: page.evaluate(condition))


def covered(page: "Page") -> str:
    page.wait_for_selector("#matrix tbody tr")
    return str(page.locator("#pager .range").inner_text())


def test_a_reviewer_moves_between_pages_opens_a_cell_on_page_2_and_searches_all_papers(room: "Page") -> None:
    page = room
    assert "1,200 papers" in page.locator("h1").inner_text()
    assert covered(page) == "papers 1–500 of 1,200"
    until(page, "[...document.querySelectorAll('.queue .count')].every((one) => /^[0-9,]+$/.test(one.textContent))")
    with page.expect_navigation():
        page.keyboard.press("]")
    assert covered(page) == "papers 501–1,000 of 1,200"
    assert page.locator("#matrix tbody tr").count() == 500
    picture_of(page, "room-page-2")

    page.focus('#matrix tr[data-paper="paper-00700.pdf"] th a')
    page.keyboard.press("ArrowRight")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.wait_for_selector("#sheet:not(.loading)")
    assert "paper-00700.pdf" in page.locator("header.cell-header").inner_text()
    page.uncheck("#advance")
    page.keyboard.press("1")
    page.wait_for_selector("#panel .mine")
    with page.expect_navigation():
        page.keyboard.press("m")
    assert covered(page) == "papers 501–1,000 of 1,200"
    until(page, "document.activeElement?.closest('tr')?.dataset.paper === 'paper-00700.pdf'")
    page.wait_for_selector('#matrix tr[data-paper="paper-00700.pdf"] td.own')
    picture_of(page, "room-back-on-page-2")

    page.fill("#filters [name=text]", "barge 11")
    until(page, "document.querySelector('#shown').textContent.includes('found')")
    # 11, 110 to 119, 1100 to 1199
    assert page.locator("#shown").inner_text() == "111 found in papers 1–1,200 of 1,200."
    assert page.locator("#matrix tbody tr").count() == 111
    picture_of(page, "room-search")
    page.fill("#filters [name=text]", "")
    until(page, "document.querySelectorAll('#matrix tbody tr').length === 500")
    page.click("#filters [data-status=withheld]")
    assert page.locator("#shown").inner_text() == "450 of the 500 papers on this page shown"

    page.fill("#pager input", "3")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert covered(page) == "papers 1,001–1,200 of 1,200"
    assert page.locator("#pager [rel=next]").get_attribute("href") is None
    with page.expect_navigation():
        page.click("#pager [rel=first]")
    assert covered(page) == "papers 1–500 of 1,200"


def test_pages_fit_a_phone_label_their_controls_and_have_enough_contrast(room: "Page") -> None:
    page = room
    page.goto(re.sub(r"/[^/]*$", "/?page=2", page.url))
    covered(page)
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('#pager a, #pager input')]
        .filter((one) => !(one.innerText.trim() || one.getAttribute('aria-label') || one.labels?.length)).length"""
    )
    assert unnamed == 0
    page.wait_for_timeout(300)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRAST) == [], scheme
