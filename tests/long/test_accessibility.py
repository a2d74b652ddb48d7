"""axe-core finds no serious problem on any page of the room and of the report, light and dark, wide and on a phone."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import EXAMPLES
from tests.long.conftest import DESK, PHONE
from tests.long.test_room import name
from tests.web.conftest import Visitor, open_room

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.long
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script, installed by npm into a temporary folder."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core@4"]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("npm cannot install axe-core here")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples") / "out"
    run = [sys.executable, "-m", "methodlens", "run", str(EXAMPLES / "papers"), "--out", str(folder)]
    subprocess.run(run, check=True, capture_output=True)
    return folder


@pytest.fixture
def page(browser: "Browser") -> "Iterator[Page]":
    context = browser.new_context(bypass_csp=True)  # axe is a script that the pages do not know
    yield context.new_page()
    context.close()


def problems(page: "Page", axe: str) -> list[str]:
    found = []
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.wait_for_timeout(200)
            page.evaluate(axe)
            result: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            for violation in result["violations"]:
                if violation["impact"] in SERIOUS:
                    places = [node["target"][0] for node in violation["nodes"]]
                    found.append(f"{size['width']} {scheme}: {violation['id']}: {len(places)} such as {places[0]}")
    return found


def test_no_page_of_the_room_has_a_serious_problem(out: Path, page: "Page", axe: str) -> None:
    with open_room(out) as url:
        ann, bob = Visitor(url, "ann"), Visitor(url, "bob")
        sha256 = ann.get("/api/matrix")["papers"][0]["sha256"]
        ann.annotate((sha256, "CQ20"), "reported", note="on four of them", tags=["hardware"])
        bob.annotate((sha256, "CQ20"), "not_reported")
        page.goto(url)
        name(page, "eve")
        base = page.url.rstrip("/")
        addresses = {
            "matrix": "/",
            "table": "/table",
            "cell": f"/cells/{sha256}/CQ21",
            "adjudicate": f"/cells/{sha256}/CQ20?queue=adjudicate",
            "progress": "/agreement",
            "add": "/add",
            "api": "/api",
            "nothing": "/review?queue=disagreements",
        }
        for where, address in addresses.items():
            page.goto(base + address)
            page.wait_for_timeout(300)
            if where == "cell":
                page.keyboard.press("c")
            assert problems(page, axe) == [], where
        page.goto(base + "/")
        page.wait_for_selector("#matrix tbody td")
        page.keyboard.press("?")
        assert problems(page, axe) == [], "keys"
        page.goto("about:blank")


def test_no_page_of_the_report_has_a_serious_problem(out: Path, page: "Page", axe: str) -> None:
    report = (out / "report.html").as_uri()
    page.goto(report)
    key = page.evaluate("JSON.parse(document.getElementById('overview').textContent).papers[0].key")
    pages = page.evaluate("[...document.querySelectorAll('.top nav a')].map((link) => link.getAttribute('href'))")
    for address in (*pages, f"#/paper/{key}", f"#/paper/{key}/CQ20", "#/question/CQ20"):
        page.goto(report + address)
        page.wait_for_timeout(300)
        assert problems(page, axe) == [], address
