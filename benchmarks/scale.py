"""What a corpus costs: papers a second, memory of the driver and its workers, the ledger, the report; and how it grows.

    python -m benchmarks.scale --sizes 100,1000 --engines local:1,local:2,ray:1,ray:2 [--questions FILE] [--set KEY=VALUE]

Papers are synthetic (benchmarks/synthetic.py). `local:2` is two papers at once on this machine; `ray:2` a Ray cluster of two
nodes on this machine, a core each (extra `ray`). Each run is the command itself, in a process of its own, into a fresh folder.
On a machine that others use too, look at the CPU seconds a paper; the seconds are what the clock said.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.nodes import nodes
from benchmarks.synthetic import fill

_PROGRESS = re.compile(r"(\d+)/\d+ papers read")
_WARM = 1000  # papers until caches and arenas have their size


class Sample(NamedTuple):
    papers: int
    driver_kb: int
    workers_kb: int


class Measured(NamedTuple):
    engine: str
    papers: int
    seconds: float
    report_s: float
    cpu_s: float
    """Of the driver and its children; Ray's workers are not among them."""
    samples: list[Sample]
    peak_kb: int
    ledger_mb: float
    html_mb: float

    @property
    def slope(self) -> tuple[float, int] | None:
        """Bytes that the driver grows by a paper (least squares), and from which paper on it was fitted."""
        start = _WARM if self.papers >= 2 * _WARM else self.papers // 2
        points = [(one.papers, one.driver_kb * 1024) for one in self.samples if one.papers >= start]
        if len({papers for papers, _ in points}) < 3:
            return None
        mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
        spread = sum((x - mean_x) ** 2 for x, _ in points)
        return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread, start


def measure(engine: str, folder: Path, papers: int, more: list[str], log: Path | None = None) -> Measured:
    kind, _, many = engine.partition(":")
    with tempfile.TemporaryDirectory(prefix="methodlens-scale-") as temporary, _cluster(kind, int(many or 1)) as (address, token):
        out = Path(temporary)
        where = ["--engine", "ray", "--address", address] if address else ["--workers", many or "1"]
        command = [sys.executable, "-m", "methodlens.cli.app", "run", str(folder), "--out", str(out), *where, *more]
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=os.environ | token)
        watcher = _Watcher(process, log)
        watcher.start()
        code = process.wait()
        ended = time.monotonic()
        watcher.join()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        read = watcher.samples[-1].papers if watcher.samples else 0
        if code not in (0, 1) or read != papers:  # Python's own exit code for a crash is 1 too: what counts is what was read
            sys.exit(f"{' '.join(command)}: exit {code} after {read} of {papers} papers: {watcher.last}")
        return Measured(
            engine,
            papers,
            seconds=watcher.done_at - started,
            report_s=ended - watcher.done_at,
            cpu_s=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            samples=watcher.samples,
            peak_kb=watcher.peak_kb,
            ledger_mb=sum(path.stat().st_size for path in out.glob("ledger.sqlite*")) / 1e6,
            html_mb=sum(path.stat().st_size for path in out.glob("*.html")) / 1e6,
        )


class _Watcher(threading.Thread):
    """Reads the progress lines of a run and looks at its memory at each."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path | None) -> None:
        super().__init__()
        self._process = process
        self._log = log
        self.samples: list[Sample] = []
        self.done_at = time.monotonic()
        self.peak_kb = 0
        self.last = ""

    def run(self) -> None:
        threading.Thread(target=self._look_at_peak, daemon=True).start()
        for line in self._process.stderr or ():
            self.last = line.strip()
            if found := _PROGRESS.search(line):
                self.done_at = time.monotonic()
                pid = self._process.pid
                workers = sum(_kb(child, "VmRSS") for child in _children(pid))
                self.samples.append(Sample(int(found[1]), _kb(pid, "VmRSS"), workers))
                if self._log:
                    with self._log.open("a") as file:
                        print(round(self.done_at, 1), *self.samples[-1], sep=",", file=file)

    def _look_at_peak(self) -> None:
        while self._process.poll() is None:
            self.peak_kb = max(self.peak_kb, _kb(self._process.pid, "VmHWM"))
            time.sleep(0.2)


def _kb(pid: int, what: str) -> int:
    try:
        found = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) if found else 0


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return []


@contextmanager
def _cluster(kind: str, many: int) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The address of a cluster of so many nodes, and what joins it; nothing for the local engine."""
    if kind != "ray":
        yield "", {}
        return
    with nodes(many) as running:
        yield running.address, running.environ


def table(found: list[Measured]) -> Table:
    heads = ("engine", "papers", "papers/s", "CPU s/paper", "driver MB", "peak MB", "workers MB", "B/paper", "ledger kB/paper")
    shown = Table(*heads, "report s", "report MB", title="What a corpus costs")
    for one in found:
        last = one.samples[-1] if one.samples else Sample(0, 0, 0)
        slope = one.slope
        shown.add_row(
            one.engine,
            f"{one.papers:,}",
            f"{one.papers / one.seconds:.2f}",
            "-" if one.engine.startswith("ray") else f"{one.cpu_s / one.papers:.3f}",
            f"{last.driver_kb / 1024:.0f}",
            f"{one.peak_kb / 1024:.0f}",
            "-" if one.engine.startswith("ray") else f"{max((s.workers_kb for s in one.samples), default=0) / 1024:.0f}",
            f"{slope[0]:,.0f} (from {slope[1]:,})" if slope else "-",
            f"{one.ledger_mb * 1000 / one.papers:.0f}",
            f"{one.report_s:.1f}",
            f"{one.html_mb:.1f}",
        )
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,1000", help="papers, e.g. 100,1000,10000")
    parser.add_argument("--engines", default="local:1,local:2")
    parser.add_argument("--papers", type=Path, help="where to make them [default: a temporary folder]")
    parser.add_argument("--samples", type=Path, help="each look at the memory as a line: seconds, papers, driver kB, workers kB")
    parser.add_argument("--questions", default="dl-methods")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    more = ["--questions", options.questions, *(word for change in options.set for word in ("--set", change))]
    found: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="methodlens-papers-") as temporary:
        for size in map(int, options.sizes.split(",")):
            folder = (options.papers or Path(temporary)) / str(size)
            fill(folder, size)
            for engine in options.engines.split(","):
                found.append(measure(engine, folder, size, more, options.samples))
                Console(width=150).print(table(found[-1:]))
    Console(width=150).print(table(found))


if __name__ == "__main__":
    main()
