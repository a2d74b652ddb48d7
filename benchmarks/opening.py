"""How long a report takes to open, in Debian's chromium without a window, driven by playwright."""

import shutil
import time
from pathlib import Path

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
_LONGEST_MS = 300_000


def seconds_to_open(report: Path) -> float | None:
    """From the address to the first row of the matrix on the screen; None where there is no browser or no report."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return None
    if _CHROMIUM is None or not report.is_file():
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto("about:blank")
            started = time.perf_counter()
            page.goto(report.absolute().as_uri(), timeout=_LONGEST_MS)
            page.locator("#rows tr").first.wait_for(timeout=_LONGEST_MS)
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            return time.perf_counter() - started
        except Error:
            return None
        finally:
            browser.close()
