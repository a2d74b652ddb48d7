"""How far two annotators agree on the open papers: the most that a reader can reach.

    python -m benchmarks.annotators

Each figure is computed as a reader's: the first annotator takes the place of the gold, the second that of the reader. Both were
sessions of one language model that read the paper in full without sight of the other's labels, so people may agree less.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.facts import EXTRA, SCORED, atoms, matched
from benchmarks.open_papers import DATA, SECOND
from benchmarks.reader_figures import content_overlap, f1, kappa, pair

_MOST_QUOTES = 5
Cell = Mapping[str, Any]


def cells(path: Path) -> list[Cell]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def agreement(pairs: Sequence[tuple[Cell, Cell]]) -> dict[str, float]:
    """Of pairs of labels for the same cell."""
    both = [(first, second) for first, second in pairs if first["reported"] and second["reported"]]
    counted = np.array([_facts(first, second) for first, second in pairs], np.float64).sum(axis=0)
    return {
        "kappa": _kappa(pairs),
        "kappa without cells that are borderline to the first": _kappa([each for each in pairs if not each[0]["partial"]]),
        "quotes in common": float(
            np.mean([_overlaps(first["quotes"], second["quotes"][:_MOST_QUOTES]) for first, second in both])
        ),
        "answer_f1": float(
            np.mean([content_overlap(*(" ".join(each["answer_words"]) for each in (second, first))) for first, second in both])
        ),
        "facts_f1": float(f1(counted)),
    }


def _kappa(pairs: Iterable[tuple[Cell, Cell]]) -> float:
    return float(kappa(np.array([pair(first["reported"], second["reported"]) for first, second in pairs]).sum(axis=0)))


def _overlaps(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]) -> bool:
    return any(page == other and start < stop and begin < end for page, start, end in first for other, begin, stop in second)


def _facts(first: Cell, second: Cell) -> list[int]:
    """Right, found and wanted."""
    keys = [key for key in SCORED.get(first["cq"], ()) if (first["cq"], key) not in EXTRA]
    sets = [(atoms(second["values"].get(key)), atoms(first["values"].get(key))) for key in keys]
    return [
        sum(len(matched(found, wanted)) for found, wanted in sets),
        sum(len(found) for found, _ in sets),
        sum(len(wanted) for _, wanted in sets),
    ]


def main() -> None:
    papers = sorted(SECOND.glob("*.jsonl"))
    pairs = [each for path in papers for each in zip(cells(DATA / path.name), cells(path), strict=True)]
    table = Table("figure", "two annotators", title=f"{len(papers)} papers, {len(pairs)} cells")
    for name, value in agreement(pairs).items():
        table.add_row(name, f"{value:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
