"""Hostile input in bulk: mutated PDFs, folders of oddities, and replies of servers. Needs the development tools.

    python -m benchmarks.fuzz [--pdfs 3000] [--folders 2000] [--replies 1000] [--seed 1]

Each input must end in a status, a cell or a message. The table counts exceptions that nothing handles (a user would see a
traceback), papers that are missing in the export, and inputs without a reason. Whatever takes over two minutes is a hang: it
ends the program with the stack. The exit code is 1 if anything was found.
"""

import argparse
import faulthandler
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from msgspec import Struct, field
from rich.console import Console
from rich.table import Table

from benchmarks.hostile_folders import REFERENCES, fill_with_oddities
from benchmarks.hostile_replies import hostile_reply
from methodlens.engine.execute import ask
from methodlens.errors import MethodlensError, ReaderError
from methodlens.ledger import run_rows
from methodlens.lens import Lens
from methodlens.papers import WorkerPool
from methodlens.records import PaperStatus
from methodlens.reports.formats.csv_tables import Csv, CsvTable
from methodlens.reports.formats.jsonl import JsonLines
from methodlens.reports.html import run_report
from methodlens.settings import PaperLimits, ReadingSettings, Settings
from tests.long.test_fuzz import base_pdfs, mutants, read_all
from tests.loopback import chat_server
from tests.readers.chat_setup import HITS, PAPER, QUESTION, reader_at

HANG_S = 120
LIMITS = PaperLimits(timeout_s=30, memory_mb=1024)
CAUGHT = "parsing failed"
"""How the reason begins if code of ours raised in the PDF worker."""


class Findings(Struct):
    """What came of one kind of input."""

    kind: str
    inputs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0


@contextmanager
def watched(findings: Findings, name: str) -> Iterator[None]:
    """Counts an input; an exception becomes a problem, and a hang ends the program with the stack."""
    findings.inputs += 1
    faulthandler.dump_traceback_later(HANG_S, exit=True)
    try:
        yield
    except Exception as err:
        findings.problems.append(f"{name}: {type(err).__name__}: {str(err)[:200]}")
    finally:
        faulthandler.cancel_dump_traceback_later()


def fuzz_pdfs(count: int, seed: int, pool: WorkerPool) -> Findings:
    findings = Findings("mutated PDFs")
    with tempfile.TemporaryDirectory() as folder:
        for number, paper in read_all(pool, Path(folder), islice(mutants(base_pdfs(), seed), count)):
            with watched(findings, f"mutant {number} of seed {seed}"):
                findings.outcomes[paper.status.value] += 1
                if CAUGHT in paper.reason or not (paper.reason or paper.status is PaperStatus.OK):
                    findings.problems.append(f"mutant {number} of seed {seed}: {paper.status.value}: {paper.reason}")
    return findings


class _SharedPool(Lens):
    """A lens whose folders are all parsed by the same workers: starting them takes longer than parsing a folder."""

    pool: WorkerPool

    def open_pool(self, size: int = 1) -> WorkerPool:
        return _Kept(self.pool)  # type: ignore[return-value]


class _Kept:
    """A pool that stays open when a `with` block ends."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    def __getattr__(self, name: str) -> object:
        return getattr(self._pool, name)

    def __enter__(self) -> WorkerPool:
        return self._pool

    def __exit__(self, *_: object) -> None:
        pass


def fuzz_folders(count: int, seed: int, pool: WorkerPool) -> Findings:
    """Each folder is run, exported and reported; every regular file that is named .pdf must be in the export."""
    findings = Findings("folders of oddities")
    for number in range(count):
        rng, name = random.Random(f"{seed} {number}"), f"folder {number} of seed {seed}"
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, watched(findings, name):
            papers = Path(folder, "papers")
            papers.mkdir()
            expected = fill_with_oddities(papers, rng)
            try:
                statuses = _run(papers, Path(folder, "out"), pool)
            except MethodlensError as err:  # a message with the fix: right if there is no paper, or a broken list of references
                broken_list = any(file in str(err) for file in REFERENCES)
                findings.outcomes["refused for a broken list of references" if broken_list else "refused without a paper"] += 1
                if expected.readable and not broken_list:
                    findings.problems.append(f"{name}: {expected.readable} good papers, but: {err}")
                continue
            findings.outcomes.update(statuses)
            found = (statuses.total(), statuses["ok"])
            if found[0] != expected.files or found[1] < expected.readable:
                findings.problems.append(f"{name}: {found} of {expected.files, expected.readable} papers")
    return findings


def _run(papers: Path, out: Path, pool: WorkerPool) -> Counter[str]:
    """The status of each paper in the export of a run."""
    settings = Settings(out=str(out), workers=1, papers=LIMITS, reading=ReadingSettings(ocr="off"))
    with _SharedPool(questions=["Which GPUs were used for training?"], settings=settings) as lens:
        lens.pool = pool
        review = lens.run(papers, progress=False)
        with lens.open_ledger() as ledger:
            run_report.write(ledger, review.run, out / "report.html", options=run_report.ReportOptions(None, 1))
            for kind, name in ((JsonLines(), "cells.jsonl"), (Csv(CsvTable.ANSWERS), "cells.csv")):
                kind.write(run_rows.rows(ledger, review.run), out / name)
        rows = [json.loads(line) for line in (out / "cells.jsonl").read_bytes().splitlines()]
        return Counter({row["paper"]: row["paper_status"] for row in rows}.values())


def fuzz_replies(count: int, seed: int, _pool: WorkerPool) -> Findings:
    findings = Findings("hostile replies")
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        script = [hostile_reply(rng) for _ in range(3)]
        with (
            watched(findings, f"reply {number} of seed {seed}"),
            chat_server(*script) as server,
            reader_at(server.url, timeout_s=1.0, attempts=2) as reader,
        ):
            try:
                cell = ask(PAPER, QUESTION, reader, tuple(HITS), shown=len(HITS))
            except ReaderError:
                findings.outcomes["run stopped with a message"] += 1
                continue
            findings.outcomes[cell.verdict.status.value] += 1
            json.dumps(cell.answer.text).encode()
            cell.answer.text.encode()
    return findings


KINDS: dict[str, Callable[[int, int, WorkerPool], Findings]] = {
    "pdfs": fuzz_pdfs,
    "folders": fuzz_folders,
    "replies": fuzz_replies,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for kind, count in (("pdfs", 3000), ("folders", 2000), ("replies", 1000)):
        parser.add_argument(f"--{kind}", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    console, every = Console(), []
    with WorkerPool(2, LIMITS, ReadingSettings(ocr="off")) as pool:
        for kind, fuzz in KINDS.items():
            started = time.monotonic()
            findings = fuzz(getattr(arguments, kind), arguments.seed, pool)
            findings.seconds = time.monotonic() - started
            every.append(findings)
            for problem in findings.problems[:20]:
                console.print(problem, markup=False, highlight=False)
    table = Table("input", "count", "outcomes", "problems", "seconds")
    for findings in every:
        outcomes = ", ".join(f"{count:,} {name}" for name, count in findings.outcomes.most_common())
        table.add_row(findings.kind, f"{findings.inputs:,}", outcomes, str(len(findings.problems)), f"{findings.seconds:,.0f}")
    console.print(table)
    return int(any(findings.problems for findings in every))


if __name__ == "__main__":
    sys.exit(main())
