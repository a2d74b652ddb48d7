"""The report and the statistics page in a real browser: opened from disk, and safe against hostile papers."""

import base64
import io
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from PIL import Image

from methodlens.records import HiddenText, Place, Status
from methodlens.reports.html.page_images import ReportImage
from methodlens.reports.statistics.sections import Bar, BarsSection, CurvePoint, CurveSection, MatrixSection, StatisticsPage
from methodlens.reports.statistics.statistics_output import write_html
from tests.conftest import EXAMPLES
from tests.long.conftest import DESK, PHONE, Watched, picture_of
from tests.reports.conftest import HOSTILE, MakeRow
from tests.reports.test_report import other_file, written

expect = pytest.importorskip("playwright.sync_api", reason="pip install playwright drives the browser").expect

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report that `run` writes for the example papers."""
    out = tmp_path_factory.mktemp("run") / "out"
    run: list[str | Path] = [sys.executable, "-m", "methodlens.cli.app", "run", EXAMPLES / "papers", "--out", out]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (out / "report.html").as_uri()


@pytest.fixture(scope="module")
def parts(report: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same papers, two per file."""
    out = tmp_path_factory.mktemp("parts")
    again: list[str | Path] = [sys.executable, "-m", "methodlens.cli.app", "report", "--set", "report.papers_per_file=2"]
    ledger = Path(urlsplit(report).path).parent
    done = subprocess.run([*again, "--out", ledger, "--to", out / "report.html"], capture_output=True, text=True)
    assert "5 papers: report.html and 2 more" in done.stderr
    return out


def overview(tab: "Tab") -> dict[str, Any]:
    return dict(tab.evaluate("JSON.parse(document.getElementById('overview').textContent)"))


# --- reviewing -----------------------------------------------------------------------------------------------------


def test_one_click_in_the_matrix_opens_the_sentence_on_its_page(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report)
    tab.get_by_role("link", name="everything-reported.pdf, 20 Training hardware: reported").click()
    cell = tab.locator("article.active")
    assert "4 NVIDIA A100" in cell.inner_text()
    assert "A100" in tab.locator(".quote button[aria-pressed=true]").inner_text()
    image = tab.locator("#viewer img").first
    image.wait_for()
    assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") > 800
    assert tab.locator("#viewer rect.box:not(.other)").count() >= 2
    picture_of(tab, "cell")


def test_the_box_covers_the_words_of_the_quote(report: str, watched: Watched) -> None:
    """Checked by pixels: the boxes contain ink, and most of the ink around the first line is inside them."""
    tab = watched.page
    tab.goto(report)
    tab.get_by_role("link", name="everything-reported.pdf, 20 Training hardware: reported").click()
    tab.locator("#viewer img").first.wait_for()
    ink = tab.evaluate(
        """() => {
          const image = document.querySelector("#viewer img"), svg = document.querySelector("#viewer svg");
          const canvas = document.createElement("canvas");
          canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;
          const context = canvas.getContext("2d"); context.drawImage(image, 0, 0);
          const scale = image.naturalWidth / svg.viewBox.baseVal.width;
          const dark = (...area) => {
            const pixels = context.getImageData(...area.map((side) => Math.max(1, Math.round(side)))).data;
            let found = 0;
            for (let at = 0; at < pixels.length; at += 4) found += pixels[at] < 128;
            return found / (pixels.length / 4);
          };
          return [...svg.querySelectorAll("rect.box:not(.other)")].map((box) => {
            const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => scale * box[name].baseVal.value);
            return [dark(x, y, w, h), dark(x, y, w, 1), dark(x, y + h - 1, w, 1), dark(x - 4, y, 3, h)];
          });
        }"""
    )
    assert len(ink) >= 2
    for inside, top, bottom, before in ink:
        assert inside > 0.08  # letters, not white paper
        assert max(top, bottom) < inside  # the edges are between the lines
        assert before <= inside
    # the parser gives the same boxes for this sentence
    quote = tab.locator(".quote button[aria-pressed=true] bdi").inner_text().strip("“”")
    assert quote.startswith("All models were trained on one server with 4 NVIDIA A100")


