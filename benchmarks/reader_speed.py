"""Speed and memory of the embedded reader: paper by paper, as `run` does with one worker.

It imports only what a run imports: scikit-learn and the rest of what the training uses would double the memory measured.
"""

import resource
import time
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from methodlens import retrieval
from methodlens.papers import WorkerPool, find, split
from methodlens.questions import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.records import PaperStatus
from methodlens.retrieval import limit
from methodlens.settings import Settings

PUBLISHED = (43.0, 1149.0)
"""Seconds for one paper and 28 questions, by the fastest and the slowest of the published pipeline's five models."""


def show_speed(folder: Path) -> None:
    """The papers of folder/pdfs, read in one child without OCR and answered in this process."""
    settings, reader, asked = Settings(), EmbeddedReader(), load("dl-methods").questions
    retriever = retrieval.create(settings.retrieval, {})
    before = _cpu(resource.getrusage(resource.RUSAGE_SELF))  # what it took to import and load everything
    reading: list[float] = []
    answering: list[float] = []
    with WorkerPool(1, settings.papers, replace(settings.reading, ocr="off")) as pool:
        for file in find([folder / "pdfs"]):
            started = time.perf_counter()
            paper = pool.parse(file.path)
            if paper.status is not PaperStatus.OK:
                continue
            index = retriever.index(split(paper, size=settings.retrieval.passage_chars))
            read = time.perf_counter()
            for question in asked:
                hits, shown = limit(
                    index.rank(question),
                    shown_chars=settings.retrieval.shown_chars,
                    kept_chars=settings.retrieval.kept_chars,
                )
                reader.read(question, paper, hits[:shown])
            reading.append(read - started)
            answering.append(time.perf_counter() - read)
    whole = [sum(pair) for pair in zip(reading, answering, strict=True)]
    table = Table("one paper, 28 questions", "mean s", "slowest s", title=f"{len(whole)} papers")
    table.add_row("read and index", f"{sum(reading) / len(reading):.2f}", f"{max(reading):.2f}")
    table.add_row("28 answers", f"{sum(answering) / len(answering):.2f}", f"{max(answering):.2f}")
    mean = sum(whole) / len(whole)
    table.add_row("both", f"{mean:.2f}", f"{max(whole):.2f}")
    table.add_row("published: fastest, slowest model", f"{PUBLISHED[0]:.0f}", f"{PUBLISHED[1]:.0f}")
    table.add_row("ratio to the fastest, to the slowest", f"{PUBLISHED[0] / mean:.0f}x", f"{PUBLISHED[1] / mean:.0f}x")
    own, child = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = [(_cpu(own) - before) / len(whole), _cpu(child) / len(whole)]
    table.add_row("CPU seconds, whatever else the machine does", f"{sum(cpu):.2f}", "")
    table.add_row("of which this process, its child", f"{cpu[0]:.2f}", f"{cpu[1]:.2f}")
    table.add_row("peak memory, MB: this process, its child", f"{own.ru_maxrss / 1024:.0f}", f"{child.ru_maxrss / 1024:.0f}")
    Console(width=100).print(table)


def _cpu(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime
