"""What a corpus costs: papers per second, CPU, memory of the driver and its workers, ledger and report, and their growth.

    python -m benchmarks.scale --sizes 100,1000 --engines local:1,local:2,ray:1,ray:2 [--questions FILE] [--set KEY=VALUE]

Papers are synthetic (benchmarks/synthetic.py). `local:2` has two workers on this machine; `ray:2` is a Ray cluster of two
nodes on this machine with one core each (extra `ray`). Each run is the command in a separate process and a new folder. On a
shared machine, compare CPU seconds per paper, not wall-clock times. Linux only: it reads /proc. It ends with the effect of
more workers, the growth with more papers, and a projection for millions.
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

from benchmarks.growth import Measured, Sample, between_runs, projected, ratios
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
        if code not in (0, 1) or read != papers:  # a crash of Python exits with 1 too, so the papers are counted
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
    """Reads the progress lines of a run and takes a sample at each. The report is written after the last of them."""

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
            if progress := _PROGRESS.search(line):
                self.done_at = time.monotonic()
                tally.sample()
                self.most_workers_kb = tally.most_workers_kb
                now = Sample(int(progress[1]), tally.driver_kb, tally.workers_kb, round(tally.cpu_s, 2), tally.driver_cpu_s)
                self.samples.append(now)
                if self._log:
                    with self._log.open("a") as file:
                        print(round(self.done_at, 1), *now, sep=",", file=file)


class _Joined:
    """A cluster and how to join it; empty for the local engine."""

    address = ""
    environ: Mapping[str, str] = {}
    pids: tuple[int, ...] = ()


@contextmanager
def _cluster(kind: str, many: int) -> Iterator[_Joined]:
    joined = _Joined()
    if kind != "ray":
        yield joined
        return
    # by default, Ray's workers have a low priority, so other processes would be measured on a shared machine
    with nodes(many, RAY_worker_niceness="0") as running:
        joined.address, joined.environ, joined.pids = running.address, running.environ, (running.pid,)
        yield joined


def table(runs: list[Measured]) -> Table:
    heads = ("engine", "papers", "papers/s", "CPU s/paper", "driver's", "driver MB", "peak MB", "workers MB", "B/paper")
    shown = Table(*heads, "ledger kB/paper", "report s", "report MB", "opens in s", title="What a corpus costs")
    for run in runs:
        growth = run.growth
        shown.add_row(
            run.engine,
            f"{run.papers:,}",
            f"{run.papers / run.seconds:.2f}",
            f"{run.last.cpu_s / run.papers:.3f}",
            f"{run.last.driver_cpu_s / run.papers:.4f}",
            f"{run.last.driver_kb / 1024:.0f}",
            f"{run.peak_kb / 1024:.0f}",
            f"{run.most_workers_kb / 1024:.0f}",
            f"{growth:,.0f}" if growth is not None else "-",
            f"{run.ledger_mb * 1000 / run.papers:.0f}",
            f"{run.report_s:.1f}",
            f"{run.html_mb:.1f}",
            f"{run.open_s:.1f}" if run.open_s is not None else "-",
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
    parser.add_argument("--folder", type=Path, help="use the papers in this folder instead of synthetic ones")
    parser.add_argument("--papers", type=Path, help="where to write them [default: a temporary folder]")
    parser.add_argument(
        "--samples",
        type=Path,
        help="file for the samples, lines of seconds, papers, driver kB, workers kB, CPU s, driver CPU s",
    )
    parser.add_argument("--questions", default="dl-methods")
    parser.add_argument("--no-pages", action="store_true", help="reports without page images, which take most of the time")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    no_pages = ["--no-pages"] if options.no_pages else []
    more = ["--questions", options.questions, *no_pages, *(word for change in options.set for word in ("--set", change))]
    runs: list[Measured] = []
    screen = Console(width=170)
    with tempfile.TemporaryDirectory(prefix="methodlens-papers-") as temporary:
        for folder, size in _corpora(options, Path(temporary)):
            for engine in options.engines.split(","):
                runs.append(measure(engine, folder, size, more, options.samples))
                screen.print(table(runs[-1:]))
    screen.print(table(runs))
    for line in (*ratios(runs), *between_runs(runs), *projected(runs)):
        print(line)


if __name__ == "__main__":
    main()
