"""Are the readers' probabilities right? Reliability against the cells that people reviewed."""

from collections.abc import Iterator

from methodlens.evaluation.calibration import Calibration, calibration
from methodlens.reports.figures.axes import Scale, baseline
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.figure import Figure, Skipped, Table, rounded
from methodlens.reports.figures.proportions import Share
from methodlens.reports.figures.shares import interval_values
from methodlens.reports.figures.style import COLUMN, SMALL
from methodlens.reports.figures.text_width import fitted
from methodlens.reports.statistics.shapes import Plot, Shape, circle, line, points, text

_LEAST_CELLS = 20
_BINS = 5
_SIDE = 170.0
_LEFT = 34.0
_HEIGHT = _SIDE + 44
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def calibration_figure(counts: CorpusCounts) -> Figure | Skipped:
    reviewed = max(map(len, counts.calibration.values()), default=0)
    if reviewed < _LEAST_CELLS:
        refitted = " of questions that were not recalibrated" if counts.recalibrated else ""
        return Skipped(
            "calibration", f"{_LEAST_CELLS} reviewed cells with a reader's probability are needed, there are {reviewed}{refitted}"
        )
    curves = [
        calibration(reader, pairs, bins=_BINS) for reader, pairs in counts.calibration.items() if len(pairs) >= _LEAST_CELLS
    ]
    shapes = [
        shape for index, curve in enumerate(curves) for shape in _curve(curve, COLUMN * (index % 2), _HEIGHT * (index // 2))
    ]
    width, height = COLUMN * min(2, len(curves)), _HEIGHT * -(-len(curves) // 2)
    table = Table(
        ("reader", "mean_p", "reported", "n", "share", "low", "high"),
        [
            (
                curve.reader,
                rounded(each.mean_p),
                *_share(each.share_yes, each.n),
                *interval_values(_share(each.share_yes, each.n)),
            )
            for curve in curves
            for each in curve.bins
        ],
    )
    scores = "; ".join(
        f"{curve.reader}: {curve.n} cells, Brier score {curve.brier:.3f}, expected calibration error {curve.ece:.3f}"
        for curve in curves
    )
    caption = (
        "Reliability of the readers' probabilities on the cells that people reviewed. Cells are put into bins of equal "
        "width by the predicted probability; a dot is the share of a bin that people call reported, with its 95% Wilson "
        f"score interval; on the dashed line the probabilities would be right. {scores}. Reviewed cells are often the "
        "uncertain ones, not a random sample."
    )
    if counts.recalibrated:
        caption += f" Left out, because they were recalibrated on these decisions: {', '.join(counts.recalibrated)}."
    return Figure("calibration", Plot("Calibration against reviewed cells", width, height, shapes), table, caption)


def _share(share: float, n: int) -> Share:
    return Share(round(share * n), n)


def _curve(curve: Calibration, left: float, top: float) -> Iterator[Shape]:
    across, up = Scale(left + _LEFT, left + _LEFT + _SIDE), Scale(top + 12 + _SIDE, top + 12)
    yield text(across.start, top + 8, fitted(f"{curve.reader} (n = {curve.n})", _SIDE, bold=True), "start", css="bold")
    for tick in _TICKS:
        css = "axis" if tick == 0 else "grid"
        yield line(across(0), up(tick), across(1), up(tick), css=css)
        yield line(across(tick), up(0), across(tick), up(1), css=css)
        yield text(across(tick), up(0) + 3 + SMALL, f"{tick:g}", "middle", css="small")
        yield text(across(0) - 4, baseline(up(tick), SMALL), f"{tick:g}", "end", css="small")
    yield line(across(0), up(0), across(1), up(1), css="ideal")
    places = [(across(each.mean_p), up(each.share_yes)) for each in curve.bins]
    yield Shape("polyline", {"class": "curve", "points": points(places)})
    for (x, y), each in zip(places, curve.bins, strict=True):
        low, high = _share(each.share_yes, each.n).interval
        yield line(x, up(low), x, up(high), css="interval")
        yield circle(x, y, 2.2, css="dot", title=f"{each.n} cells: predicted {each.mean_p:.2f}, observed {each.share_yes:.2f}")
    yield text(across(0.5), up(0) + 20, "predicted probability that it is reported", "middle", css="small")
    yield text(left + 9, up(0.5), "share that people call reported", "middle", css="small", upwards=True)
