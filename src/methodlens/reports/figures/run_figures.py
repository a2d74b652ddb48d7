"""Writes the figures of a run: SVG, PNG and CSV files, the captions, and a text for the methods section."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from methodlens._version import __version__
from methodlens.ledger import run_rows
from methodlens.ledger.final_words import with_final
from methodlens.ledger.store import Ledger, Run
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.figure import Figure, Skipped, table_csv
from methodlens.reports.figures.figure_set import build_figures, captions
from methodlens.reports.figures.png_file import png, unprintable
from methodlens.reports.figures.rows_with_annotations import rows_with_annotations
from methodlens.reports.figures.svg_file import svg
from methodlens.reports.html.report_template import ReportDetails, methods_text
from methodlens.reports.html.run_summary import RunTotals
from methodlens.reports.output_files import atomic_path
from methodlens.reports.reader_decisions import ReaderDecisions

CAPTIONS = "captions.md"
METHODS = "methods.md"


class WrittenFigures(NamedTuple):
    folder: Path
    written: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]


def write_figures(
    ledger: Ledger, run: Run, folder: Path, *, only: Collection[str] = (), advance: Callable[[object], None] = lambda _: None
) -> WrittenFigures:
    """One pass over the run. `only` limits the figures; the captions are always those of all. `advance` is called per paper."""
    counts = CorpusCounts(run.questions, run.papers)
    totals, decisions = RunTotals(), ReaderDecisions(run.readers)
    for rows, annotations in rows_with_annotations(ledger, with_final(ledger, run_rows.rows(ledger, run))):
        counts.add(rows, annotations)
        totals.add_paper(rows[0].paper)
        for row in rows:
            totals.add(row)
            decisions.add(row)
        advance(rows[0].paper)
    figures = build_figures(counts, run)
    chosen = [figure for figure in figures if not only or figure.name in only]
    drawn = [figure for figure in chosen if isinstance(figure, Figure)]
    notes = tuple(note for figure in drawn for note in _write_figure(figure, folder))
    details = ReportDetails(
        title="",
        version=__version__,
        question_set=run.question_set,
        parsers=tuple(dict.fromkeys(parser for _, parser in ledger.entries(run))),
        agreement=decisions.agreement()[0],
        review=counts.review,
    )
    _write_text(folder / CAPTIONS, captions(figures))
    _write_text(folder / METHODS, methods_text(details, totals) + "\n")
    skipped = tuple(figure for figure in chosen if isinstance(figure, Skipped))
    return WrittenFigures(folder, tuple(figure.name for figure in drawn), skipped, notes)


def _write_figure(figure: Figure, folder: Path) -> Iterator[str]:
    """Notes on what a file cannot show."""
    _write_text(folder / f"{figure.name}.svg", svg(figure.plot, description=figure.caption))
    _write_bytes(folder / f"{figure.name}.csv", table_csv(figure.table))
    _write_bytes(folder / f"{figure.name}.png", png(figure.plot))
    if unprintable(figure.plot):
        yield f"{figure.name}.png shows some letters as '?': use {figure.name}.svg"


def _write_text(path: Path, text: str) -> None:
    _write_bytes(path, text.encode("utf-8", "replace"))


def _write_bytes(path: Path, content: bytes) -> None:
    with atomic_path(path) as draft:
        draft.write_bytes(content)
