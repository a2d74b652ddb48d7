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
            help="Human labels: CSV, XLSX or JSON Lines, or a folder of them. [default: the annotations in the ledger]",
        ),
    ] = None,
    mapping: Annotated[
        str,
        typer.Option("--mapping", metavar="NAME|FILE", help="Maps label categories to questions: 'study-categories', or TOML."),
    ] = "",
    reader: common.OnlyReaders = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run", metavar="ID", help="The run, by the first characters of its id; repeat to compare. [default: the latest]"
        ),
    ] = None,
    vote: common.OtherVote = "",
    undecided: Annotated[
        str, typer.Option("--undecided", metavar="no|wrong|left-out", help="How to count cells without a decision.")
    ] = "no",
    whole_gold: Annotated[bool, typer.Option("--whole-gold", help="Count labels of papers outside the run as missing.")] = False,
    strict: common.Strict = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Page with plots. [default: agreement.html in --out]")
    ] = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Measure the agreement of readers with human labels.

    Prints every figure with its confidence interval and baselines, and writes a page with plots. A wide table has one row
    per paper and one column per question or category; a long one has the columns paper, question, label and optionally
    annotator. Labels that cannot be used are listed on stderr and skipped.

    Example: methodlens evaluate --gold labels.csv --out review
    """
    from methodlens.evaluation.labels import UNMAPPED_COLUMN
    from methodlens.evaluation.measure import evaluate_runs, load_labelled_runs, select_runs
    from methodlens.evaluation.scoring import Resampling, Undecided
    from methodlens.reports.statistics.evaluation_page import evaluation_page, problem_lines
    from methodlens.reports.statistics.statistics_output import text_lines, write_html

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    rule = common.one_of(Undecided, undecided, "--undecided")
    with common.open_ledger(settings) as ledger:
        runs = select_runs(ledger, run or [])
        decisions, labels = load_labelled_runs(ledger, runs, gold, settings.evaluation, mapping=mapping, vote=vote)
    common.echo_lines(problem_lines(labels), err=True)
    unusable = sum(problem.kind != UNMAPPED_COLUMN for problem in labels.problems)
    if strict and unusable:
        raise LabelsError(f"{common.number(unusable, 'problem')} in {gold or 'the ledger'}", "correct them, or omit --strict")
    resampling = Resampling(settings.evaluation.resamples, settings.evaluation.seed)
    evaluation = evaluate_runs(
        decisions, labels, readers=reader or [], undecided=rule, whole_gold=whole_gold, resampling=resampling
    )
    page = evaluation_page(evaluation, labels, decisions.questions)
    path = html or Path(settings.out) / HTML
    write_html(page, path)
    if json:
        common.print_json(
            {"evaluation": evaluation, "problems": labels.problems, "blank": labels.blank, "html": str(path)},
        )
        return
    common.echo_lines(text_lines(page))
    typer.echo(f"see {path}", err=True)
