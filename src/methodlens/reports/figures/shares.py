"""How many papers report the answer to each question: dots with intervals."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from methodlens.records import Question, Status
from methodlens.reports.figures.axes import LegendItem, Scale, bar_mark, baseline, legend, percent, whisker_across, x_axis
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.figure import Figure, Skipped, Table, rounded
from methodlens.reports.figures.proportions import Share
from methodlens.reports.figures.style import PAGE, SIZE, SMALL
from methodlens.reports.figures.text_width import fitted, widest
from methodlens.reports.statistics.shapes import Plot, Shape, circle, line, rect, text

_ROW = 11.0
_MOST_LABEL = 170.0
_VALUES = 102.0  # "76% (72–80), 312/412"
_TOP = 6.0
_MOST_HEIGHT = 620.0  # of all rows, if they stay legible
_OTHERS = (Status.NOT_REPORTED, Status.WITHHELD, Status.FAILED)
_TICKS = tuple((tick / 100, f"{tick}%") for tick in (0, 25, 50, 75, 100))


class ShareRow(NamedTuple):
    """`undecided` of the papers may report it too."""

    label: str
    share: Share
    undecided: int = 0


def question_name(question: Question) -> str:
    return question.title or question.text


def shares(counts: CorpusCounts) -> Figure | Skipped:
    if not counts.papers:
        return Skipped("shares", "no paper was assessed")
    rows = [
        ShareRow(question_name(question), counts.share(index), statuses[Status.WITHHELD] + statuses[Status.FAILED])
        for index, (question, statuses) in enumerate(zip(counts.questions, counts.statuses, strict=True))
    ]
    table = Table(
        ("question", "title", "reported", "n", "share", "low", "high", *(status.value for status in _OTHERS)),
        [
            (
                question.id,
                question_name(question),
                *row.share,
                *interval_values(row.share),
                *(statuses[status] for status in _OTHERS),
            )
            for question, row, statuses in zip(counts.questions, rows, counts.statuses, strict=True)
        ],
    )
    ranked = sorted((row for row in rows if row.share.n), key=lambda row: -row.share.value)
    caption = (
        "Share of papers that report the answer to each question. Dots are the share of all papers asked; lines are 95% "
        "Wilson score intervals; grey bars are papers without a verdict (withheld or failed), which count as not reported."
    )
    return Figure("shares", share_plot("Share of papers that report each item", ranked), table, caption)


def interval_values(share: Share) -> tuple[float | None, float | None, float | None]:
    """The share and its interval, for a table."""
    low, high = share.interval
    return (rounded(share.value), rounded(low), rounded(high)) if share.n else (None, None, None)


def share_plot(title: str, rows: Sequence[ShareRow]) -> Plot:
    """One row per share, in this order, with the numbers at the right."""
    left = widest((row.label for row in rows), _MOST_LABEL) + 8
    scale = Scale(left, PAGE - _VALUES)
    row_height = min(_ROW, max(SMALL, _MOST_HEIGHT / len(rows)))
    bottom = _TOP + row_height * len(rows)
    shapes = list(x_axis(scale, bottom, _TICKS, grid_top=_TOP))
    for index, row in enumerate(rows):
        shapes += _row(row, scale, _TOP + row_height * (index + 0.5), css="small" if row_height < SIZE else "")
    shapes.append(text((scale.start + scale.end) / 2, bottom + 19, "share of papers (95% interval)", "middle", css="small"))
    height = bottom + 24
    if any(row.undecided for row in rows):
        shapes += legend(
            left, height + 4, [LegendItem("share, 95% interval", _dot), LegendItem("no verdict", bar_mark("undecided"))]
        )
        height += 12
    return Plot(title, PAGE, height, shapes)


def _row(row: ShareRow, scale: Scale, middle: float, *, css: str) -> Iterator[Shape]:
    low, high = row.share.interval
    yield text(scale.start - 6, baseline(middle), fitted(row.label, _MOST_LABEL), "end", css=css, title=row.label)
    if row.undecided:
        start, end = scale(row.share.value), scale((row.share.yes + row.undecided) / row.share.n)
        yield rect(start, middle - 2.5, end - start, 5, css="undecided")
    numbers = f"{percent(row.share.value)} ({100 * low:.0f}–{100 * high:.0f})"
    yield from whisker_across(row.share, scale, middle, title=f"{row.label}: {numbers}")
    yield text(scale.end + 54, baseline(middle, SMALL), numbers, "end", css="small")
    yield text(PAGE - 2, baseline(middle, SMALL), f"{row.share.yes}/{row.share.n}", "end", css="soft")


def _dot(x: float, y: float) -> Iterator[Shape]:
    yield line(x - 1, y, x + 7, y, css="interval")
    yield circle(x + 3, y, 2.2, css="dot")
