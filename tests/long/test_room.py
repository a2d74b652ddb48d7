"""The review room in a real browser, on the example papers."""

import csv
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest

from methodlens.ledger.overview import cell_summaries
from methodlens.ledger.store import Ledger
from methodlens.records import Status
from tests.conftest import EXAMPLES
from tests.long.conftest import PHONE, Watched, picture_of
from tests.web.conftest import open_room
from tests.web.hostile import TEXTS, hostile_run

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.long
QUOTE = "All models were trained on one server with 4 NVIDIA A100 GPUs"


@pytest.fixture(scope="module")
def finished_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("examples") / "out"
    run = [sys.executable, "-m", "methodlens.cli.app", "run", str(EXAMPLES / "papers"), "--out", str(out)]
    subprocess.run(run, check=True, capture_output=True)
    return out


@pytest.fixture
def out(finished_examples: Path, tmp_path: Path) -> Path:
    return Path(copytree(finished_examples, tmp_path / "out"))


@pytest.fixture
def room(out: Path, watched: Watched) -> Iterator["Page"]:
    """The matrix, opened by the reviewer ann."""
    with open_room(out) as url:
        page = watched.page
        page.goto(url)
        name(page, "ann")
        yield page
        page.goto("about:blank")  # ends the stream of events


def name(page: "Page", who: str, *, blind: bool = False) -> None:
    page.click("#reviewer summary")
    page.fill("#annotator", who)
    page.set_checked("#session [name=blind]", blind)
    with page.expect_navigation():
        page.click("#session button")
    page.wait_for_selector("#matrix tbody tr, #cell")


def hardware(page: "Page") -> None:
    open_cell(page, '#matrix a[aria-label^="everything-reported.pdf, CQ20 "]')
    page.wait_for_selector("#sheet:not(.loading) svg .box.quote")


def open_cell(page: "Page", link: str) -> None:
    """Returns after the page has loaded: its script runs then, and a key pressed earlier would be lost."""
    with page.expect_navigation():
        page.click(link)
    page.wait_for_selector("#cell")


def test_a_reviewer_opens_a_cell_corrects_it_and_downloads_the_decision(room: "Page", out: Path) -> None:
    page = room
    assert page.locator("#matrix tbody tr").count() == 5
    page.fill("#filters [name=text]", "everything")
    assert page.locator("#matrix tbody tr").count() == 1
    page.fill("#filters [name=text]", "")
    page.click("#filters [data-status=withheld]")
    assert page.locator("#matrix tbody tr .name").all_inner_texts() == withheld_in(out)
    page.click("#filters [data-status=withheld]")
    picture_of(page, "room-matrix")
    hardware(page)
    assert "A100" in page.locator("#panel").inner_text()
    picture_of(page, "room-cell")
    assert_boxes_cover_the_quote(page, out)

    page.uncheck("#advance")
    page.keyboard.press("c")
    page.check("#correction [value=not_reported]")
    page.locator('.sentence[aria-label^="One training run took"]').click()
    page.fill("#answer", "Four <b>A100</b>, but for <script>alert(1)</script> tuning.")
    picture_of(page, "room-correction")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#panel .mine")
    page.reload()
    page.wait_for_selector("#sheet svg .box.picked")
    assert "Your decision: ○ not reported" in page.locator("#panel .mine").inner_text()
    assert "<script>alert(1)</script>" in page.locator("#panel .own-answer").inner_text()
    assert "● reported" in page.locator("#panel .verdict").inner_text()

    page.keyboard.press("m")
    page.wait_for_selector('#matrix td.differs a[aria-label^="everything-reported.pdf, CQ20 "]')
    with page.expect_download() as download:
        page.click("text=decisions as CSV")
    (row,) = csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig")))
    assert (row["annotator"], row["question"], row["label"]) == ("ann", "CQ20", "not_reported")
    assert "One training run took 6.5 hours" in row["quotes"]
    with Ledger.at(out) as ledger:
        (annotation,) = ledger.annotations()
    assert annotation.status is Status.NOT_REPORTED


def withheld_in(out: Path) -> list[str]:
    with Ledger.at(out) as ledger:
        cells = cell_summaries(ledger, ledger.runs()[0])
    found = list(dict.fromkeys(cell.paper for cell in cells if cell.verdict is Status.WITHHELD))
    assert found, "no example paper has a withheld cell: choose another verdict to filter by"
    return found


