"""What a corpus costs: papers a second, CPU, memory of the driver and its workers, the ledger, the report; and how it grows.

    python -m benchmarks.scale --sizes 100,1000 --engines local:1,local:2,ray:1,ray:2 [--questions FILE] [--set KEY=VALUE]

Papers are synthetic (benchmarks/synthetic.py). `local:2` is two papers at once on this machine; `ray:2` a Ray cluster of two
nodes on this machine, a core each (extra `ray`). Each run is the command itself, in a process of its own, into a fresh folder.
On a machine that others use too, look at the CPU seconds a paper; the seconds are what the clock said. Linux only: it looks
into /proc. At the end it says what more workers gave, what more papers took, and what that would mean for millions.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.growth import Measured, Sample, between_runs, planned, ratios
from benchmarks.nodes import nodes
from benchmarks.opening import seconds_to_open
from benchmarks.processes import Tally
from benchmarks.synthetic import fill
from methodlens.papers import find

_PROGRESS = re.compile(r"(\d+)/\d+ papers read")


def measure(engine: str, folder: Path, papers: int, more: list[str], log: Path | None = None) -> Measured:
    kind, _, many = engine.partition(":")
    with tempfile.TemporaryDirectory(prefix="methodlens-scale-") as temporary, _cluster(kind, int(many or 1)) as cluster:
        out = Path(temporary)
        where = ["--engine", "ray", "--address", cluster.address] if cluster.address else ["--workers", many or "1"]
        command = [sys.executable, "-m", "methodlens.cli.app", "run", str(folder), "--out", str(out), *where, *more]
        started = time.monotonic()
        environ = os.environ | dict(cluster.environ)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environ)
        tally = Tally(process.pid, cluster.pids)
        tally.start()
        watcher = _Watcher(process, tally, log)
        watcher.start()
        code = process.wait()
        ended = time.monotonic()
        watcher.join()
        tally.stop()
        read = watcher.samples[-1].papers if watcher.samples else 0
        if code not in (0, 1) or read != papers:  # Python's own exit code for a crash is 1 too: what counts is what was read
            sys.exit(f"{' '.join(command)}: exit {code} after {read} of {papers} papers: {watcher.last}")
        return Measured(
            engine,
            papers,
            seconds=watcher.done_at - started,
            report_s=ended - watcher.done_at,
            open_s=seconds_to_open(out / "report.html"),
            samples=watcher.samples,
            peak_kb=tally.driver_peak_kb,
            most_workers_kb=watcher.most_workers_kb,
            ledger_mb=sum(path.stat().st_size for path in out.glob("ledger.sqlite*")) / 1e6,
            html_mb=sum(path.stat().st_size for path in out.glob("*.html")) / 1e6,
        )


class _Watcher(threading.Thread):
    """Reads the progress lines of a run and looks at what it takes at each. After the last of them comes the report."""

    def __init__(self, process: "subprocess.Popen[str]", tally: Tally, log: Path | None) -> None:
        super().__init__()
        self._process, self._tally, self._log = process, tally, log
        self.samples: list[Sample] = []
        self.done_at = time.monotonic()
        self.most_workers_kb = 0
        self.last = ""

    def run(self) -> None:
        tally = self._tally
        for line in self._process.stderr or ():
            self.last = line.strip()
            if found := _PROGRESS.search(line):
                self.done_at = time.monotonic()
                tally.look()
                self.most_workers_kb = tally.most_workers_kb
                now = Sample(int(found[1]), tally.driver_kb, tally.workers_kb, round(tally.cpu_s, 2), tally.driver_cpu_s)
                self.samples.append(now)
                if self._log:
                    with self._log.open("a") as file:
                        print(round(self.done_at, 1), *now, sep=",", file=file)


class _Joined:
    """A cluster and what joins it; nothing for the local engine."""

    address = ""
    environ: Mapping[str, str] = {}
    pids: tuple[int, ...] = ()


@contextmanager
def _cluster(kind: str, many: int) -> Iterator[_Joined]:
    joined = _Joined()
    if kind != "ray":
        yield joined
        return
    # Ray's workers give way to everybody else by default, which on a shared machine measures the others
    with nodes(many, RAY_worker_niceness="0") as running:
        joined.address, joined.environ, joined.pids = running.address, running.environ, (running.pid,)
        yield joined


def table(found: list[Measured]) -> Table:
    heads = ("engine", "papers", "papers/s", "CPU s/paper", "driver's", "driver MB", "peak MB", "workers MB", "B/paper")
    shown = Table(*heads, "ledger kB/paper", "report s", "report MB", "opens in s", title="What a corpus costs")
    for one in found:
        grown = one.grown
        shown.add_row(
            one.engine,
            f"{one.papers:,}",
            f"{one.papers / one.seconds:.2f}",
            f"{one.last.cpu_s / one.papers:.3f}",
            f"{one.last.driver_cpu_s / one.papers:.4f}",
            f"{one.last.driver_kb / 1024:.0f}",
            f"{one.peak_kb / 1024:.0f}",
            f"{one.most_workers_kb / 1024:.0f}",
            f"{grown:,.0f}" if grown is not None else "-",
            f"{one.ledger_mb * 1000 / one.papers:.0f}",
            f"{one.report_s:.1f}",
            f"{one.html_mb:.1f}",
            f"{one.open_s:.1f}" if one.open_s is not None else "-",
        )
    return shown


def _corpora(options: argparse.Namespace, temporary: Path) -> Iterator[tuple[Path, int]]:
    if options.folder:
        yield options.folder, len(find([options.folder]))
        return
    for size in map(int, options.sizes.split(",")):
        folder = (options.papers or temporary) / str(size)
        fill(folder, size)
        yield folder, size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,1000", help="papers, e.g. 100,1000,10000")
    parser.add_argument("--engines", default="local:1,local:2")
    parser.add_argument("--folder", type=Path, help="papers of your own in place of synthetic ones")
    parser.add_argument("--papers", type=Path, help="where to make them [default: a temporary folder]")
    parser.add_argument(
        "--samples", type=Path, help="each look as a line: seconds, papers, driver kB, workers kB, CPU s, the driver's CPU s"
    )
    parser.add_argument("--questions", default="dl-methods")
    parser.add_argument(
        "--no-pages", action="store_true", help="reports without pictures of pages, which take most of their time"
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    no_pages = ["--no-pages"] if options.no_pages else []
    more = ["--questions", options.questions, *no_pages, *(word for change in options.set for word in ("--set", change))]
    found: list[Measured] = []
    screen = Console(width=170)
    with tempfile.TemporaryDirectory(prefix="methodlens-papers-") as temporary:
        for folder, size in _corpora(options, Path(temporary)):
            for engine in options.engines.split(","):
                found.append(measure(engine, folder, size, more, options.samples))
                screen.print(table(found[-1:]))
    screen.print(table(found))
    for line in (*ratios(found), *between_runs(found), *planned(found)):
        print(line)


if __name__ == "__main__":
    main()
