"""The figures of the embedded reader from its answers to gold cells, each with an interval over papers.

They are computed as in the project's scorer, which reads an export. Every figure is a function of sums over papers, so that an
interval takes one matrix product: papers are resampled, not cells, since the cells of a paper are not independent.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from benchmarks.facts import EXTRA, SCORED, atoms, matched
from methodlens.records import Answer
from methodlens.verdicts.judge import judge
from training.cells import GoldCell
from training.gold import BUDGETS, contains, squeeze, within

_DRAWS, _SEED = 2000, 5
_BINS = 10
_SHORTEST_QUOTE, _MOST_QUOTES, _MOST_QUOTED = 16, 5, 1500
_COMMON = frozenset(
    """the and for with was were are that this from which has have been their they its not but also into our than then using
    used use per each all any both paper says page reports report authors model models data deep learning""".split()
)
_CONTENT = re.compile(r"[a-z]{3,}|\d[\d.,]*\d|\d")
Numbers = npt.NDArray[np.float64]


class Judged(Struct, frozen=True):
    """A gold cell with the label's own answer and values, and ours."""

    cell: GoldCell
    label: Mapping[str, Any]
    answer: Answer
    p: float

    @property
    def verdict(self) -> bool | None:
        return judge(self.answer).status.reported

    @property
    def both_reported(self) -> bool:
        return bool(self.cell.reported and self.cell.quotes and self.verdict)


class Figure(Struct, frozen=True):
    """`count` gives the sums of one cell, or None if it does not count; `measure` the value from sums along the last axis."""

    name: str
    count: Callable[[Judged], Sequence[float] | None]
    measure: Callable[[Numbers], Numbers]

    def value(self, cells: Sequence[Judged]) -> tuple[float, float, float]:
        """The figure and its 95% interval."""
        papers = sorted({one.cell.paper for one in cells})
        counted = [(papers.index(one.cell.paper), row) for one in cells if (row := self.count(one)) is not None]
        table = np.zeros((len(papers), len(counted[0][1]) if counted else 1))
        for at, row in counted:
            table[at] += row
        draws = np.random.default_rng(_SEED).multinomial(len(papers), np.full(len(papers), 1 / len(papers)), size=_DRAWS)
        low, high = np.nanquantile(self.measure(draws @ table), [0.025, 0.975])
        return float(self.measure(table.sum(axis=0))), float(low), float(high)


def kappa(sums: Numbers) -> Numbers:
    """From counts of (truth, ours): both yes, only the truth, only ours, neither."""
    both, truth, ours, neither = np.moveaxis(sums, -1, 0)
    n = both + truth + ours + neither
    agree = (both + neither) / n
    chance = ((both + truth) * (both + ours) + (neither + ours) * (neither + truth)) / n**2
    return np.asarray((agree - chance) / (1 - chance))


def share(sums: Numbers) -> Numbers:
    return np.asarray(sums[..., 0] / sums[..., 1])


def f1(sums: Numbers) -> Numbers:
    """From right, found and wanted."""
    return np.asarray(2 * sums[..., 0] / (sums[..., 1] + sums[..., 2]))


def calibration_error(sums: Numbers) -> Numbers:
    """From cells, probabilities and truths per bin."""
    n, p, truth = (sums[..., at * _BINS : (at + 1) * _BINS] for at in range(3))
    return np.asarray(np.abs(p - truth).sum(axis=-1) / n.sum(axis=-1))


def pair(truth: bool, ours: bool) -> list[float]:
    return [float(truth and ours), float(truth and not ours), float(ours and not truth), float(not truth and not ours)]


def _bins(one: Judged) -> list[float]:
    row = np.zeros((3, _BINS))
    row[:, min(int(one.p * _BINS), _BINS - 1)] = 1.0, one.p, one.cell.reported
    return [float(number) for number in row.ravel()]


def _right_evidence(one: Judged) -> list[float] | None:
    if not one.both_reported:
        return None
    quotes = [each.quote for each in one.answer.evidence if len(squeeze(each.quote)) >= _SHORTEST_QUOTE]
    few = len(quotes) > 0 and len(one.answer.evidence) <= _MOST_QUOTES and sum(map(len, quotes)) <= _MOST_QUOTED
    mine, theirs = squeeze(" ".join(quotes)), squeeze(" ".join(one.cell.quotes))
    right = any(contains(mine, quote) for quote in one.cell.quotes) or any(contains(theirs, quote) for quote in quotes)
    return [float(few and right), 1.0]


def _overlap(one: Judged) -> list[float] | None:
    if not one.both_reported:
        return None
    return [content_overlap(one.answer.text, one.label["answer"]), 1.0]


def content_overlap(ours: str, people: str) -> float:
    """F1 of the content words of two answers."""
    mine, theirs = ({word[:6] for word in _CONTENT.findall(text.lower()) if word not in _COMMON} for text in (ours, people))
    both = len(mine & theirs)
    return 2 * both / (len(mine) + len(theirs)) if both else 0.0


def fact_atoms(one: Judged) -> dict[str, tuple[set[str], set[str]]]:
    """By key: the atoms that we found and those that the label has."""
    pairs: dict[str, tuple[set[str], set[str]]] = {}
    for key in SCORED.get(one.cell.cq, ()):
        if (one.cell.cq, key) not in EXTRA:
            found = atoms(one.answer.facts.get(key)) if one.verdict else set()
            pairs[key] = found, atoms(one.label["values"].get(key)) if one.cell.reported else set()
    return pairs


def _facts(one: Judged) -> list[float]:
    pairs = fact_atoms(one).values()
    return [
        float(sum(len(matched(found, wanted)) for found, wanted in pairs)),
        float(sum(len(found) for found, _ in pairs)),
        float(sum(len(wanted) for _, wanted in pairs)),
    ]


def _hit(budget: int) -> Callable[[Judged], Sequence[float] | None]:
    def count(one: Judged) -> list[float] | None:
        if not one.cell.reported or not one.cell.quotes:
            return None
        return [float(within((hit.passage.text for hit in one.cell.hits), one.cell.quotes, budget)), 1.0]

    return count


FIGURES = (
    Figure("forced_kappa", lambda one: pair(one.cell.reported, one.p >= 0.5), kappa),
    Figure("firm_kappa", lambda one: pair(one.cell.reported, one.verdict is True) if one.cell.firm else None, kappa),
    Figure("verdict_kappa", lambda one: pair(one.cell.reported, one.verdict is True), kappa),
    Figure("decided_kappa", lambda one: pair(one.cell.reported, ours) if (ours := one.verdict) is not None else None, kappa),
    Figure("coverage", lambda one: [float(one.verdict is not None), 1.0], share),
    Figure("right_evidence", _right_evidence, share),
    Figure("answer_f1", _overlap, share),
    Figure("facts_precision", _facts, share),
    Figure("facts_recall", _facts, lambda sums: share(sums[..., [0, 2]])),
    Figure("facts_f1", _facts, f1),
    *(Figure(f"evidence_hit_{budget}", _hit(budget), share) for budget in BUDGETS),
    Figure("calibration_error", _bins, calibration_error),
)
