"""How long the review room takes to show a cell, on a warm server: python -m benchmarks.room PAPERS [--out DIR] [--cells N].

Runs the embedded reader on the papers if DIR has no ledger yet, opens the room on loopback and asks for cells as a browser
does: the page, what stands on it, its picture. Prints the median and the slowest. The first time a page is drawn
is a row of its own: after that it is kept.
"""

import argparse
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from methodlens.ledger.database import FILE
from methodlens.ledger.ledger import Ledger
from methodlens.questions import load as load_questions
from methodlens.settings import load
from methodlens.web.http.app_state import RoomOptions
from methodlens.web.http.room_server import Address, RunningRoom, serve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", type=Path)
    parser.add_argument("--out", type=Path, default=Path("room-bench"))
    parser.add_argument("--cells", type=int, default=40)
    asked = parser.parse_args()
    if not (asked.out / FILE).exists():
        subprocess.run(
            [sys.executable, "-m", "methodlens.cli.app", "run", str(asked.papers), "--out", str(asked.out)], check=True
        )
    opened: list[RunningRoom] = []
    ready = threading.Event()

    def tell(room: RunningRoom) -> None:
        opened.append(room)
        ready.set()

    opening = RoomOptions(asked.out, load_questions("dl-methods"), ("embedded",))
    ledger = Ledger.at(asked.out)
    server = threading.Thread(target=serve, args=(opening, load(None), ledger), kwargs={"address": Address(), "ready": tell})
    server.start()
    ready.wait()
    try:
        with httpx.Client(base_url=opened[0].url.split("/?")[0], follow_redirects=True, timeout=60) as browser:
            browser.get(opened[0].url)
            measure(browser, asked.cells)
    finally:
        opened[0].stop()
        server.join()
        ledger.close()


def measure(browser: httpx.Client, many: int) -> None:
    seen = browser.get("/api/matrix").json()
    cells = [(paper["sha256"], one["id"]) for paper in seen["papers"] if paper["status"] == "ok" for one in seen["questions"]]
    chosen = random.Random(7).sample(cells, min(many, len(cells)))
    taken: dict[str, list[float]] = {}

    def timed(what: str, path: str, **query: str) -> httpx.Response:
        started = time.perf_counter()
        answer = browser.get(path, params=query)
        answer.raise_for_status()
        taken.setdefault(what, []).append(time.perf_counter() - started)
        return answer

    def show(sha256: str, question: str, drawing: str, queue: str) -> None:
        cell = browser.get(f"/api/cells/{sha256}/{question}").json()
        started = time.perf_counter()
        timed("the cell's page", f"/cells/{sha256}/{question}", queue=queue)
        timed("what stands on the page", f"/api/papers/{sha256}/pages/{cell['page']}")
        timed(drawing, f"/api/papers/{sha256}/pages/{cell['page']}/picture")
        taken.setdefault(f"all three, {drawing}", []).append(time.perf_counter() - started)

    timed("all queues, the first time", "/api/queues")
    for drawing in ("picture drawn the first time", "picture kept"):
        for sha256, question in chosen:
            show(sha256, question, drawing, "unseen")
    for _ in range(10):
        timed("a page of the matrix", "/api/matrix", page=str(seen["pages"]))
        timed("all queues again", "/api/queues")
        timed("a search over all papers", "/api/matrix", find="no paper is called so")
        timed("the state", "/api/state")
    report(taken, seen["total"])


def report(taken: dict[str, list[float]], papers: int, say: Callable[[str], None] = print) -> None:
    say(f"a run of {papers} papers, in ms:")
    say(f"{'':<45} {'n':>4} {'median':>8} {'slowest':>8}")
    for what, seconds in taken.items():
        say(f"{what:<45} {len(seconds):>4} {statistics.median(seconds) * 1000:>8.0f} {max(seconds) * 1000:>8.0f}")


if __name__ == "__main__":
    main()
