"""How far readers and people agree: Cohen's kappa of each pair, with intervals."""

import math
from collections.abc import Iterator, Sequence

from methodlens.reports.figures.axes import Scale, baseline, x_axis
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.figure import Figure, Skipped, Table, rounded
from methodlens.reports.figures.rater_pairs import PERSON, PairKappa, Rater
from methodlens.reports.figures.style import PAGE, SMALL
from methodlens.reports.figures.text_width import fitted, widest
from methodlens.reports.statistics.shapes import Plot, Shape, circle, line, text

_ROW = 11.0
_MOST_LABEL = 200.0
_VALUES = 110.0
_MOST_PAIRS = 45


def agreement(counts: CorpusCounts) -> Figure | Skipped:
    compared = counts.raters.kappas()
    pairs = [pair for pair in compared if not math.isnan(pair.kappa)]
    if not compared:
        return Skipped("agreement", "no two readers or people decided the same cells: add a reader, or review some cells")
    if not pairs:
        return Skipped("agreement", "all decisions are the same, so kappa is undefined")
    table = Table(
        ("first", "second", "papers", "cells", "agreed", "kappa", "low", "high"),
        [
            (
                _name(pair.first),
                _name(pair.second),
                pair.papers,
                pair.n,
                pair.agreed,
                rounded(pair.kappa),
                *map(rounded, pair.interval or (math.nan, math.nan)),
            )
            for pair in pairs
        ],
    )
    more = f" The {_MOST_PAIRS} pairs with most cells of {len(pairs)}." if len(pairs) > _MOST_PAIRS else ""
    caption = (
        "Agreement on whether a paper reports an item: Cohen's kappa of each pair on the cells that both decided, with 95% "
        f"intervals by the delta method, with papers as clusters.{more}"
    )
    if counts.recalibrated:
        questions = ", ".join(counts.recalibrated)
        caption += f" The readers agree with people more than they would on new papers, because of recalibration ({questions})."
    shown = sorted(pairs, key=lambda pair: -pair.n)[:_MOST_PAIRS]
    return Figure("agreement", _plot([pair for pair in pairs if pair in shown]), table, caption)


def _name(rater: Rater) -> str:
    return f"{rater.name} (person)" if rater.kind == PERSON else rater.name


def _label(pair: PairKappa) -> str:
    return f"{_name(pair.first)} / {_name(pair.second)}"


def _plot(pairs: Sequence[PairKappa]) -> Plot:
    least = min(0.0, *(pair.interval[0] if pair.interval else pair.kappa for pair in pairs))
    left = widest(map(_label, pairs), _MOST_LABEL) + 8
    scale = Scale(left, PAGE - _VALUES, -1.0 if least < -0.5 else -0.5 if least < 0 else 0.0)
    bottom = 6 + _ROW * len(pairs)
    ticks = [(tick / 4, f"{tick / 4:g}") for tick in range(round(scale.low * 4), 5)]
    shapes = list(x_axis(scale, bottom, ticks, grid_top=6))
    for row, pair in enumerate(pairs):
        shapes += _row(pair, scale, 6 + _ROW * (row + 0.5))
    shapes.append(text((scale.start + scale.end) / 2, bottom + 19, "Cohen's kappa (95% interval)", "middle", css="small"))
    return Plot("Agreement of readers and people", PAGE, bottom + 24, shapes)


def _row(pair: PairKappa, scale: Scale, middle: float) -> Iterator[Shape]:
    label = _label(pair)
    yield text(scale.start - 6, baseline(middle), fitted(label, _MOST_LABEL), "end", title=label)
    numbers = f"{pair.kappa:.2f}"
    if pair.interval:
        low, high = pair.interval
        yield line(scale(low), middle, scale(high), middle, css="interval")
        numbers += f" ({low:.2f} to {high:.2f})"
    yield circle(scale(pair.kappa), middle, 2.2, css="dot", title=f"{label}: {numbers}")
    yield text(scale.end + 66, baseline(middle, SMALL), numbers, "end", css="small")
    yield text(PAGE - 2, baseline(middle, SMALL), f"n = {pair.n}", "end", css="soft")
