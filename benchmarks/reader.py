"""Quality and speed of the embedded reader on unseen papers, compared with the published pipeline.

    python -m benchmarks.reader GOLD STUDY/records.jsonl.xz [--speed-only]

Quality is cross-validated: ranking, words and weights for a paper are learned without it (training/verdicts.py). The gazetteers
and grammars of facts are written by hand, with some of these papers at hand, so the figure is given twice: the second leaves out
names that occur in one gold paper only and is a lower bound. Run it in the environment of `make verdicts`, for speed on one core
(taskset -c 0).
"""

import argparse
import json
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.facts import EXTRA, SCORED, atoms, matched
from methodlens import retrieval
from methodlens.facts import extract
from methodlens.papers import WorkerPool, find, split
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.embedded.selection import choose_quotes
from methodlens.readers.embedded.weights import load_weights
from methodlens.records import PaperStatus
from methodlens.retrieval import limit
from methodlens.settings import Settings
from methodlens.verdicts.judge import MIN_P_REPORTED
from training import verdict_figures, verdicts
from training.answer_words import Contexts
from training.cells import questions
from training.verdicts import Row

PUBLISHED = (43.0, 1149.0)
"""Seconds for one paper and 28 questions, by the fastest and the slowest of the published pipeline's five models."""
_NUMBERS = frozenset(("learning_rate", "batch_size", "epochs", "momentum", "weight_decay", "dropout", "training_time_h"))
_LINKS = frozenset(("code_urls", "data_urls"))
Counts = tuple[int, int, int]


def facts_by_paper(
    rows: Sequence[Row], given: Sequence[float], gold: Mapping[tuple[str, int], Any]
) -> dict[str, dict[str, Counts]]:
    """By paper: right, found and wanted atoms; under `floor` without names that no other paper has."""
    made, weights = questions(), load_weights()
    found: dict[tuple[str, int, str], set[str]] = {}
    for row, p in zip(rows, given, strict=True):
        question = made[row.cell.cq]
        quotes = [one.text for one in choose_quotes(question, row.cell.own, weights)] if p >= MIN_P_REPORTED else []
        facts = extract(question.facts, quotes)
        for key in SCORED.get(row.cell.cq, ()):
            if (row.cell.cq, key) not in EXTRA:
                found[row.cell.paper, row.cell.cq, key] = atoms(facts.get(key))
    spread = Counter(name for _, name in {(paper, name) for (paper, _, _), names in found.items() for name in names})
    totals: dict[str, dict[str, Counts]] = {"facts_f1": {}, "facts_f1, floor": {}}
    for (paper, cq, key), names in found.items():
        label = gold[paper, cq]
        wanted = atoms(label["values"].get(key)) if label["reported"] else set()
        common = names if key in _NUMBERS | _LINKS else {name for name in names if spread[name] > 1}
        for figure, kept in (("facts_f1", names), ("facts_f1, floor", common)):
            right, had, asked = totals[figure].get(paper, (0, 0, 0))
            totals[figure][paper] = (right + len(matched(kept, wanted)), had + len(kept), asked + len(wanted))
    return totals


def show_facts(totals: Mapping[str, Mapping[str, Counts]], *, draws: int = 2000, seed: int = 5) -> None:
    table = Table("figure", "unseen papers", "95% over papers", "precision", "recall")
    for figure, by_paper in totals.items():
        counts, chance = list(by_paper.values()), random.Random(seed)
        drawn = sorted(_f1(chance.choices(counts, k=len(counts))) for _ in range(draws))
        right, found, wanted = (sum(one[place] for one in counts) for place in range(3))
        sides = f"{drawn[int(0.025 * draws)]:.3f} to {drawn[int(0.975 * draws) - 1]:.3f}"
        table.add_row(figure, f"{_f1(counts):.3f}", sides, f"{right / found:.3f}", f"{right / wanted:.3f}")
    Console(width=100).print(table)


def _f1(counts: Sequence[Counts]) -> float:
    right, found, wanted = (sum(one[place] for one in counts) for place in range(3))
    return 2 * right / (found + wanted) if found + wanted else 0.0


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
    cells, study = verdicts.prepare(args.gold, args.records)
    _, rows, given = verdicts.learn(cells, Contexts(study))
    verdict_figures.show(rows, given)
    labels = [json.loads(line) for file in args.gold.glob("*.jsonl") for line in file.read_text(encoding="utf-8").splitlines()]
    show_facts(facts_by_paper(rows, given, {(label["paper"], label["cq"]): label for label in labels}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
