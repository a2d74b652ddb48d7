"""The figures of a run as the HTML report shows them."""

from methodlens.ledger.store import Run
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.figure import Figure, Skipped, table_csv
from methodlens.reports.figures.figure_set import build_figures
from methodlens.reports.figures.style import COLUMN
from methodlens.reports.figures.svg_file import svg
from methodlens.reports.html.report_figure import FigurePlace, ReportFigure, ReportFigures

_PLACES = {"flow": FigurePlace.OVERVIEW, **dict.fromkeys(("shares", "matrix", "trends", "coreporting"), FigurePlace.QUESTIONS)}


def report_figures(counts: CorpusCounts, run: Run) -> ReportFigures:
    figures = build_figures(counts, run)
    drawn = tuple(_report_figure(figure) for figure in figures if isinstance(figure, Figure))
    return ReportFigures(drawn, tuple((figure.name, figure.reason) for figure in figures if isinstance(figure, Skipped)))


def _report_figure(figure: Figure) -> ReportFigure:
    return ReportFigure(
        name=figure.name,
        title=figure.plot.title,
        place=_PLACES.get(figure.name, FigurePlace.SUMMARY),
        caption=figure.caption,
        svg=svg(figure.plot, description=figure.caption),
        csv=table_csv(figure.table).decode("utf-8-sig"),
        is_narrow=figure.plot.width <= COLUMN,
    )
