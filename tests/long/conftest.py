"""Shared by the long tests: a real browser (chromium, driven by playwright, with a fresh profile and no network) and a real
PostgreSQL server."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.long.postgres import PASSWORD, Server, server
from tests.reports.conftest import make_row as make_row
from tests.waiting import PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, ViewportSize

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync""".split()
PHONE: "ViewportSize" = {"width": 400, "height": 800}
DESK: "ViewportSize" = {"width": 1280, "height": 900}
_LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]", "::1", ""})


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    if CHROMIUM is None:
        pytest.skip("chromium is not installed; on Debian: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with server() as running:
        yield running


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


class Watched:
    """A page that records its requests, errors, console errors and dialogs."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        page.on("dialog", self._dialog)

    def _dialog(self, dialog: "Dialog") -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    @property
    def outside(self) -> list[str]:
        """Requests to other machines."""
        local = ("file", "data", "blob", "about")
        return [url for url in self.requests if urlsplit(url).scheme not in local and urlsplit(url).hostname not in _LOCAL]


@pytest.fixture
def watched(browser: "Browser") -> Iterator[Watched]:
    """A fresh page, 1280 wide. The test fails if the page contacts another machine, has an error or opens a dialog."""
    context = browser.new_context(viewport=DESK, color_scheme="light", accept_downloads=True)
    context.set_default_timeout(PATIENCE_S * 1000)
    page = Watched(context.new_page())
    yield page
    context.close()
    assert page.outside == []
    assert page.problems == []


def picture_of(page: "Page", name: str) -> None:
    """Writes screenshots into the folder SCREENSHOTS, if set: 1280 and 400 wide, light and dark."""
    folder = os.environ.get("SCREENSHOTS")  # METHODLENS_... would be a setting
    if not folder:
        return
    for size, width in ((DESK, "1280"), (PHONE, "400")):
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png")
    page.set_viewport_size(DESK)
    page.emulate_media(color_scheme="light")
