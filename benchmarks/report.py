"""Time, memory and size of the report, and how fast a browser shows it: python benchmarks/report.py [PAPERS ...]

Fills a temporary ledger with synthetic papers, 28 questions each, with quotes, facts and passages of realistic length. A
separate process writes the report as `methodlens report --no-pages` does; its peak memory is printed. With playwright and
chromium, each part is opened from disk; the times until the HTML is parsed and until the matrix is visible are those of the
slowest part. With --pages FOLDER, it also draws pages of the PDFs in a folder.
"""

import argparse
import hashlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from methodlens.ledger import run_rows
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import WorkerPool, find
from methodlens.questions import load
from methodlens.records import Answer, Cell, Evidence, Hit, Match, Paper, PaperEntry, Passage, Place, Question, Status, Verdict
from methodlens.reports.html import run_report as report
from methodlens.reports.html.page_images import draw_pages
from methodlens.reports.html.report_split import part_path
from methodlens.settings_sources import load as load_settings

_WORDS = (
    "the model was trained on images of moths with two cards for six hours and a batch size of thirty two in each run".split()
)
_READERS = ("embedded",)


class Measured(Struct):
    """Figures of the process that wrote the report."""

    seconds: float
    megabytes: float
    size: int
    files: list[str]


class Opened(NamedTuple):
    """Seconds until the HTML is parsed and until the matrix is visible, and the size of the script's heap in MB."""

    parsed: float
    visible: float
    heap: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("papers", nargs="*", type=int, default=[10, 100, 500])
    arguments.add_argument("--pages", type=Path, metavar="FOLDER")
    arguments.add_argument("--write", type=Path, help=argparse.SUPPRESS)  # used by the separate process
    chosen = arguments.parse_args()
    if chosen.write:
        _write(chosen.write)
        return
    heads = ("papers", "cells", "rows read", "report", "memory", "size", "files", "parsed", "visible", "heap")
    print(" ".join(f"{head:>9}" for head in heads))
    for count in chosen.papers:
        _measure(count)
    if chosen.pages:
        _draw(chosen.pages)


def _measure(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill_ledger(folder, count)
        with Ledger.at(folder) as ledger:
            started = time.perf_counter()
            rows = sum(1 for _ in run_rows.rows(ledger, run_rows.latest(ledger)))
            read = time.perf_counter() - started
        done = subprocess.run([sys.executable, __file__, "--write", folder], check=True, capture_output=True)
        measured = msgspec.json.decode(done.stdout, type=Measured)
        opened = [times for file in measured.files if (times := _opened(folder / file))]
    figures = [str(count), str(rows), f"{read:.1f} s", f"{measured.seconds:.1f} s", f"{measured.megabytes:.0f} MB"]
    figures += [f"{measured.size / 1e6:.1f} MB", str(len(measured.files))]
    if opened:
        slowest = Opened(*map(max, zip(*opened, strict=True)))
        figures += [f"{slowest.parsed:.2f} s", f"{slowest.visible:.2f} s", f"{slowest.heap:.0f} MB"]
    print(" ".join(f"{figure:>9}" for figure in figures), flush=True)


def fill_ledger(folder: Path, count: int) -> None:
    questions = load("dl-methods").questions
    dice = random.Random(0)
    with Ledger.at(folder, create=True) as ledger:
        run = Run("bench", (), questions, _READERS, count)
        ledger.begin(run, [f"{number}.pdf" for number in range(count)])
        for number in range(count):
            paper = _paper(number, dice)
            entry = PaperEntry(f"{number}.pdf", paper.sha256, title=_text(dice, 60), authors=("A. Author",), year=2024, pages=10)
            ledger.keep_result(run.id, result_of(entry, paper, _cells(paper, questions, dice)))


def _write(folder: Path) -> None:
    started = time.perf_counter()
    with Ledger.at(folder) as ledger:
        path = folder / "report.html"
        done = report.write(ledger, run_rows.latest(ledger), path, options=report.ReportOptions())
    took = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000  # kB on Linux
    files = [part_path(path, number).name for number in range(1, done.parts + 1)]
    sys.stdout.buffer.write(msgspec.json.encode(Measured(took, peak, done.bytes, files)))


def _opened(file: Path) -> Opened | None:
    """Open a file in a new browser; None if there is no browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium or find_spec("playwright") is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"]
        )
        tab = browser.new_page()
        started = time.perf_counter()
        tab.goto(file.as_uri(), wait_until="domcontentloaded")
        parsed = time.perf_counter() - started
        tab.locator("#rows tr[data-place]").first.wait_for()
        visible = time.perf_counter() - started
        heap = tab.evaluate("performance.memory.usedJSHeapSize") / 1e6
        browser.close()
    return Opened(parsed, visible, heap)


def _paper(number: int, dice: random.Random) -> Paper:
    text = _text(dice, 40_000)
    return Paper(sha256=hashlib.sha256(f"{number}{text}".encode()).hexdigest(), parser="bench", text=text)


def _cells(paper: Paper, questions: tuple[Question, ...], dice: random.Random) -> Iterator[Cell]:
    for question in questions:
        status = dice.choices([Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD], [7, 2, 1])[0]
        spans = [dice.randrange(len(paper.text) - 400) for _ in range(20)]
        passages = [Passage(start, start + 400, 1 + start // 4000, "methods", paper.text[start : start + 400]) for start in spans]
        boxes = ((72.0, 90.0, 300.0, 101.0),) * 3
        quotes = [
            Evidence(paper.text[start : start + 180], Match.EXACT, start, start + 180, (Place(1 + start // 4000, boxes),))
            for start in spans[:3]
        ]
        facts = {key: [{"name": f"{key} {dice.randrange(30)}", "count": dice.randrange(4)}] for key in question.facts[:2]}
        answer = Answer(_text(dice, 400), tuple(quotes) if status is Status.REPORTED else (), facts, p_reported=dice.random())
        hits = tuple(Hit(passage, 1.0) for passage in passages)
        key = f"{paper.sha256}{question.id}"
        yield Cell(key, paper.sha256, question.id, "embedded", "bench", Verdict(status), answer, hits, 10, 0.01)


def _text(dice: random.Random, characters: int) -> str:
    text = ""
    while len(text) < characters:
        text += " ".join(dice.sample(_WORDS, 12)) + " "
    return text[:characters]


def _draw(folder: Path) -> None:
    settings = load_settings(None)
    files = find([folder])
    with WorkerPool(settings.worker_count, settings.papers, settings.reading) as pool:
        started = time.perf_counter()
        drawn = (page for file in files for page in draw_pages(file.path, range(1, 9), pool, workers=settings.worker_count))
        sizes = [len(png) for _, png, _ in drawn if png]
        took = time.perf_counter() - started
    if sizes:
        each = f"{1000 * took / len(sizes):.0f} ms and {sum(sizes) / len(sizes) / 1000:.0f} kB each"
        print(f"{len(sizes)} pages drawn in {took:.1f} s, {each}")


if __name__ == "__main__":
    main()
