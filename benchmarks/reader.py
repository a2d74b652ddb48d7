"""Quality and speed of the embedded reader on unseen papers, compared with the published pipeline.

    python -m benchmarks.reader GOLD STUDY/records.jsonl.xz [--speed-only]

Quality is cross-validated: ranking, words, sentence models, weights and the use of words in answers are learned without the
paper (training/verdicts.py). The gazetteers and grammars of facts are written by hand, with some of these papers in view, so the
figure is given twice: the second leaves out names that occur in one gold paper only and is a lower bound. Run it in the
environment of `make verdicts`, for speed on one core (taskset -c 0).
"""

import argparse
import csv
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.facts import matched
from benchmarks.reader_figures import FIGURES, Figure, Judged, f1, fact_atoms
from methodlens import retrieval
from methodlens.papers import WorkerPool, find, split
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.embedded.draft import Draft
from methodlens.readers.embedded.reader import compose
from methodlens.records import Answer, PaperStatus
from methodlens.retrieval import limit
from methodlens.settings import Settings
from training import answer_words, verdict_figures, verdicts, word_use
from training.answer_words import Contexts
from training.cells import GoldCell, questions

PUBLISHED = (43.0, 1149.0)
"""Seconds for one paper and 28 questions, by the fastest and the slowest of the published pipeline's five models."""
_ECOLOGY = ("biodiversity", "ecology", "marine", "plant")
"""How the domains of papers on ecology and biodiversity begin; nearly all that was learned from is about these."""
_NUMBERS_AND_LINKS = frozenset(
    ("learning_rate", "batch_size", "epochs", "momentum", "weight_decay", "dropout", "training_time_h", "code_urls", "data_urls")
)


def show_quality(gold: Path, records: Path) -> None:
    cells, study, papers = verdicts.prepare(gold, records)
    contexts = Contexts(study)
    _, rows, given = verdicts.learn(cells, contexts)
    words_without = answer_words.unseen(contexts)
    word_use_without = word_use.unseen(word_use.examples((row.cell for row in rows), papers, words_without), papers)
    labels = {
        (label["paper"], label["cq"]): label
        for file in gold.glob("*.jsonl")
        for label in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    }
    asked = questions()

    def answer(cell: GoldCell, p: float) -> Answer:
        context, learned = cell.hits[: cell.shown], words_without(cell.paper)[cell.cq]
        draft = Draft(asked[cell.cq], papers[cell.paper], context, cell.own, learned)
        return compose(draft, p, word_use_without(cell.paper))

    judged = [
        Judged(row.cell, labels[row.cell.paper, row.cell.cq], answer(row.cell, p), p) for row, p in zip(rows, given, strict=True)
    ]
    with (gold / "papers.csv").open(encoding="utf-8", newline="") as lines:
        ecology = {row["id"] for row in csv.DictReader(lines) if row["domain"].startswith(_ECOLOGY)}
    show_figures(judged, ecology)
    verdict_figures.show_tables(rows, given)


def show_figures(judged: Sequence[Judged], ecology: Collection[str]) -> None:
    """All papers, then ecology and the other domains by themselves."""
    inside = [one for one in judged if one.cell.paper in ecology]
    outside = [one for one in judged if one.cell.paper not in ecology]
    groups = {"all papers": judged, "ecology": inside, "other domains": outside}
    table = Table("figure", *groups, title="Each paper judged by what was learned without it; 95% intervals over papers")
    for figure in (*FIGURES, _without_rare_names(judged)):
        values = [figure.value(some) for some in groups.values()]
        table.add_row(figure.name, *(f"{value:.3f} ({low:.3f} to {high:.3f})" for value, low, high in values))
    table.add_row("papers", *(f"{len({one.cell.paper for one in some})}" for some in groups.values()))
    Console(width=120).print(table)


def _without_rare_names(judged: Sequence[Judged]) -> Figure:
    named = {(one.cell.paper, atom) for one in judged for found, _ in fact_atoms(one).values() for atom in found}
    papers_with = Counter(atom for _, atom in named)

    def count(one: Judged) -> list[float]:
        total = [0.0, 0.0, 0.0]
        for key, (found, wanted) in fact_atoms(one).items():
            kept = found if key in _NUMBERS_AND_LINKS else {atom for atom in found if papers_with[atom] > 1}
            total = [a + b for a, b in zip(total, (len(matched(kept, wanted)), len(kept), len(wanted)), strict=True)]
        return total

    return Figure("facts_f1, lower bound", count, f1)


def show_speed(folder: Path) -> None:
    """Paper by paper in this process, PDFs in one child, as `run` does with one worker."""
    settings, reader, asked = Settings(), EmbeddedReader(), list(questions().values())
    retriever = retrieval.create(settings.retrieval, {})
    reading: list[float] = []
    answering: list[float] = []
    with WorkerPool(1, settings.papers, settings.reading) as pool:
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
    own, child = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    table.add_row("peak memory, MB: this process, its child", f"{own:.0f}", f"{child:.0f}")
    Console(width=100).print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("records", type=Path, nargs="?")
    parser.add_argument("--speed-only", action="store_true")
    args = parser.parse_args()
    show_speed(args.gold)
    if args.speed_only or not args.records:
        return 0
    show_quality(args.gold, args.records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
