"""methodlens compare"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common

if TYPE_CHECKING:
    from methodlens.evaluation.comparison import PlanScore

_HEAD = ("plan", "cells", "decided", "right", "kappa", "calls", "cost")


def command(
    gold: Annotated[
        Path | None,
        typer.Option(
            "--gold",
            metavar="FILE|DIR",
            help="Human labels, as for 'methodlens evaluate'. [default: the reviewed cells of the ledger]",
        ),
    ] = None,
    mapping: Annotated[
        str,
        typer.Option("--mapping", metavar="NAME|FILE", help="Maps label categories to questions: 'study-categories', or TOML."),
    ] = "",
    cascade: Annotated[
        list[str] | None,
        typer.Option("--reader", metavar="CASCADE", help="Also this cascade of stored readers: 'cascade:A>B'. Repeatable."),
    ] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run", metavar="ID", help="The run, by the first characters of its id; repeat to combine. [default: the latest]"
        ),
    ] = None,
    vote: common.OtherVote = "",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Compare readers, votes and cascades in agreement and price.

    Uses the answers in the ledger and calls no model. Cells without a decision count as wrong in "right" and as not reported
    in kappa. A plan is scored on the cells for which the ledger has all the answers that it needs.

    Example: methodlens compare --gold labels.csv --out review
    """
    from methodlens.errors import LabelsError
    from methodlens.evaluation.comparison import compare, stored_cells
    from methodlens.evaluation.ground_truth import ground_truth
    from methodlens.evaluation.measure import load_labelled_runs, select_runs
    from methodlens.reports.statistics.evaluation_page import problem_lines

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        runs = select_runs(ledger, run or [])
        _, labels = load_labelled_runs(ledger, runs, gold, settings.evaluation, mapping=mapping)
        truth = ground_truth(labels.labels).reported
        if not truth:
            raise LabelsError("no label can be used", "select the run that was labelled with --out and --run")
        rule = vote or runs[0].vote
        scores = compare(stored_cells(ledger, runs), truth, cascades=cascade or (), vote=rule, settings=settings.cascade)
    common.echo_lines(problem_lines(labels), err=True)
    if json:
        common.print_json({"labelled": len(truth), "plans": scores})
        return
    common.echo_lines(_lines(scores))


def _lines(scores: "Sequence[PlanScore]") -> Iterator[str]:
    rows = [_HEAD, *map(_row, scores)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for row in rows:
        yield "  ".join([row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))])
    if any(score.cells < score.labelled for score in scores):
        yield "Plans with fewer cells than others cannot be compared with them directly."


def _row(score: "PlanScore") -> tuple[str, ...]:
    cells = str(score.cells) if score.cells == score.labelled else f"{score.cells} of {score.labelled}"
    return (
        score.plan,
        cells,
        f"{score.coverage:.1%}",
        f"{score.accuracy:.1%}",
        "-" if score.kappa is None else f"{score.kappa:.3f}",
        str(score.calls),
        "-" if score.cost is None else f"{score.cost:.4f}",
    )
