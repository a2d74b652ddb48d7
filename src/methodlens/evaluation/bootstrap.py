"""Confidence intervals from resampling papers, not cells: the answers about one paper are correlated."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from methodlens.evaluation.counts import MEASURES, Counts, Numbers, ratio

_LEVEL = 0.95
_MIN_PAPERS = 2


class Figure(Struct, frozen=True):
    """A value with its 95% interval over papers; None if undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def figures(by_paper: Sequence[Counts], *, resamples: int, seed: int) -> Mapping[str, Figure]:
    """Every measure of the summed counts."""
    table = _table(by_paper)
    total = Counts(*table.sum(axis=0))
    resampled = _resample(table, resamples, seed)
    return {name: _figure(measure(total), measure(resampled) if resampled else None) for name, measure in MEASURES.items()}


def mean_figure(groups: Sequence[Sequence[Counts]], measure: str, *, resamples: int, seed: int) -> Figure:
    """The mean of a measure over groups (questions), without the groups where it is undefined.

    `groups[q][p]` are the counts of paper p on question q; all groups have the same papers.
    """
    compute = MEASURES[measure]
    tables = [_table(group) for group in groups]
    values = np.array([compute(Counts(*table.sum(axis=0))) for table in tables])
    samples = [sample for table in tables if (sample := _resample(table, resamples, seed))]  # the same seed: the same papers
    resampled = _mean(np.array([compute(sample) for sample in samples])) if len(samples) == len(tables) and tables else None
    return _figure(_mean(values) if tables else np.array(np.nan), resampled)


def _table(by_paper: Sequence[Counts]) -> Numbers:
    return np.array([[float(part) for part in counts] for counts in by_paper], dtype=np.float64).reshape(-1, 4)


def _resample(table: Numbers, resamples: int, seed: int) -> Counts | None:
    papers = len(table)
    if papers < _MIN_PAPERS or resamples < 1:
        return None
    weights = np.random.default_rng(seed).multinomial(papers, np.full(papers, 1 / papers), size=resamples)
    return Counts(*(weights.astype(np.float64) @ table).T)


def _mean(values: Numbers) -> Numbers:
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0))


def _figure(value: Numbers, resampled: Numbers | None) -> Figure:
    if np.isnan(value):
        return Figure(None)
    defined = resampled[~np.isnan(resampled)] if resampled is not None else np.array([])
    if not len(defined):
        return Figure(float(value))
    low, high = np.quantile(defined, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Figure(float(value), float(low), float(high))
