"""How the embedded reader does on questions and papers that it never saw, by source.

    make bench-questions GOLD=folder GENERAL=folder

Each cell is ranked and judged by numbers learned without its paper and without its question or similar ones. The built-in
questions are asked as if they were a user's own. Built-in questions and checklist items were labelled for each paper; an expert's
question is asked of its own paper and of another one, which does not answer it. Readers asked both what their paper answers and
what it does not; a question of another paper is easier to turn down than one that suits the paper, so both are shown apart, too.
Then the CPU time that an own question takes.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table

from methodlens.evaluation.counts import count, kappa
from methodlens.relevance.model import chunk_scores
from methodlens.verdicts.recalibration import LEAST_DECISIONS, Decision, recalibrate
from training import gold
from training.general_cells import CHECKLIST, EXPERT, GOLD, READER, GeneralCell

if TYPE_CHECKING:
    from training.general import Judged

_BINS = 10
_DRAWS = 5


def show(judged: Sequence["Judged"]) -> None:
    table = Table("source", "cells", "evidence 4,000", "8,000", "kappa", "accuracy", "always yes", "right evidence", "ECE")
    groups = {
        source: [row for row in judged if row.cell.question.source == source] for source in (CHECKLIST, EXPERT, READER, GOLD)
    }
    groups[f"{READER}, of the same paper only"] = [row for row in groups[READER] if _is_of_its_paper(row.cell)]
    groups[f"{READER}, unanswered of other papers only"] = [
        row for row in groups[READER] if row.cell.question.reported or not _is_of_its_paper(row.cell)
    ]
    for source, rows in groups.items():
        if not rows:
            continue
        truth = [row.cell.question.reported for row in rows]
        said = [row.p >= 0.5 for row in rows]
        known = [row for row in rows if row.cell.answers.any()]
        table.add_row(
            source,
            f"{len(rows):,}",
            *(f"{_rate(known, partial(found_within, budget=budget)):.3f}" for budget in gold.BUDGETS),
            f"{float(kappa(count(list(zip(truth, said, strict=True))))):.3f}",
            f"{np.mean(np.equal(truth, said)):.3f}",
            f"{np.mean(truth):.3f}",
            f"{_rate([row for row in known if row.p >= 0.5], quotes_answer):.3f}",
            f"{calibration_error(truth, [row.p for row in rows]):.3f}",
        )
    Console(width=130).print(table)
    items = [row for row in judged if row.cell.question.source == CHECKLIST]
    if items:
        print(f"checklist items after {LEAST_DECISIONS} decisions of a reviewer per item: kappa {after_decisions(items):.3f}")


def _is_of_its_paper(cell: GeneralCell) -> bool:
    return cell.question.key.rsplit("-", 1)[0] == cell.paper


def found_within(row: "Judged", budget: int) -> bool:
    order = np.argsort(-chunk_scores(row.cell.table, row.scores), kind="stable")
    return gold.within((row.cell.passages[number].text for number in order), row.cell.question.quotes, budget)


def quotes_answer(row: "Judged") -> bool:
    """Whether one of the quoted sentences answers."""
    return bool(row.cell.answers[list(row.quoted)].any())


def calibration_error(truth: Sequence[bool], given: Sequence[float]) -> float:
    """The expected calibration error, in ten bins."""
    labels, p = np.array(truth, float), np.array(given)
    bins = np.minimum((p * _BINS).astype(int), _BINS - 1)
    return float(
        sum((bins == number).mean() * abs(labels[bins == number].mean() - p[bins == number].mean()) for number in set(bins))
    )


def after_decisions(rows: Sequence["Judged"]) -> float:
    """The agreement on the other papers, once a reviewer has decided an item on some and it was recalibrated on these."""
    by_item: dict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        by_item[row.cell.question.key].append(row)
    pairs: list[tuple[bool, bool]] = []
    chance = np.random.default_rng(0)
    for item in sorted(by_item):
        mine = by_item[item]
        for _ in range(_DRAWS):
            order = chance.permutation(len(mine))
            decided, other = [mine[n] for n in order[:LEAST_DECISIONS]], [mine[n] for n in order[LEAST_DECISIONS:]]
            fitted = recalibrate([Decision(row.p, row.cell.question.reported) for row in decided])
            pairs += [(row.cell.question.reported, fitted(row.p) >= 0.5) for row in other]
    return float(kappa(count(pairs)))


def _rate(rows: Sequence["Judged"], holds: "Callable[[Judged], bool]") -> float:
    return float(np.mean([holds(row) for row in rows])) if rows else 0.0


def read(gold_folder: Path, general_folder: Path) -> list[GeneralCell]:
    from training.general_cells import read_all

    return read_all(gold_folder, general_folder)


def main() -> int:
    from benchmarks.question_speed import show_speed
    from training.general import learn

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("general", type=Path)
    args = parser.parse_args()
    _, judged = learn(read(args.gold, args.general))
    show(judged)
    show_speed(args.gold)
    return 0


if __name__ == "__main__":
    sys.exit(main())
