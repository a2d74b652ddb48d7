"""Shares over time: one small panel per question, or per product or method."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from methodlens.reports.figures.axes import Scale, baseline, percent
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.fact_counts import FactCounts, FactKind, NameCounts
from methodlens.reports.figures.figure import Figure, Skipped, Table, rounded
from methodlens.reports.figures.periods import LEAST_PAPERS, Period, periods
from methodlens.reports.figures.proportions import Share, holm, trend_p
from methodlens.reports.figures.shares import ShareRow, interval_values, question_name, share_plot
from methodlens.reports.figures.style import PAGE, SMALL
from methodlens.reports.figures.text_width import fitted, text_width
from methodlens.reports.statistics.shapes import Plot, Shape, circle, line, points, text

_COLUMNS = 4
_LEFT = 26.0
_RIGHT = 6.0  # room for half of the last year
_GAP = 18.0
_INSET = 9.0  # of the first and last year
_TITLE = 11.0
_PANEL = 40.0  # height of the plotting area
_MOST_NAMES = 8
_MOST_PANELS = 44  # eleven rows, which fill a page
_SIGNIFICANT = 0.05
_TOPS = (0.2, 0.5, 1.0)  # of the scale of shares
_WILSON = "Dots are shares, lines 95% Wilson score intervals."

_NOUNS = {
    FactKind.FRAMEWORKS: ("Deep-learning frameworks and libraries", "a framework or library"),
    FactKind.GPUS: ("GPU models", "a GPU model"),
    FactKind.METRICS: ("Evaluation metrics", "a metric"),
    FactKind.ARCHITECTURES: ("Model architectures", "an architecture"),
}


class Panel(NamedTuple):
    title: str
    shares: Sequence[Share]
    """One per period."""
    p: float = 1.0
    """Of the test for a trend, adjusted."""


def trends(counts: CorpusCounts) -> Figure | Skipped:
    spans = periods(counts.years)
    if len(spans) < 2:
        return Skipped("trends", _no_periods(counts))
    asked = range(len(counts.questions))
    by_year = ([(float(year), counts.share_in(index, year, year)) for year in sorted(counts.years)] for index in asked)
    adjusted = holm([trend_p(shares) for shares in by_year])
    panels = [
        Panel(question_name(question), [counts.share_in(index, *span) for span in spans], adjusted[index])
        for index, question in enumerate(counts.questions)
    ]
    table = Table(
        ("question", "title", "period", "reported", "n", "share", "low", "high", "trend_p_holm"),
        [
            (question.id, panel.title, span.label, *share, *interval_values(share), rounded(panel.p))
            for question, panel in zip(counts.questions, panels, strict=True)
            for span, share in zip(spans, panel.shares, strict=True)
        ],
    )
    changed = sum(panel.p < _SIGNIFICANT for panel in panels)
    shown = sorted(panels, key=lambda panel: math.inf if math.isnan(panel.p) else panel.p)[:_MOST_PANELS]
    fewer = f" The {len(shown)} questions with the strongest trends are shown." if len(shown) < len(panels) else ""
    periods_used = _period_note(counts.years, spans, undated=counts.papers - counts.years.total())
    caption = (
        f"Share of papers that report each item, by year of publication. {_WILSON} {periods_used} Trends: Cochran-Armitage "
        f"test over single years, p-values adjusted by Holm's method for {len(panels)} questions; p is printed where it is "
        f"below {_SIGNIFICANT} ({changed} of {len(panels)}).{fewer}"
    )
    drawn = [panel for panel in panels if panel in shown]
    return Figure("trends", panel_plot("Reporting by year of publication", drawn, spans), table, caption)


def fact_trends(counts: CorpusCounts, kind: FactKind) -> Figure | Skipped:
    """The most frequent names over time; in total if there are too few years."""
    facts = counts.facts[kind]
    title, noun = _NOUNS[kind]
    if not facts.papers:
        return Skipped(kind, f"no paper names {noun}")
    names = facts.ranked[:_MOST_NAMES]
    dated = {year: papers for year, papers in facts.papers.items() if year is not None}
    spans = periods(dated)
    of = f"among the {facts.papers.total()} papers that name {noun}"
    which = f"The {len(names)} most frequent of {len(facts.ranked)}" if len(facts.ranked) > len(names) else f"All {len(names)}"
    head = ("name", "period", "papers", "n", "share", "low", "high")
    totals = [ShareRow(each.name, Share(each.years.total(), facts.papers.total())) for each in facts.ranked]
    rows = [(row.label, "all", *row.share, *interval_values(row.share)) for row in totals]
    if len(spans) < 2:
        caption = f"{title} that papers name, {of}. {which}. {_WILSON} A paper can name several."
        return Figure(kind, share_plot(title, totals[: len(names)]), Table(head, rows), caption)
    panels = [Panel(each.name, [_in_period(facts, each, span) for span in spans]) for each in names]
    rows += [
        (panel.title, span.label, *share, *interval_values(share))
        for panel in panels
        for span, share in zip(spans, panel.shares, strict=True)
    ]
    caption = (
        f"{title} over time, {of}. {which}, by year of publication. {_WILSON} "
        f"{_period_note(dated, spans, undated=facts.papers[None])} A paper can name several."
    )
    return Figure(kind, panel_plot(title, panels, spans), Table(head, rows), caption)


def _in_period(facts: FactCounts, name: NameCounts, span: Period) -> Share:
    years = range(span.first, span.last + 1)
    return Share(sum(name.years[year] for year in years), sum(facts.papers[year] for year in years))


def _no_periods(counts: CorpusCounts) -> str:
    if not counts.years:
        return "no paper has a year of publication"
    if len(counts.years) == 1:
        return f"only one year ({next(iter(counts.years))})"
    return f"too few papers: two periods of at least {LEAST_PAPERS} papers are needed, {counts.years.total()} have a year"


def _period_note(papers: Mapping[int, int], spans: Sequence[Period], *, undated: int) -> str:
    """`papers` has the number of papers per year."""
    sizes = (sum(n for year, n in papers.items() if span.first <= year <= span.last) for span in spans)
    listed = ", ".join(f"{n} in {span.label}" for n, span in zip(sizes, spans, strict=True))
    left_out = f" {undated} papers without a year are left out." if undated else ""
    return f"Years are pooled until a period has {LEAST_PAPERS} papers ({listed}).{left_out}"


def panel_plot(title: str, panels: Sequence[Panel], spans: Sequence[Period]) -> Plot:
    """Panels in rows of four, with the years to scale and the same scale of shares."""
    most = max((share.interval[1] for panel in panels for share in panel.shares if share.n), default=1.0)
    top_share = next(top for top in _TOPS if most <= top)
    width = (PAGE - _LEFT - _RIGHT + _GAP) / _COLUMNS - _GAP
    step = _TITLE + _PANEL + 8
    shapes: list[Shape] = []
    for index, panel in enumerate(panels):
        row, column = divmod(index, _COLUMNS)
        left, top = _LEFT + column * (width + _GAP), row * step + _TITLE
        last = index + _COLUMNS >= len(panels)
        years = Scale(left + _INSET, left + width - _INSET, spans[0].middle, spans[-1].middle)
        shapes += _panel(panel, spans, years, Scale(top + _PANEL, top, high=top_share), labelled=(column == 0, last))
    return Plot(title, PAGE, -(-len(panels) // _COLUMNS) * step + 8, shapes)


def _panel(panel: Panel, spans: Sequence[Period], years: Scale, shares: Scale, *, labelled: tuple[bool, bool]) -> Iterator[Shape]:
    left, right, bottom = years.start - _INSET, years.end + _INSET, shares.start
    note = f"p {'< 0.001' if panel.p < 0.001 else f'= {panel.p:.3f}'}" if panel.p < _SIGNIFICANT else ""
    room = right - left - (text_width(note, SMALL) + 4 if note else 0)
    yield text(left, shares.end - 4, fitted(panel.title, room, bold=True), "start", css="bold", title=panel.title)
    if note:
        yield text(right, shares.end - 4, note, "end", css="soft")
    for tick in (0.0, shares.high / 2, shares.high):
        yield line(left, shares(tick), right, shares(tick), css="axis" if tick == 0 else "grid")
        if labelled[0]:
            yield text(left - 3, baseline(shares(tick), SMALL), percent(tick), "end", css="small")
    drawn = [(years(span.middle), share, span) for span, share in zip(spans, panel.shares, strict=True) if share.n]
    if len(drawn) > 1:
        yield Shape("polyline", {"class": "curve", "points": points([(x, shares(share.value)) for x, share, _ in drawn])})
    for x, share, span in drawn:
        low, high = share.interval
        yield line(x, shares(low), x, shares(high), css="interval")
        yield circle(x, shares(share.value), 1.8, css="dot", title=f"{panel.title}, {span.label}: {share.yes} of {share.n}")
    if labelled[1]:
        yield from _year_labels(spans, years, bottom)


def _year_labels(spans: Sequence[Period], years: Scale, bottom: float) -> Iterator[Shape]:
    """Ticks at all periods, and as many labels as fit: the first, the last, and some between."""
    yield from (line(years(span.middle), bottom, years(span.middle), bottom + 2, css="axis") for span in spans)
    free_from, last = -1.0, spans[-1]
    last_start = years(last.middle) - text_width(last.label, SMALL) / 2
    for span in spans:
        x, half = years(span.middle), text_width(span.label, SMALL) / 2
        if span is last or (x - half > free_from and x + half + 3 < last_start):
            yield text(x, bottom + 3 + SMALL, span.label, "middle", css="small")
            free_from = x + half + 3