def assert_boxes_cover_the_quote(page: "Page", out: Path) -> None:
    """The boxes cover the printed words, and the image of the page is loaded."""
    assert page.evaluate("document.querySelector('#sheet img').naturalWidth") > 1000
    boxes = page.evaluate(
        """() => { const sheet = document.querySelector('#sheet img').getBoundingClientRect();
        return [...document.querySelectorAll('#sheet .box.quote')].map((box) => { const at = box.getBoundingClientRect();
          return [(at.left - sheet.left) / sheet.width, (at.top - sheet.top) / sheet.height,
                  (at.right - sheet.left) / sheet.width, (at.bottom - sheet.top) / sheet.height]; }); }"""
    )
    with Ledger.at(out) as ledger:
        (run,) = ledger.runs()
        entry, parser = next(pair for pair in ledger.entries(run) if pair[0].name == "everything-reported.pdf")
        paper = ledger.paper(entry.sha256, parser)
    assert paper
    start = paper.text.index(QUOTE)
    line = next(line for line in paper.lines if line.start <= start < line.end)
    (size,) = [page for page in paper.pages if page.number == line.page]
    word = next(word for word in line.words if line.start + word.start <= start < line.start + word.end)
    x, y = word.x0 / size.width, (line.top + line.bottom) / 2 / size.height
    assert any(left - 0.01 < x < right and top < y < bottom for left, top, right, bottom in boxes)


def test_a_queue_can_be_worked_through_by_keyboard_with_undo(room: "Page") -> None:
    page = room
    open_cell(page, "text=Not yet reviewed")
    first = page.url
    with page.expect_navigation():
        page.keyboard.press("u")
    assert page.url != first
    page.wait_for_selector("#toast.visible")
    assert page.locator("#toast").inner_text() == "Saved: unsure. Press z to undo."
    with page.expect_navigation():
        page.keyboard.press("z")
    assert page.url == first
    page.wait_for_selector("#cell")
    assert page.locator("#panel .mine").count() == 0


def test_twenty_cells_take_twenty_keys(room: "Page", out: Path) -> None:
    page = room
    with page.expect_navigation():
        page.keyboard.press("i")
    for number in range(20):
        page.wait_for_selector("#cell")
        with page.expect_navigation():
            page.keyboard.press("12u"[number % 3])
    with Ledger.at(out) as ledger:
        decided = ledger.annotations()
    assert [annotation.status.value for annotation in decided] == (["reported", "not_reported", "withheld"] * 7)[:20]
    assert len({(annotation.paper_sha256, annotation.question) for annotation in decided}) == 20


def test_keys_are_listed_and_cells_have_short_answers_links_and_tags(room: "Page") -> None:
    page = room
    page.keyboard.press("?")
    assert "most informative next" in page.locator("#keys").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#matrix thead .upright").first.inner_text() == "Data collection"
    page.hover('#matrix a[aria-label^="everything-reported.pdf, CQ20 "]')
    page.locator("#tooltip p").nth(1).wait_for()
    assert "4 NVIDIA A100" in page.locator("#tooltip").inner_text()
    hardware(page)
    page.uncheck("#advance")
    page.keyboard.press("t")
    page.keyboard.type("odd table")
    page.fill("#tags", "check again, hardware")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#panel .mine")
    assert "check again" in page.locator("#panel .own-answer").inner_text()
    page.keyboard.press("2")  # another decision keeps the note and the tags
    page.wait_for_selector("#panel .mine .not_reported")
    assert "odd table" in page.locator("#panel .own-answer").inner_text()
    page.keyboard.press("l")
    page.wait_for_selector("#toast.visible")
    with page.expect_navigation():
        page.keyboard.press("m")
    page.wait_for_selector('#matrix a[aria-label^="everything-reported.pdf, CQ20 "]:focus')
    page.select_option("#filters [name=tag]", "hardware")
    assert page.locator("#matrix tbody tr .name").all_inner_texts() == ["everything-reported.pdf"]


def test_two_blind_reviewers_differ_and_an_adjudicator_settles_it_with_one_key(out: Path, browser: Any) -> None:
    def enter(url: str, who: str, *, blind: bool) -> "Page":
        page: Page = browser.new_context().new_page()
        page.goto(url)
        name(page, who, blind=blind)
        return page

    with open_room(out) as url:
        for who, key in (("ann", "1"), ("bob", "2")):
            page = enter(url, who, blind=True)
            open_cell(page, '#matrix a[aria-label^="everything-reported.pdf, CQ20 "]')
            page.wait_for_selector("#sheet:not(.loading)")
            with page.expect_navigation():
                page.keyboard.press(key)
            page.context.close()
        page = enter(url, "eve", blind=False)
        open_cell(page, "text=To adjudicate")
        page.wait_for_selector(".sides")
        picture_of(page, "room-adjudicate")
        assert [side.split()[-2] for side in page.locator(".side button").all_inner_texts()] == ["ann", "bob"]
        page.keyboard.press("2")
        page.wait_for_selector("#panel .mine .not_reported")
        page.click("text=Progress")
        page.wait_for_selector(".figures")
        assert "No cell is disputed. 1 adjudicated." in " ".join(page.locator("main").inner_text().split())
        picture_of(page, "room-progress")
        page.context.close()
    with Ledger.at(out) as ledger:
        assert [(one.annotator, one.adjudicates) for one in ledger.annotations()] == [
            ("ann", False),
            ("bob", False),
            ("eve", True),
        ]


