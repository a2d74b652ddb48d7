"""Quality of the embedded reader on unseen papers, each judged and answered by what was learned without it."""

import csv
import json
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import open_papers
from benchmarks.facts import matched
from benchmarks.reader_figures import FIGURES, Figure, Judged, f1, fact_atoms
from methodlens.readers.embedded.draft import Draft
from methodlens.readers.embedded.reader import compose
from methodlens.records import Answer
from training import answer_words, verdict_figures, verdicts, word_use
from training.answer_words import Contexts
from training.cells import GoldCell, questions

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
    """All papers, then gold papers on ecology and on other domains, the papers that other projects ship, and those of them that
    nobody who writes rules has looked at."""
    shipped, unseen = open_papers.papers(), open_papers.papers("test")
    groups = {
        "all papers": judged,
        "ecology": [one for one in judged if one.cell.paper in ecology],
        "other domains": [one for one in judged if one.cell.paper not in ecology and one.cell.paper not in shipped],
        "open papers": [one for one in judged if one.cell.paper in shipped],
        "of these, never looked at": [one for one in judged if one.cell.paper in unseen],
    }
    groups = {name: some for name, some in groups.items() if some}
    table = Table("figure", *groups, title="Each paper judged by what was learned without it; 95% intervals over papers")
    for figure in (*FIGURES, _without_rare_names(judged)):
        values = [figure.value(some) for some in groups.values()]
        table.add_row(figure.name, *(f"{value:.3f} ({low:.3f} to {high:.3f})" for value, low, high in values))
    table.add_row("papers", *(f"{len({one.cell.paper for one in some})}" for some in groups.values()))
    Console(width=170).print(table)


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