def test_filters_show_matching_papers_and_their_number(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report)
    assert tab.locator("#rows tr").count() == 5
    picture_of(tab, "matrix")
    tab.get_by_label("Search").fill("A100")
    tab.locator("#rows tr").nth(1).wait_for(state="detached")
    assert tab.locator("#rows tr").count() == 1
    assert tab.locator("#rows td.found").count() >= 1
    assert "1 of 5 papers" in tab.locator("#how-many").inner_text()
    tab.get_by_role("button", name="Show all").click()
    assert tab.locator("#rows tr").count() == 5
    tab.get_by_role("button", name="withheld").click()
    found = overview(tab)
    unsure = [paper["name"] for paper, codes in zip(found["papers"], found["verdicts"]["embedded"], strict=True) if "w" in codes]
    assert 0 < len(unsure) < 5
    assert [row.split()[0] for row in tab.locator("#rows tr th").all_inner_texts()] == unsure
    tab.get_by_role("button", name="Show all").click()
    tab.get_by_label("Question", exact=True).select_option(label="20 Training hardware")
    tab.get_by_role("button", name="not reported").click()
    assert "silent-on-hardware.pdf" in tab.locator("#rows").inner_text()
    assert "everything-reported.pdf" not in tab.locator("#rows").inner_text()
    tab.get_by_role("button", name="Show all").click()
    tab.get_by_role("button", name="unreadable").click()
    assert tab.locator("#rows tr th").all_inner_texts() == ["scanned.pdf"]
    tab.get_by_role("button", name="Show all").click()
    tab.get_by_label("Sort").select_option("most")
    assert tab.locator("#rows tr th").first.inner_text().startswith("everything-reported.pdf")


