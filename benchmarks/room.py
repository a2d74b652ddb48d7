"""Measures how fast the review room shows cells: python -m benchmarks.room PAPERS [--out DIR] [--cells N].

Runs the embedded reader on the papers if DIR has no ledger yet, starts the room on loopback and requests cells as a browser
does: the HTML page, the sentences on the paper's page, and its image. Prints the median and the maximum of each request; the
first rendering of an image has its own row, because images are cached after that.
"""

import argparse
import random
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx

from methodlens.ledger.database import FILE
from methodlens.ledger.store import Ledger
from methodlens.questions import load as load_questions
from methodlens.settings_sources import load
from methodlens.web.http.app_state import RoomOptions
from methodlens.web.http.room_server import Address, RunningRoom, serve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", type=Path)
    parser.add_argument("--out", type=Path, default=Path("room-bench"))
    parser.add_argument("--cells", type=int, default=40)
    arguments = parser.parse_args()
    if not (arguments.out / FILE).exists():
        subprocess.run(
            [sys.executable, "-m", "methodlens.cli.app", "run", str(arguments.papers), "--out", str(arguments.out)], check=True
        )
    rooms: list[RunningRoom] = []
    ready = threading.Event()

    def on_ready(room: RunningRoom) -> None:
        rooms.append(room)
        ready.set()

    options = RoomOptions(arguments.out, load_questions("dl-methods"), ("embedded",))
    ledger = Ledger.at(arguments.out)
    server = threading.Thread(target=serve, args=(options, load(None), ledger), kwargs={"address": Address(), "ready": on_ready})
    server.start()
    ready.wait()
    try:
        with httpx.Client(base_url=rooms[0].url.split("/?")[0], follow_redirects=True, timeout=60) as browser:
            browser.get(rooms[0].url)
            measure(browser, arguments.cells)
    finally:
        rooms[0].stop()
        server.join()
        ledger.close()


def measure(browser: httpx.Client, count: int) -> None:
    matrix = browser.get("/api/matrix").json()
    cells = [
        (paper["sha256"], question["id"])
        for paper in matrix["papers"]
        if paper["status"] == "ok"
        for question in matrix["questions"]
    ]
    chosen = random.Random(7).sample(cells, min(count, len(cells)))
    seconds: dict[str, list[float]] = {}

    def timed(label: str, path: str, **query: str) -> None:
        started = time.perf_counter()
        browser.get(path, params=query).raise_for_status()
        seconds.setdefault(label, []).append(time.perf_counter() - started)

    def show(sha256: str, question: str, image: str, queue: str) -> None:
        cell = browser.get(f"/api/cells/{sha256}/{question}").json()
        started = time.perf_counter()
        timed("HTML page of the cell", f"/cells/{sha256}/{question}", queue=queue)
        timed("sentences on the paper's page", f"/api/papers/{sha256}/pages/{cell['page']}")
        timed(image, f"/api/papers/{sha256}/pages/{cell['page']}/picture")
        seconds.setdefault(f"all three, {image}", []).append(time.perf_counter() - started)

    timed("all queues, first request", "/api/queues")
    for image in ("image rendered", "image cached"):
        for sha256, question in chosen:
            show(sha256, question, image, "unseen")
    for _ in range(10):
        timed("page of the matrix", "/api/matrix", page=str(matrix["pages"]))
        timed("all queues, later requests", "/api/queues")
        timed("search over all papers", "/api/matrix", find="no paper has this name")
        timed("state", "/api/state")
    report(seconds, matrix["total"])


def report(seconds: dict[str, list[float]], papers: int) -> None:
    print(f"a run of {papers} papers, in ms:")
    print(f"{'':<45} {'n':>4} {'median':>8} {'maximum':>8}")
    for label, values in seconds.items():
        print(f"{label:<45} {len(values):>4} {statistics.median(values) * 1000:>8.0f} {max(values) * 1000:>8.0f}")


if __name__ == "__main__":
    main()
