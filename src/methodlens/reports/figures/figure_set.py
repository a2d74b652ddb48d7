"""All figures of a run by name, with captions that name the run, n and the method."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from methodlens._version import __version__
from methodlens.ledger.store import Run
from methodlens.reports.figures.agreement import agreement
from methodlens.reports.figures.calibration_plot import calibration_figure
from methodlens.reports.figures.coreporting import coreporting
from methodlens.reports.figures.corpus_counts import CorpusCounts, FlowCounts
from methodlens.reports.figures.fact_counts import FactKind
from methodlens.reports.figures.figure import Figure, Skipped
from methodlens.reports.figures.flow import flow
from methodlens.reports.figures.shares import shares
from methodlens.reports.figures.trends import fact_trends, trends
from methodlens.reports.figures.verdict_map import verdict_map
from methodlens.text.printable import one_line

_BUILDERS: Mapping[str, Callable[[CorpusCounts], Figure | Skipped]] = {
    "flow": flow,
    "shares": shares,
    "matrix": verdict_map,
    "trends": trends,
    **{kind.value: partial(fact_trends, kind=kind) for kind in FactKind},
    "coreporting": coreporting,
    "calibration": calibration_figure,
    "agreement": agreement,
}
NAMES = tuple(_BUILDERS)


def build_figures(counts: CorpusCounts, run: Run) -> list[Figure | Skipped]:
    """In the order of `NAMES`. A figure without data is skipped, and says why."""
    figures = (build(counts) for build in _BUILDERS.values())
    note = run_note(counts, run)
    return [figure._replace(caption=f"{figure.caption} {note}") if isinstance(figure, Figure) else figure for figure in figures]


def run_note(counts: CorpusCounts, run: Run) -> str:
    """The end of each caption."""
    n = f"n = {counts.papers:,} paper{'s' if counts.papers != 1 else ''}"
    if left_out := _left_out(counts.flow):
        n += f" of {counts.flow.found:,} found (left out: {left_out})"
    return f"{n}; {_verdicts(counts, run)}; run {run.id[:8]}, {_questions(run)}, methodlens {__version__}."


def _left_out(flow: FlowCounts) -> str:
    """'12 duplicates, 13 unreadable'"""
    reasons = {
        "not read yet": flow.not_read_yet,
        "duplicates": flow.duplicate,
        "unreadable": flow.unreadable.total(),
        "without deep learning": flow.no_dl,
    }
    return ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if count)


def _verdicts(counts: CorpusCounts, run: Run) -> str:
    readers = ", ".join(map(one_line, run.readers))
    machine = f"{one_line(run.vote)} vote of {readers}" if len(run.readers) > 1 else f"verdicts of the reader {readers}"
    if not counts.reviewed_cells:
        return f"{machine}, not reviewed by people"
    reviewed = f"{counts.reviewed_cells:,} of {counts.sources.total():,} cells"
    return f"{machine}, replaced by people's decisions where there are any ({reviewed})"


def _questions(run: Run) -> str:
    named = f"question set {one_line(run.question_set)}" if run.question_set else "own questions"
    return f"{named} ({len(run.questions)} question{'s' if len(run.questions) != 1 else ''})"


def captions(figures: Sequence[Figure | Skipped]) -> str:
    """All captions as Markdown, and the figures that were skipped."""
    drawn = [figure for figure in figures if isinstance(figure, Figure)]
    lines = ["# Figures", ""]
    for number, figure in enumerate(drawn, 1):
        lines += [
            f"**Figure {number}.** {_markdown(figure.caption)}",
            "",
            f"Files: {figure.name}.svg, {figure.name}.png, {figure.name}.csv",
            "",
        ]
    if skipped := [figure for figure in figures if isinstance(figure, Skipped)]:
        lines += ["## Not drawn", "", *(f"- {figure.name}: {_markdown(figure.reason)}" for figure in skipped), ""]
    return "\n".join(lines)


def _markdown(text: str) -> str:
    """One line, in which names of readers and questions cannot start Markdown or HTML."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in one_line(text))
