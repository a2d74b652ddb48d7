"""Time, peak memory and size of the exports of the knowledge graph and the data frames: python -m benchmarks.graph [PAPERS ...]

Fills a temporary ledger with synthetic papers, 28 questions each, and runs `methodlens export` for each format in a separate
process. Memory is flat if the peak for many papers is about that for few. `--query` also times a ready query.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import fill_ledger

_FORMATS = ("jsonl", "ttl", "nq", "jsonld", "parquet", "ro-crate")


class Measured(NamedTuple):
    seconds: float
    megabytes: float
    size: int


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("papers", nargs="*", type=int, default=[100, 1000])
    arguments.add_argument("--format", action="append", choices=_FORMATS, help="only these")
    arguments.add_argument("--query", metavar="NAME", help="a ready query to time as well")
    chosen = arguments.parse_args()
    print(f"{'papers':>8} {'command':>18} {'time':>9} {'memory':>9} {'size':>10}")
    for papers in chosen.papers:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            fill_ledger(folder, papers)
            for export_format in chosen.format or _FORMATS:
                to = folder / f"export.{export_format}"
                _report(papers, export_format, _measure(["export", "--format", export_format, "--to", str(to)], folder, to))
            if chosen.query:
                _report(papers, chosen.query, _measure(["query", chosen.query], folder))


def _measure(command: Sequence[str], folder: Path, to: Path | None = None) -> Measured:
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "methodlens", *command, "--out", str(folder)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)  # the peak memory of this process alone
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    files = [] if to is None else [to] if to.is_file() else list(to.iterdir())
    return Measured(time.perf_counter() - started, usage.ru_maxrss / 1000, sum(file.stat().st_size for file in files))


def _report(papers: int, command: str, measured: Measured) -> None:
    figures = (f"{measured.seconds:.1f} s", f"{measured.megabytes:.0f} MB", f"{measured.size / 1e6:.1f} MB")
    print(f"{papers:>8} {command:>18} {figures[0]:>9} {figures[1]:>9} {figures[2]:>10}", flush=True)


if __name__ == "__main__":
    main()
