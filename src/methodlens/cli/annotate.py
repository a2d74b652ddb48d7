"""methodlens annotate"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError, LabelsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from methodlens.evaluation.labels import Problem
    from methodlens.evaluation.table_files import TableRow
    from methodlens.records import CellRef
    from methodlens.reports.annotation_sheets import Comparison
    from methodlens.settings import Settings

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Export and import people's annotations, and compare annotators."
)


@app.command("import")
def import_labels(
    sheet: Annotated[
        Path,
        typer.Argument(
            metavar="SHEET", help="A filled-in sheet of 'methodlens sample', a label table, or a file of 'annotate export'."
        ),
    ],
    annotator: Annotated[
        str,
        typer.Option(
            "--annotator",
            metavar="NAME",
            help="Who labelled; the labels of 'adjudicated' settle disagreements. A file of 'annotate export' names them itself.",
        ),
    ] = "",
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    strict: common.Strict = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Import a filled-in sheet, or exported annotations, into the ledger.

    Labels are kept apart from the readers' verdicts. If an annotator labels a cell again, the latest label counts. Labels
    that cannot be used are listed on stderr and skipped. A file of 'annotate export' keeps its names, times, answers, quotes
    and facts; importing it twice changes nothing.

    Example: methodlens annotate import annotate.xlsx --annotator ann --out review
    """
    from methodlens.evaluation.labels import read_rows
    from methodlens.evaluation.measure import annotator_name

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    rows = read_rows(sheet)
    if annotator:
        _import_labels(rows, sheet, annotator_name(annotator), settings, run, strict=strict, json=json)
    else:
        _import_annotations(rows, sheet, settings, run, strict=strict, json=json)


def _import_labels(
    rows: "list[TableRow]", sheet: Path, name: str, settings: "Settings", run: str, *, strict: bool, json: bool
) -> None:
    from methodlens.evaluation.labels import paper_filter, parse_labels
    from methodlens.evaluation.paper_catalog import PaperCatalog
    from methodlens.evaluation.vocabulary import LabelWords
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.run_rows import latest
    from methodlens.reports.annotation_sheets import keep_labels
    from methodlens.reports.statistics.evaluation_page import problem_lines

    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        wanted = paper_filter(rows)
        papers = [entry for entry, _ in ledger.entries(chosen) if wanted(entry)]
        labels = parse_labels(rows, PaperCatalog(papers, chosen.questions), LabelWords(settings.evaluation), annotator=name)
        common.echo_lines(problem_lines(labels), err=True)
        if not labels.labels:
            raise LabelsError(f"{sheet} has no usable label", "fill in the column 'label', and select the sheet's run with --run")
        _check_problems(labels.problems, sheet, strict=strict)
        with ledger.lock():
            kept = keep_labels(ledger, labels, papers, name)
            common.record_action(ledger, Action.IMPORTED, f"{kept} by {name} from {sheet.name}")
    if json:
        common.print_json({"annotator": name, "kept": kept, "blank": labels.blank, "problems": labels.problems})
        return
    statuses = common.counts(Counter(label.status.value for label in labels.labels))
    unusable = len(labels.problems)
    typer.echo(f"{common.number(kept, 'label')} by {name} imported ({statuses}); {labels.blank} blank, {unusable} unusable")


def _import_annotations(rows: "list[TableRow]", file: Path, settings: "Settings", run: str, *, strict: bool, json: bool) -> None:
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.run_rows import latest
    from methodlens.reports.annotation_files import has_annotations, read_annotations

    if not has_annotations(rows):
        raise LabelsError(f"{file} does not say who labelled", "name the person with --annotator")
    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        found = read_annotations(rows, (entry for entry, _ in ledger.entries(chosen)), chosen.questions)
        common.echo_lines((f"{problem.where}: {problem.kind}: {problem.what}" for problem in found.problems), err=True)
        if not found.annotations:
            raise LabelsError(f"{file} has no usable annotation", "select the run that was annotated with --out and --run")
        _check_problems(found.problems, file, strict=strict)
        people = sorted({annotation.annotator for annotation in found.annotations})
        with ledger.lock():
            kept = ledger.keep_annotations(found.annotations)
            common.record_action(ledger, Action.IMPORTED, f"{kept} by {', '.join(people)} from {file.name}")
    if json:
        common.print_json({"kept": kept, "problems": found.problems})
        return
    typer.echo(f"{common.number(kept, 'annotation')} by {', '.join(people)} imported; {len(found.problems)} unusable")


@app.command("export")
def export_annotations(
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="Output file that ends in .jsonl or .csv. [default: JSON Lines to stdout]"),
    ] = None,
    annotator: Annotated[
        str, typer.Option("--annotator", metavar="NAME", help="Only this person's annotations. [default: everyone's]")
    ] = "",
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    settings_file: common.SettingsFile = None,
) -> None:
    """Export people's annotations on a run.

    Each line has who decided what, when and why, with the corrected answer, quotes and facts. 'annotate import' reads JSON
    Lines back without any loss; a CSV file for spreadsheets has its texts on one line.

    Example: methodlens annotate export --to annotations.jsonl --out review
    """
    import sys

    from methodlens.ledger.final_words import annotated_papers, human_annotations
    from methodlens.ledger.run_rows import latest
    from methodlens.reports.annotation_files import AnnotationFormat, annotation_lines
    from methodlens.reports.output_files import atomic_path

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    suffix = to.suffix.lower().lstrip(".") if to else AnnotationFormat.JSONL
    if suffix not in set(AnnotationFormat):
        raise InputError(f"{to} ends in neither .jsonl nor .csv", "choose one of these formats by the file's name")
    with common.open_ledger(settings) as ledger:
        chosen = latest(ledger, run)
        asked = {question.id for question in chosen.questions}
        annotated = annotated_papers(ledger)
        items = [
            (entry, annotation)
            for entry, _ in ledger.entries(chosen)
            if entry.sha256 in annotated
            for annotation in human_annotations(ledger, entry.sha256)
            if annotation.question in asked and annotator in ("", annotation.annotator)
        ]
        lines = annotation_lines(items, chosen.questions, AnnotationFormat(suffix))
    if to is None:
        sys.stdout.buffer.writelines(lines)
        sys.stdout.buffer.flush()
        return
    with atomic_path(to) as draft, draft.open("wb") as file:
        file.writelines(lines)
    typer.echo(f"{common.number(len(items), 'annotation')} written to {to}", err=True)


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
    from methodlens.evaluation.ground_truth import ground_truth
    from methodlens.evaluation.measure import labels_from_annotations
    from methodlens.ledger.annotations import ADJUDICATED
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


def _check_problems(problems: "Sequence[Problem]", file: Path, *, strict: bool) -> None:
    if strict and problems:
        raise LabelsError(f"{common.number(len(problems), 'problem')} in {file}", "correct them, or omit --strict")


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
