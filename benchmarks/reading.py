"""How fast papers are read and answered, against pdfminer.six doing the reading, in one run and on one core.

    python benchmarks/reading.py FOLDER [--limit N] [--questions dl-methods]

Both sides get every paper, turn about, and from the text on they run the same code: passages, index, one ranking and one
answer of the embedded reader for each question. Only papers that both can read are counted; the others are named. The ratios
are what to look at: the seconds are this machine's. Ours includes what pdfminer's has no need of: the way through a child
process and back, and a box for every word. `text alone` is `methodlens show --raw`: PDFium's text and nothing else.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from methodlens.engine.execute import look_up, select_context
from methodlens.errors import InputError, MethodlensError
from methodlens.papers import PaperFile, WorkerPool, find
from methodlens.questions import load
from methodlens.readers import EMBEDDED, create
from methodlens.records import Page, Paper, PaperStatus, Question
from methodlens.retrieval import create as create_retriever
from methodlens.seams import Parser
from methodlens.settings import PaperLimits, RetrievalSettings, Settings


class PdfminerParser:
    """The peer, as most people call it: `extract_text`, a form feed after each page."""

    fingerprint = "pdfminer.six"

    def __init__(self) -> None:
        try:
            from pdfminer.high_level import extract_text
        except ImportError as err:
            raise InputError("pdfminer.six is not installed", "pip install 'methodlens[bench]'") from err
        self._extract_text = extract_text

    def parse(self, path: Path) -> Paper:
        try:
            text: str = self._extract_text(str(path))
        except Exception as err:  # whatever it raises, the seam promises a status
            return Paper(sha256="", parser=self.fingerprint, status=PaperStatus.MALFORMED, reason=repr(err))
        pages = tuple(Page(number, 0.0, 0.0) for number in range(1, text.count("\f") + 1))
        status = PaperStatus.OK if text.strip() else PaperStatus.NO_TEXT
        return Paper(sha256="", parser=self.fingerprint, status=status, text=text, pages=pages)


class PlainParser:
    """Text alone, through a worker too: the fairer half of the comparison, as pdfminer's text has no boxes either."""

    fingerprint = "text alone"

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    def parse(self, path: Path) -> Paper:
        read = self._pool.text(path)
        return Paper(sha256="", parser=self.fingerprint, status=read.status, reason=read.reason, text=read.text)


class Timing(NamedTuple):
    status: PaperStatus
    pages: int
    characters: int
    read: float
    answer: float


def measure(path: Path, parser: Parser, questions: Sequence[Question]) -> Timing:
    settings = RetrievalSettings()
    reader = create(EMBEDDED, Settings(), {})
    retriever = create_retriever(settings, {})
    started = time.perf_counter()
    paper = parser.parse(path)
    read = time.perf_counter()
    if paper.status is PaperStatus.OK:
        for question, ranking in look_up(paper, questions, retriever, settings):
            hits, shown = select_context(reader.info, ranking, settings)
            reader.read(question, paper, hits[:shown])
    return Timing(paper.status, len(paper.pages), len(paper.text), read - started, time.perf_counter() - read)


class Compared(NamedTuple):
    """The timings of a paper."""

    ours: Timing
    theirs: Timing
    plain: Timing


def compare(files: Sequence[PaperFile], questions: Sequence[Question]) -> tuple[list[Compared], list[str]]:
    """The timings of the papers both sides could read, and a line for each of the others."""
    compared: list[Compared] = []
    skipped: list[str] = []
    theirs = PdfminerParser()
    with WorkerPool(1, PaperLimits()) as ours:
        plain = PlainParser(ours)
        parsers: tuple[Parser, ...] = (ours, plain, theirs)
        for parser in parsers:  # once for nothing: starting a child, importing numpy and filling caches is not reading
            measure(files[0].path, parser, questions)
        for number, file in enumerate(files):
            # Turn about, so that neither always finds the file in the disk cache
            turn = parsers if number % 2 == 0 else parsers[::-1]
            timings = {parser.fingerprint: measure(file.path, parser, () if parser is plain else questions) for parser in turn}
            a, b = timings[ours.fingerprint], timings[theirs.fingerprint]
            if a.status is b.status is PaperStatus.OK:
                compared.append(Compared(a, b, timings[plain.fingerprint]))
            else:
                skipped.append(f"{file.name}: methodlens {a.status.value}, pdfminer.six {b.status.value}")
    return compared, skipped


def report(compared: Sequence[Compared], *, questions: int) -> Table:
    ours, theirs, plain = zip(*compared, strict=True)
    pages = sum(timing.pages for timing in ours)  # one count for both: form feeds in the text mislead pdfminer's
    table = Table(title=f"{len(compared)} papers, {pages} pages, {questions} questions, one core")
    for column in ("", "methodlens", "pdfminer.six", "ratio"):
        table.add_column(column, justify="right" if column else "left")

    def line(name: str, mine: float, other: float, *, digits: int, ratio: float) -> None:
        table.add_row(name, f"{mine:,.{digits}f}", f"{other:,.{digits}f}", f"{ratio:.1f}x")

    read = [sum(timing.read for timing in side) for side in (ours, theirs)]
    answer = [sum(timing.answer for timing in side) for side in (ours, theirs)]
    size = [sum(timing.characters for timing in side) for side in (ours, theirs)]
    whole = [a + b for a, b in zip(read, answer, strict=True)]
    alone = sum(timing.read for timing in plain)
    n = len(compared)
    line("pages read a second", pages / read[0], pages / read[1], digits=1, ratio=read[1] / read[0])
    line("pages a second, text alone", pages / alone, pages / read[1], digits=1, ratio=read[1] / alone)
    line("seconds a paper, reading", read[0] / n, read[1] / n, digits=3, ratio=read[1] / read[0])
    line(f"seconds a paper, {questions} answers", answer[0] / n, answer[1] / n, digits=3, ratio=answer[1] / answer[0])
    line("seconds a paper, both", whole[0] / n, whole[1] / n, digits=3, ratio=whole[1] / whole[0])
    line("characters a page", size[0] / pages, size[1] / pages, digits=0, ratio=size[1] / size[0])
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=0, help="only the first N papers")
    parser.add_argument("--questions", default="dl-methods")
    args = parser.parse_args()
    console = Console()
    try:
        files = find([args.folder])[: args.limit or None]
        questions = load(args.questions).questions
        compared, skipped = compare(files, questions)
    except MethodlensError as err:
        console.print(str(err), markup=False)
        return 2
    for line in skipped:
        console.print(f"left out: {line}", markup=False)
    if not compared:
        console.print("no paper that both can read")
        return 1
    console.print(report(compared, questions=len(questions)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