def test_the_header_and_the_first_column_are_sticky(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.set_viewport_size({"width": 700, "height": 420})
    tab.goto(report)
    corner = "['.matrix thead th', '#rows th'].map((at) => document.querySelector(at).getBoundingClientRect())"
    where = f"(([head, first]) => [head.top, first.left])({corner})"
    before = tab.evaluate(where)
    tab.evaluate("Object.assign(document.getElementById('frame'), {scrollTop: 60, scrollLeft: 200})")
    assert tab.evaluate("document.getElementById('frame').scrollLeft") == 200
    assert tab.evaluate(where) == before


def test_every_page_has_an_address_and_fits_a_phone(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report)
    keys = [paper["key"] for paper in overview(tab)["papers"]]
    routes = {
        "questions": ("#/questions", "Training hardware"),
        "summary": ("#/summary", "could not be read"),
        "methods": ("#/methods", "We assessed 5 papers"),
        "paper": (f"#/paper/{keys[0]}", "MarshNet"),
        "question": ("#/question/CQ20", "NVIDIA A100"),
        "from-a-workbook": (f"#paper:{keys[0]}:CQ20", "MarshNet"),
        "unreadable": (f"#/paper/{keys[3]}", "run OCR on it first"),
        "nowhere": ("#/paper/none", "not in this report"),
        "no-question": ("#/question/none", "not in this report"),
        "matrix-again": ("#/%E0%A4%A", "everything-reported.pdf"),
    }
    for name, (address, wanted) in routes.items():
        tab.goto(report + address)
        tab.locator("main > section:visible").wait_for()
        assert wanted in tab.locator("main > section:visible").inner_text(), name
        assert "null" not in tab.locator("main > section:visible").inner_text()
        for size in (PHONE, DESK):
            tab.set_viewport_size(size)
            assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        picture_of(tab, name)


def test_everything_works_by_keyboard(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report)
    tab.keyboard.press("/")
    expect(tab.get_by_label("Search")).to_be_focused()
    tab.keyboard.press("Escape")
    tab.locator("#rows a[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp"):
        tab.keyboard.press(key)
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')").startswith("no-deep-learning.pdf, 3 ")
    assert tab.locator("#rows a[tabindex='0']").count() == 1
    tab.keyboard.press("Enter")
    tab.locator("article.active").wait_for()
    tab.keyboard.press("j")
    expect(tab).to_have_url(re.compile("/CQ4$"))
    tab.keyboard.press("Escape")
    tab.locator("#rows").wait_for()


def test_escape_clears_the_search_and_its_filter(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report)
    tab.get_by_label("Search").fill("A100")
    expect(tab.locator("#rows tr")).to_have_count(1)
    tab.keyboard.press("Escape")
    expect(tab.get_by_label("Search")).to_have_value("")
    expect(tab.locator("#rows tr")).to_have_count(5)
    expect(tab.locator("#how-many")).to_have_text("5 papers")


def test_the_focus_follows_a_cell_that_opens_and_returns_when_it_closes(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report)
    tab.get_by_role("link", name="rented-cpu.pdf, 20 Training hardware: reported").click()
    expect(tab.locator("article.active")).to_be_focused()
    tab.keyboard.press("j")
    expect(tab.locator("article.active")).to_be_focused()
    tab.keyboard.press("Escape")
    expect(tab.get_by_role("link", name="rented-cpu.pdf, 20 Training hardware: reported")).to_be_focused()
    assert tab.locator("#rows a[tabindex='0']").count() == 1


def test_the_page_is_enlarged_and_fitted_again(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report)
    tab.get_by_role("link", name="everything-reported.pdf, 20 Training hardware: reported").click()
    width = "document.querySelector('#viewer .sheet').clientWidth"
    before = tab.evaluate(width)
    tab.get_by_role("button", name="Enlarge").click()
    assert tab.evaluate(width) > 1.5 * before
    expect(tab.get_by_role("button", name="Fit to width")).to_be_focused()
    tab.keyboard.press("Enter")
    assert tab.evaluate(width) == before
    assert tab.get_by_role("button", name="Enlarge").is_visible()


def test_overlapping_boxes_are_not_darker(make_row: MakeRow, watched: Watched, tmp_path: Path) -> None:
    row = make_row("a.pdf", "CQ1")
    boxes = ((100.0, 100.0, 500.0, 140.0), (300.0, 100.0, 500.0, 140.0))  # the right half is covered twice
    quote = replace(row.cell.answer.evidence[0], places=(Place(1, boxes),))
    row = replace(row, cell=replace(row.cell, answer=replace(row.cell.answer, evidence=(quote,))))
    picture = io.BytesIO()
    Image.new("RGB", (612, 792), "white").save(picture, "PNG")
    source = "data:image/png;base64," + base64.b64encode(picture.getvalue()).decode()
    written(tmp_path / "r.html", row, pages=((row.paper.sha256[:10], ReportImage(1, source, size=(612.0, 792.0))),))
    tab = watched.page
    tab.goto((tmp_path / "r.html").as_uri() + f"#/paper/{row.paper.sha256[:10]}/CQ1")
    box = tab.locator("#viewer rect.box").first
    box.wait_for()
    tab.mouse.move(0, 0)
    shot = Image.open(io.BytesIO(box.screenshot())).convert("RGB")
    once, twice = (shot.getpixel((int(shot.width * share), shot.height // 2)) for share in (0.25, 0.75))
    assert once == twice != (255, 255, 255)


def test_no_title_of_a_shipped_question_is_cut(report: str, watched: Watched) -> None:
    watched.page.goto(report)
    cut = """[...document.querySelectorAll(".matrix .upright")]
      .filter((head) => head.scrollHeight > head.clientHeight + 1 || head.scrollWidth > head.clientWidth + 1)
      .map((head) => head.textContent)"""
    for size in (DESK, PHONE):
        watched.page.set_viewport_size(size)
        assert watched.page.locator(".matrix .upright").count() == 28
        assert watched.page.evaluate(cut) == []


def test_no_quote_is_printed_twice(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report)
    tab.get_by_role("link", name="everything-reported.pdf, 20 Training hardware: reported").click()
    cell = tab.locator("article.active").inner_text()
    assert cell.count("with 40 GB of memory each, an AMD EPYC 7543") == 1  # in the answer
    assert cell.count("“All models were trained on one server with 4 NVIDIA A100") == 1  # the beginning of its quote


def test_each_filter_of_papers_has_one_name(make_row: MakeRow, watched: Watched, tmp_path: Path) -> None:
    hidden = make_row("b.pdf", "CQ1")
    paper = replace(hidden.paper, flags=("hidden_text", "no_dl"), hidden=(HiddenText(1, "white", "x", (0, 0, 1, 1)),))
    written(tmp_path / "r.html", make_row("a.pdf", "CQ1"), other_file(replace(hidden, paper=paper), "ab" * 32))
    watched.page.goto((tmp_path / "r.html").as_uri())
    options = watched.page.get_by_label("Papers", exact=True).locator("option").all_inner_texts()
    assert options == ["all papers", "with hidden text", "without deep learning"]


def test_the_methods_text_can_be_copied(report: str, watched: Watched) -> None:
    tab = watched.page
    tab.goto(report + "#/methods")
    tab.get_by_role("button", name="Copy text").click()
    expect(tab.locator("#copied")).not_to_be_empty()


def test_plots_are_downloaded_as_svg_png_and_csv_from_disk(report: str, watched: Watched, tmp_path: Path) -> None:
    tab = watched.page
    for address, name, title in (
        ("#/questions", "shares", "Share of papers that report each item"),
        ("#/summary", "flow", "Flow of papers"),
        ("#/question/CQ20", "CQ20-hardware", "hardware"),
    ):
        tab.goto(report + address)
        for kind in ("SVG", "PNG", "CSV"):
            with tab.expect_download() as download:
                tab.get_by_role("button", name=f"Download {title} as {kind}").click()
            assert download.value.suggested_filename == f"{name}.{kind.lower()}"
            download.value.save_as(tmp_path / f"{name}.{kind.lower()}")
        assert ElementTree.parse(tmp_path / f"{name}.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
        image = Image.open(tmp_path / f"{name}.png").convert("L")
        assert image.width > 2000
        assert image.getextrema() == (0, 255)  # black letters on white
        assert (tmp_path / f"{name}.csv").read_text(encoding="utf-8-sig").startswith('"')


def test_without_scripts_verdicts_summary_and_methods_are_readable(report: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(report)
    text = tab.locator("body").inner_text()
    context.close()
    for wanted in ("everything-reported.pdf", "●", "which is disabled", "Summary of the corpus", "We assessed 5 papers"):
        assert wanted in text


def test_printing_includes_all_rows(report: str, watched: Watched, tmp_path: Path) -> None:
    watched.page.goto(report)
    watched.page.pdf(path=tmp_path / "matrix.pdf", format="A4", landscape=True)
    import pypdfium2 as pdfium

    document = pdfium.PdfDocument(tmp_path / "matrix.pdf")
    text = document[0].get_textpage().get_text_bounded()
    assert "everything-reported.pdf" in text
    assert "silent-on-hardware.pdf" in text


# --- a report in several files --------------------------------------------------------------------------------------


def test_the_navigation_bar_links_the_parts_and_keeps_the_question(parts: Path, watched: Watched) -> None:
    tab = watched.page
    tab.goto((parts / "report.html").as_uri())
    assert tab.locator("#rows tr[data-place]").count() == 2
    bar = tab.get_by_role("navigation", name="Parts of this report")
    expect(bar).to_contain_text("Part 1 of 3: papers 1 to 2 of 5")
    expect(bar.get_by_role("link", name="Part 1")).to_have_attribute("aria-current", "page")
    picture_of(tab, "part-1")
    bar.get_by_role("link", name="Part 2").focus()
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile(r"report-2\.html"))
    tab.get_by_role("link", name="rented-cpu.pdf, 20 Training hardware: reported").click()
    image = tab.locator("#viewer img").first
    image.wait_for()
    assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") > 800
    picture_of(tab, "part-2-cell")
    tab.goto((parts / "report-2.html").as_uri() + "#/question/CQ20")
    expect(tab.locator(".headline")).to_contain_text(re.compile(r"in this part report it, \d+% of all \d"))
    bar.get_by_role("link", name="Part 3").click()
    expect(tab).to_have_url(re.compile(r"report-3\.html\?of=[0-9a-f]{8}#/question/CQ20$"))
    assert tab.locator("#mixed").is_hidden()


def test_previous_and_next_paper_cross_the_parts(parts: Path, watched: Watched) -> None:
    tab = watched.page
    tab.goto((parts / "report-2.html").as_uri())
    first, last = (paper["key"] for paper in overview(tab)["papers"])
    tab.goto((parts / "report-2.html").as_uri() + f"#/paper/{first}")
    tab.get_by_role("link", name="← previous").click()
    expect(tab).to_have_url(re.compile(r"report\.html\?of=[0-9a-f]{8}#/paper/"))
    expect(tab.locator("#paper .eyebrow")).to_contain_text("no-deep-learning.pdf")
    tab.get_by_role("link", name="next →").click()
    expect(tab.locator("#paper .eyebrow")).to_contain_text("rented-cpu.pdf")
    tab.goto((parts / "report.html").as_uri() + f"#paper:{last}:CQ20")  # a link from an older workbook
    tab.get_by_text("It may be in another part").get_by_role("link", name="2").click()
    expect(tab.locator("#paper .eyebrow")).to_contain_text("scanned.pdf")


def test_every_page_of_a_part_fits_a_phone(parts: Path, watched: Watched) -> None:
    tab = watched.page
    for number in (1, 2, 3):
        file = parts / ("report.html" if number == 1 else f"report-{number}.html")
        for page in ("", "#/questions", "#/summary", "#/methods", "#/question/CQ20"):
            tab.goto(file.as_uri() + page)
            for size in (PHONE, DESK):
                tab.set_viewport_size(size)
                assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (number, page)


def test_parts_of_different_reports_show_a_warning(parts: Path, watched: Watched) -> None:
    watched.page.goto((parts / "report-2.html").as_uri() + "?of=0123abcd")
    expect(watched.page.locator("#mixed")).to_be_visible()
    watched.page.get_by_role("link", name="Start at report.html").click()
    expect(watched.page.locator("#parts")).to_contain_text("Part 1 of 3")


def test_without_scripts_the_parts_link_to_each_other(parts: Path, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((parts / "report.html").as_uri())
    tab.get_by_role("link", name="Part 3", exact=True).click()
    text = tab.locator("body").inner_text()
    context.close()
    for wanted in ("Part 3 of 3: papers 5 to 5 of 5", "silent-on-hardware.pdf", "We assessed 5 papers"):
        assert wanted in text


# --- hostile papers --------------------------------------------------------------------------------------------------


def test_hostile_strings_stay_text_on_every_page(make_row: MakeRow, watched: Watched, tmp_path: Path) -> None:
    bad = [text for text in HOSTILE if text.isprintable() and len(text) < 100]
    bad += [
        "<svg onload=alert(1)>",
        "data:text/html,<script>alert(1)</script>",
        "__proto__",
        'https://x.invalid/"onclick=alert(1)',
    ]
    rows = []
    for index, text in enumerate(bad):
        facts = {"code_urls": [text, "https://example.invalid/code"], text: [{"name": text}]}
        about = {
            "title": text,
            "quote": text,
            "passage": text,
            "section": text,
            "question_text": text,
            "question_title": text,
            "reason": text,
            "facts": facts,
        }
        row = make_row(text, "CQ1", answer=text, **about)
        rows.append(other_file(row, f"{index:02}" * 32))
        rows.append(other_file(make_row(text, "__proto__", answer=text, status=Status.WITHHELD, **about), f"{index:02}" * 32))
    written(tmp_path / "r.html", *rows, title=bad[0], notes=(bad[1],))
    tab = watched.page
    for address in ("", "#/questions", "#/summary", "#/methods", "#/question/CQ1", "#/question/__proto__"):
        tab.goto((tmp_path / "r.html").as_uri() + address)
        assert tab.locator("main > section:visible").count() == 1
    for index, text in enumerate(bad):
        tab.goto((tmp_path / "r.html").as_uri() + f"#/paper/{(f'{index:02}' * 32)[:10]}/CQ1")
        assert tab.locator("article.active .answer").inner_text() == text
        assert tab.locator("#paper h1").inner_text() == text
    links = tab.evaluate("[...document.querySelectorAll('a')].map((a) => [a.getAttribute('href'), a.rel])")
    outward = [(href, rel) for href, rel in links if not href.startswith("#")]
    assert outward
    assert all(
        href.startswith(("https://example.invalid/code", "https://x.invalid/")) and "noopener" in rel for href, rel in outward
    )
    assert (
        tab.locator("main script, main iframe, main object, main svg[onload], main [onclick], main img:not([alt])").count() == 0
    )


def test_the_content_security_policy_blocks_injected_content(report: str, browser: Any) -> None:
    """Even if text became an element, the browser would not run it or fetch anything for it."""
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(report)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.5)
        refused = tab.evaluate(
            """async (port) => {
              const refused = [], here = `http://127.0.0.1:${port}/x`;
              try { document.body.innerHTML += "<b>x</b>"; } catch { refused.push("innerHTML"); }
              try { await fetch(here); } catch { refused.push("fetch"); }
              const image = document.createElement("img");
              await new Promise((done) => { image.onerror = image.onload = done; image.src = here; });
              if (!image.naturalWidth) refused.push("image");
              const button = document.createElement("button");
              try { button.setAttribute("onclick", "window.acted = true"); } catch {}
              document.body.append(button); button.click();
              if (!window.acted) refused.push("handler");
              const script = document.createElement("script");
              try { script.textContent = "window.scripted = true"; document.body.append(script); } catch {}
              if (!window.scripted) refused.push("script");
              return refused;
            }""",
            listening.getsockname()[1],
        )
        with pytest.raises(TimeoutError):  # no request arrived
            listening.accept()
    context.close()
    assert refused == ["innerHTML", "fetch", "image", "handler", "script"]


# --- many papers ----------------------------------------------------------------------------------------------------


def test_a_report_of_500_papers_renders_only_the_visible_rows(make_row: MakeRow, watched: Watched, tmp_path: Path) -> None:
    answer = "Trained on two Kestrel K9 cards for six hours, with a batch size of 32. " * 5
    statuses = [Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD, Status.REPORTED]
    rows = [
        other_file(
            make_row(f"{paper}.pdf", f"CQ{n}", status=statuses[(paper + n) % 4], answer=answer, title=f"Paper {paper}"),
            f"{paper:04}" * 16,
        )
        for paper in range(500)
        for n in range(1, 29)
    ]
    path = tmp_path / "r.html"
    written(path, *rows)
    tab = watched.page
    tab.goto(path.as_uri())
    tab.locator("#rows tr[data-place]").first.wait_for()
    tab.evaluate(
        """() => new Promise((done) => {
          const frame = document.getElementById("frame");
          const step = () => {
            frame.scrollTop += 120;
            if (frame.scrollTop + frame.clientHeight < frame.scrollHeight - 2) requestAnimationFrame(step); else done();
          };
          requestAnimationFrame(step);
        })"""
    )
    assert tab.locator("#rows tr[data-place='499']").count() == 1  # scrolled to the last paper
    assert tab.locator("#rows tr[data-place]").count() < 150  # most rows are not in the page
    tab.get_by_label("Search").fill("paper 499")
    expect(tab.locator("#rows tr[data-place]")).to_have_count(1)
    tab.get_by_role("link", name="499.pdf Paper 499").click()
    tab.locator("#paper h1").wait_for()


def test_page_images_next_to_the_report_are_shown(make_row: MakeRow, watched: Watched, tmp_path: Path) -> None:
    from methodlens.papers import WorkerPool
    from methodlens.settings import PaperLimits

    with WorkerPool(1, PaperLimits()) as pool:
        png = pool.render(EXAMPLES / "papers" / "everything-reported.pdf", 1, grey=True).png
    (tmp_path / "report-pages").mkdir()
    (tmp_path / "report-pages" / "a-8.png").write_bytes(png)
    page = ("ab" * 5, ReportImage(8, "report-pages/a-8.png", size=(595.0, 842.0)))
    written(tmp_path / "r.html", make_row(), pages=(page,))
    watched.page.goto((tmp_path / "r.html").as_uri() + f"#/paper/{'ab' * 5}/CQ20")
    image = watched.page.locator("#viewer img")
    image.wait_for()
    assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") > 100


# --- statistics page ------------------------------------------------------------------------------------------------


def test_the_statistics_page_shows_its_plots_and_fits_a_phone(watched: Watched, tmp_path: Path) -> None:
    page = StatisticsPage(
        "Figures",
        ("a line",),
        (
            BarsSection(
                "Bars", tuple(Bar(f"CQ{n}", n / 28, n / 30, min(1, n / 25), (0.5, 0.7)) for n in range(1, 29)), ("a", "b")
            ),
            MatrixSection("Matrix", ("one", "two", "three"), ((None, 0.5, 0.2), (0.5, None, 0.9), (0.2, 0.9, None))),
            CurveSection("Curve", (CurvePoint(0.1, 0.2, 9), CurvePoint(0.9, 0.8, 90)), "said", "true"),
        ),
    )
    write_html(page, tmp_path / "page.html")
    tab = watched.page
    tab.goto((tmp_path / "page.html").as_uri())
    assert tab.locator("svg[role=img]").count() == 3
    tab.set_viewport_size(PHONE)
    assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    picture_of(tab, "figures")
