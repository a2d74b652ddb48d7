"""methodlens annotate"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import LabelsError

if TYPE_CHECKING:
    from methodlens.evaluation.labels import LabelSet
    from methodlens.records import CellRef
    from methodlens.reports.annotation_sheets import Comparison

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Import human labels and compare annotators.")


@app.command("import")
def import_labels(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET", help="A filled-in sheet of 'methodlens sample', or a label table.")],
    annotator: Annotated[
        str, typer.Option("--annotator", metavar="NAME", help="Who labelled; the labels of 'adjudicated' settle disagreements.")
    ],
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    strict: common.Strict = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Import a filled-in sheet into the ledger.

    Labels are kept apart from the readers' verdicts. If an annotator labels a cell again, the latest label counts. Labels
    that cannot be used are listed on stderr and skipped.

    Example: methodlens annotate import annotate.xlsx --annotator ann --out review
    """
    from methodlens.evaluation.labels import paper_filter, parse_labels, read_rows
    from methodlens.evaluation.measure import annotator_name
    from methodlens.evaluation.paper_catalog import PaperCatalog
    from methodlens.evaluation.vocabulary import LabelWords
    from methodlens.ledger.run_rows import latest
    from methodlens.reports.annotation_sheets import keep_labels
    from methodlens.reports.statistics.evaluation_page import problem_lines

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    name = annotator_name(annotator)
    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        rows = read_rows(sheet)
        wanted = paper_filter(rows)
        papers = [entry for entry, _ in ledger.entries(chosen) if wanted(entry)]
        labels = parse_labels(rows, PaperCatalog(papers, chosen.questions), LabelWords(settings.evaluation), annotator=name)
        common.echo_lines(problem_lines(labels), err=True)
        _check(labels, sheet, strict=strict)
        with ledger.lock():
            kept = keep_labels(ledger, labels, papers, name)
    if json:
        common.print_json({"annotator": name, "kept": kept, "blank": labels.blank, "problems": labels.problems})
        return
    statuses = common.counts(Counter(label.status.value for label in labels.labels))
    unusable = len(labels.problems)
    typer.echo(f"{common.number(kept, 'label')} by {name} imported ({statuses}); {labels.blank} blank, {unusable} unusable")


@app.command("compare")
def compare(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="An annotator.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Another annotator.")],
    sheet: Annotated[
        Path | None,
        typer.Option("--sheet", metavar="FILE.csv", help="Write the cells they disagree on to a sheet for a third person."),
    ] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Compare two annotators.

    Prints their agreement and the cells on which they disagree. A third person can settle these in the --sheet: import it
    with --annotator adjudicated, and 'methodlens evaluate' uses these labels.

    Example: methodlens annotate compare ann bob --sheet disputes.csv --out review
    """
    from methodlens.evaluation.ground_truth import ADJUDICATED, ground_truth
    from methodlens.evaluation.measure import labels_from_annotations
    from methodlens.ledger.run_rows import latest
    from methodlens.reports.annotation_sheets import annotator_labels, compare_annotators, sheet_rows, write_csv

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        annotations = ledger.annotations()
        annotated = {annotation.paper_sha256 for annotation in annotations}
        papers = [entry for entry, _ in ledger.entries(chosen) if entry.sha256 in annotated]
        truth = ground_truth(labels_from_annotations(annotations, papers).labels)
        comparison = compare_annotators(truth, first, second, ADJUDICATED)
        labels = {cell: annotator_labels(truth, cell, (first, second)) for cell in comparison.differing}
        if sheet:
            write_csv(sheet_rows(ledger, chosen, comparison.differing, notes=labels), sheet, blind=False)
    if json:
        differing = [{"paper": cell.paper, "question": cell.question, "said": text} for cell, text in labels.items()]
        common.print_json({"comparison": comparison, "differing": differing, "sheet": str(sheet) if sheet else None})
        return
    _print_comparison(comparison, labels)
    if sheet:
        command = f"methodlens annotate import {sheet} --annotator {ADJUDICATED} --out {settings.out}"
        typer.echo(f"settle them in {sheet}, then: {command}")


def _check(labels: "LabelSet", sheet: Path, *, strict: bool) -> None:
    if not labels.labels:
        raise LabelsError(f"{sheet} has no usable label", "fill in the column 'label', and select the sheet's run with --run")
    if strict and labels.problems:
        raise LabelsError(f"{common.number(len(labels.problems), 'problem')} in {sheet}", "correct them, or omit --strict")


def _print_comparison(comparison: "Comparison", labels: "dict[CellRef, str]") -> None:
    from methodlens.reports.statistics.sections import format_number

    pair = comparison.agreement
    typer.echo(
        f"{pair.first} and {pair.second} agree on {pair.agreed} of {pair.n} cells ({format_number(pair.agreement)}), "
        f"kappa {format_number(pair.kappa, 3)}, AC1 {format_number(pair.ac1, 3)}; "
        f"{comparison.only_first} only by {pair.first}, {comparison.only_second} only by {pair.second}"
    )
    typer.echo(f"{len(comparison.differing)} differ, {comparison.settled} of them settled")
    common.echo_lines(f"  {paper} {question}: {text}" for (paper, question), text in labels.items())
