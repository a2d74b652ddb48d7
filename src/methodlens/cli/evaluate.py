"""methodlens evaluate"""

from pathlib import Path
from typing import Annotated

import typer

from methodlens.cli import common
from methodlens.errors import LabelsError

HTML = "agreement.html"


def command(
    gold: Annotated[
        Path | None,
        typer.Option(
            "--gold",
            metavar="FILE|DIR",
            help="Human labels: CSV, XLSX or JSON Lines, or a folder of them. [default: those of 'annotate import']",
        ),
    ] = None,
    mapping: Annotated[
        str, typer.Option("--mapping", metavar="NAME|FILE", help="Which category is which question: 'study-categories', or TOML.")
    ] = "",
    reader: Annotated[
        list[str] | None, typer.Option("--reader", metavar="NAME", help="Only these readers ('vote' is one). May be repeated.")
    ] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="ID", help="By the first characters of its id; repeat to compare. [default: the latest]"),
    ] = None,
    vote: common.Vote = "",
    undecided: Annotated[
        str, typer.Option("--undecided", metavar="HOW", help="What a cell without a decision counts as: no, wrong or left-out.")
    ] = "no",
    whole_gold: Annotated[
        bool, typer.Option("--whole-gold", help="Labels of papers outside the run count too, as missing.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop if anything in the labels cannot be used.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="The page with plots. [default: agreement.html in --out]")
    ] = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """How far do the readers of a run agree with people? Every figure with its interval and its baselines.

    Wide tables have a row a paper and a column a question or category; long ones the columns paper, question, label and, if
    there are several, annotator. What cannot be used is listed on stderr; the rest is measured.

    Example: methodlens evaluate --gold labels.csv --out review
    """
    from methodlens.evaluation.labels import UNMAPPED_COLUMN
    from methodlens.evaluation.measure import evaluate_runs, load_labelled_runs, select_runs
    from methodlens.evaluation.scoring import Resampling, Undecided
    from methodlens.reports.statistics.evaluation_page import evaluation_page, problem_lines
    from methodlens.reports.statistics.statistics_output import text_lines, write_html

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    rule = common.one_of(Undecided, undecided, "--undecided")
    folder = Path(settings.out)
    with common.open_ledger(settings) as ledger:
        runs = select_runs(ledger, run or [])
        found, labels = load_labelled_runs(ledger, runs, gold, settings.evaluation, mapping=mapping, vote=vote)
    for line in problem_lines(labels):
        typer.echo(line, err=True)
    unusable = sum(problem.kind != UNMAPPED_COLUMN for problem in labels.problems)
    if strict and unusable:
        raise LabelsError(f"{unusable} things in {gold} cannot be used", "correct them, or leave out --strict")
    how = Resampling(settings.evaluation.resamples, settings.evaluation.seed)
    result = evaluate_runs(found, labels, readers=reader or [], undecided=rule, whole_gold=whole_gold, resampling=how)
    shown = evaluation_page(result, labels, found.questions)
    path = html or folder / HTML
    write_html(shown, path)
    if json:
        about = {"problems": labels.problems, "blank": labels.blank, "html": str(path)}
        common.print_json({"evaluation": result, **about})
        return
    for line in text_lines(shown):
        typer.echo(line)
    typer.echo(f"see {path}", err=True)
