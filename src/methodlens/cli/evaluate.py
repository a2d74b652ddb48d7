"""methodlens evaluate"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import LabelsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from methodlens.evaluation.labels import LabelSet
    from methodlens.evaluation.measure import RunDecisions
    from methodlens.ledger.ledger import Ledger, Run
    from methodlens.settings import Settings

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
    from methodlens.evaluation.measure import evaluate_runs, select_runs
    from methodlens.evaluation.scoring import Resampling, Undecided
    from methodlens.reports.statistics import statistics_html, statistics_text
    from methodlens.reports.statistics.evaluation_page import evaluation_page, problem_lines

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    rule = common.one_of(Undecided, undecided, "--undecided")
    folder = Path(settings.out)
    with common.open_ledger(settings) as ledger:
        runs = select_runs(ledger, run or [])
        found, labels = _labelled(ledger, runs, gold, settings, mapping=mapping, vote=vote)
    for line in problem_lines(labels):
        typer.echo(line, err=True)
    unusable = sum(problem.kind != UNMAPPED_COLUMN for problem in labels.problems)
    if strict and unusable:
        raise LabelsError(f"{unusable} things in {gold} cannot be used", "correct them, or leave out --strict")
    how = Resampling(settings.evaluation.resamples, settings.evaluation.seed)
    result = evaluate_runs(found, labels, readers=reader or [], undecided=rule, whole_gold=whole_gold, resampling=how)
    shown = evaluation_page(result, labels, found.questions)
    path = html or folder / HTML
    statistics_html.write(shown, path)
    if json:
        about = {"problems": labels.problems, "blank": labels.blank, "html": str(path)}
        common.print_json({"evaluation": result, **about})
        return
    for line in statistics_text.lines(shown):
        typer.echo(line)
    typer.echo(f"see {path}", err=True)


def _labelled(
    ledger: "Ledger", runs: "Sequence[Run]", gold: Path | None, settings: "Settings", *, mapping: str, vote: str
) -> "tuple[RunDecisions, LabelSet]":
    """The labels, and what the runs decided of the papers that they are about."""
    from methodlens.evaluation.labels import paper_filter, parse_labels, read_rows
    from methodlens.evaluation.measure import collect_decisions, labels_from_annotations
    from methodlens.evaluation.vocabulary import LabelWords, load_mapping

    if gold is not None:
        categories = load_mapping(mapping) if mapping else None
        rows = read_rows(gold)
        found = collect_decisions(ledger, runs, vote=vote, wanted=paper_filter(rows, categories))
        return found, parse_labels(rows, found.catalog, LabelWords(settings.evaluation), mapping=categories)
    words = ledger.annotations()
    about = {one.paper_sha256 for one in words}
    found = collect_decisions(ledger, runs, vote=vote, wanted=lambda entry: entry.sha256 in about)
    labels = labels_from_annotations(words, found.papers)
    if not labels.labels:
        raise LabelsError("there are no labels", "name a file with --gold, or 'methodlens annotate import' a sheet")
    return found, labels