def test_blind_mode_hides_answers_until_the_decision(room: "Page") -> None:
    page = room
    name(page, "bob", blind=True)
    assert page.locator("#matrix td.reported").count() == 0
    open_cell(page, '#matrix a[aria-label^="everything-reported.pdf, CQ20 "]')
    page.wait_for_selector("#sheet:not(.loading) svg .box")
    assert page.locator(".box.quote, #answers").count() == 0
    picture_of(page, "room-blind")
    page.uncheck("#advance")
    page.keyboard.press("1")
    page.wait_for_selector("#answers")
    assert "by embedded" in page.locator("#panel").inner_text()


def test_a_paper_and_a_question_added_from_the_page_appear_in_the_matrix(room: "Page", tmp_path: Path) -> None:
    page = room
    with page.expect_navigation():
        page.click("nav >> text=Add")
    picture_of(page, "room-add")
    paper = tmp_path / "another.pdf"
    paper.write_bytes((EXAMPLES / "papers" / "rented-cpu.pdf").read_bytes() + b"\n% another file\n")
    page.set_input_files("#files", paper)
    page.click("#papers button")
    page.wait_for_selector(".job.done")
    page.fill("#text", "Which loss function is used?")
    page.click("#question button")
    page.locator(".job.done").nth(1).wait_for()
    page.click("nav >> text=Matrix")
    page.wait_for_selector("#matrix tbody tr")
    assert page.locator("#matrix tbody tr").count() == 6
    assert page.locator("#matrix thead th").count() == 30


def test_the_matrix_fills_while_another_process_runs(tmp_path: Path, watched: Watched) -> None:
    out = tmp_path / "live"
    with open_room(out) as url:
        page = watched.page
        page.goto(url)
        assert "No papers yet" in page.content()
        run = [sys.executable, "-m", "methodlens.cli.app", "run", str(EXAMPLES / "papers"), "--out", str(out)]
        with subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as going:
            page.wait_for_selector("#matrix td.reported")
            assert going.wait() == 0
        page.locator("#matrix td:not(.blank)").nth(5 * 28 - 1).wait_for()
        assert page.locator("#matrix td").count() == 5 * 28
        page.goto("about:blank")


@pytest.mark.parametrize("path", ["/", "cell", "/agreement", "/add", "/api"])
def test_every_page_fits_a_phone_and_labels_its_controls(room: "Page", path: str) -> None:
    page = room
    page.set_viewport_size(PHONE)
    if path == "cell":
        hardware(page)
        page.keyboard.press("c")
    else:
        page.goto(re.sub(r"/[^/]*$", path, page.url))
        page.wait_for_load_state()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    unnamed: list[Any] = page.evaluate(
        """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
        .filter((one) => one.checkVisibility())
        .filter((one) => !(one.innerText.trim() || one.getAttribute('aria-label') || one.labels?.length || one.title))
        .map((one) => one.outerHTML)"""
    )
    assert unnamed == []
    assert page.locator("h1").count() == 1
    assert page.locator("html[lang]").count() == 1


def test_text_has_enough_contrast(room: "Page") -> None:
    """WCAG AA: 4.5 to 1 for all visible text, in light and dark."""
    page = room
    hardware(page)
    for address in (
        page.url,
        re.sub(r"/cells/.*", "/", page.url),
        re.sub(r"/cells/.*", "/add", page.url),
        re.sub(r"/cells/.*", "/agreement", page.url),
    ):
        page.goto(address)
        page.wait_for_load_state()
        page.wait_for_timeout(300)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(CONTRAST) == [], (address, scheme)


CONTRAST = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = (one) => { for (let at = one; at; at = at.parentElement) { const c = parse(getComputedStyle(at).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const found = [];
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const seen = one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!own || !seen || one.closest('script, svg, .toast, :disabled, .skip, option')) continue;
    let opacity = 1;
    for (let at = one; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const back = behind(one);
    const ink = parse(getComputedStyle(one).color).slice(0, 3).map((v, i) => v * opacity + back[i] * (1 - opacity));
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${one.tagName}.${one.className} ${one.textContent.trim().slice(0, 30)}`);
  }
  return found; }"""


def test_hostile_papers_run_nothing_in_the_browser(tmp_path: Path, watched: Watched) -> None:
    hostile_run(tmp_path / "out")
    with open_room(tmp_path / "out") as url:
        page = watched.page
        page.goto(url)
        page.wait_for_selector("#matrix tbody tr")
        links = page.evaluate(
            "[...document.querySelectorAll('#matrix td:nth-child(2) a')].map((link) => link.getAttribute('href'))"
        )
        assert len(links) == len(TEXTS)
        for link in links:
            page.goto(url.split("/?")[0] + link)
            page.wait_for_selector("#page-unavailable:not([hidden])")  # there is no PDF to show, and the page explains it
            assert page.locator("#panel article.reader-card").count() == 3
            assert page.locator("#panel article.in-code").count() == 2  # the repository and the supplement
        page.goto("about:blank")
        missing = "the server responded with a status of 404"  # the page image
        watched.problems[:] = [problem for problem in watched.problems if missing not in problem]
