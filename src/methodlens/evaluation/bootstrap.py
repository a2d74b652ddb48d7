"""Confidence intervals that resample papers, not cells: the 28 answers about one paper rise and fall together."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from methodlens.evaluation.counts import MEASURES, Counts, Numbers, ratio

_LEVEL = 0.95
_LEAST = 2  # papers: one alone says nothing about others


class Figure(Struct, frozen=True):
    """A value with its 95% interval over papers; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def figures(by_paper: Sequence[Counts], *, resamples: int, seed: int) -> Mapping[str, Figure]:
    """Every measure over the sum of the papers' counts."""
    table = _table(by_paper)
    whole = Counts(*table.sum(axis=0))
    drawn = _drawn(table, resamples, seed)
    return {name: _figure(measure(whole), measure(drawn) if drawn else None) for name, measure in MEASURES.items()}


def mean_figure(groups: Sequence[Sequence[Counts]], measure: str, *, resamples: int, seed: int) -> Figure:
    """The mean over groups (questions) of a measure of their counts; a group where it is undefined is left out.

    `groups[q][p]` are the counts of paper p on question q, the same papers in each.
    """
    of = MEASURES[measure]
    tables = [_table(group) for group in groups]
    whole = np.array([of(Counts(*table.sum(axis=0))) for table in tables])
    draws = [drawn for table in tables if (drawn := _drawn(table, resamples, seed))]  # one seed: the same papers in each
    resampled = _mean(np.array([of(drawn) for drawn in draws])) if len(draws) == len(tables) and tables else None
    return _figure(_mean(whole) if tables else np.array(np.nan), resampled)


def _table(by_paper: Sequence[Counts]) -> Numbers:
    return np.array([[float(part) for part in counts] for counts in by_paper], dtype=np.float64).reshape(-1, 4)


def _drawn(table: Numbers, resamples: int, seed: int) -> Counts | None:
    papers = len(table)
    if papers < _LEAST or resamples < 1:
        return None
    weights = np.random.default_rng(seed).multinomial(papers, np.full(papers, 1 / papers), size=resamples)
    return Counts(*(weights.astype(np.float64) @ table).T)


def _mean(values: Numbers) -> Numbers:
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0))


def _figure(value: Numbers, resampled: Numbers | None) -> Figure:
    if np.isnan(value):
        return Figure(None)
    known = resampled[~np.isnan(resampled)] if resampled is not None else np.array([])
    if not len(known):
        return Figure(float(value))
    low, high = np.quantile(known, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Figure(float(value), float(low), float(high))
