"""methodlens annotate: what people wrote, taken in and compared"""

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

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Labels by people: take in their sheets, compare two of them."
)

RunId = Annotated[str, typer.Option("--run", metavar="ID", help="[default: the latest]")]


@app.command("import")
def take_in(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET", help="A sheet of 'methodlens sample', filled in, or a label table.")],
    annotator: Annotated[str, typer.Option("--annotator", metavar="NAME", help="Who labelled; 'adjudicated' settles disputes.")],
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: RunId = "",
    strict: Annotated[bool, typer.Option("--strict", help="Take in nothing if anything cannot be used.")] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Take a filled-in sheet into the ledger. Labels stand beside the readers' verdicts; nothing is overwritten.

    Example: methodlens annotate import annotate.xlsx --annotator ann --out review
    """
    from methodlens.evaluation.labels import paper_filter, parse_labels, read_rows
    from methodlens.evaluation.measure import annotator_name
    from methodlens.evaluation.paper_catalog import PaperCatalog
    from methodlens.evaluation.vocabulary import LabelWords
    from methodlens.ledger import run_rows
    from methodlens.reports.annotation_sheets import keep_labels
    from methodlens.reports.statistics.evaluation_page import problem_lines

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    name = annotator_name(annotator)
    with common.open_ledger(settings) as ledger:
        chosen = run_rows.latest(ledger, run)
        rows = read_rows(sheet)
        wanted = paper_filter(rows)
        papers = [entry for entry, _ in ledger.entries(chosen) if wanted(entry)]
        gold = parse_labels(rows, PaperCatalog(papers, chosen.questions), LabelWords(settings.evaluation), annotator=name)
        for line in problem_lines(gold):
            typer.echo(line, err=True)
        _check(gold, sheet, strict=strict)
        with ledger.lock():
            kept = keep_labels(ledger, gold, papers, name)
    if json:
        common.print_json({"annotator": name, "kept": kept, "blank": gold.blank, "problems": gold.problems})
        return
    said = Counter(label.status.value for label in gold.labels)
    typer.echo(f"{kept} labels by {name} ({common.counts(said)}); {gold.blank} left blank, {len(gold.problems)} not usable")


@app.command("compare")
def compare(
    first: Annotated[str, typer.Argument(metavar="NAME", help="One annotator.")],
    second: Annotated[str, typer.Argument(metavar="NAME", help="The other.")],
    sheet: Annotated[
        Path | None,
        typer.Option("--sheet", metavar="FILE.csv", help="Write the cells they differ on, for a third person to settle."),
    ] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: RunId = "",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """How far do two annotators agree, and on which cells do they differ?

    A third person settles those on the sheet; taken in with --annotator adjudicated, it is the truth for 'evaluate'.

    Example: methodlens annotate compare ann bob --sheet disputes.csv --out review
    """
    from methodlens.evaluation.ground_truth import ADJUDICATED, ground_truth
    from methodlens.evaluation.measure import labels_from_annotations
    from methodlens.ledger import run_rows
    from methodlens.reports.annotation_sheets import annotator_labels, compare_annotators, sheet_rows, write_csv

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    folder = Path(settings.out)
    with common.open_ledger(settings) as ledger:
        chosen = run_rows.latest(ledger, run)
        words = ledger.annotations()
        about = {one.paper_sha256 for one in words}
        papers = [entry for entry, _ in ledger.entries(chosen) if entry.sha256 in about]
        settled = ground_truth(labels_from_annotations(words, papers).labels)
        found = compare_annotators(settled, first, second, ADJUDICATED)
        said = {place: annotator_labels(settled, place, (first, second)) for place in found.differing}
        if sheet:
            write_csv(sheet_rows(ledger, chosen, found.differing, notes=said), sheet, blind=False)
    if json:
        listed = [{"paper": cell.paper, "question": cell.question, "said": said[cell]} for cell in found.differing]
        common.print_json({"comparison": found, "differing": listed, "sheet": str(sheet) if sheet else None})
        return
    _say(found, said)
    if sheet:
        typer.echo(f"settle them in {sheet}, then: methodlens annotate import {sheet} --annotator {ADJUDICATED} --out {folder}")


def _check(gold: "LabelSet", sheet: Path, *, strict: bool) -> None:
    if not gold.labels:
        raise LabelsError(
            f"{sheet} holds no label that can be used", "fill in the column 'label', and name the sheet's run with --run"
        )
    if strict and gold.problems:
        raise LabelsError(f"{len(gold.problems)} things in {sheet} cannot be used", "correct them, or leave out --strict")


def _say(found: "Comparison", said: "dict[CellRef, str]") -> None:
    from methodlens.reports.statistics.sections import format_number

    one = found.agreement
    typer.echo(
        f"{one.first} and {one.second}: {one.agreed} of {one.n} cells alike ({format_number(one.agreement)}), "
        f"kappa {format_number(one.kappa, 3)}, AC1 {format_number(one.ac1, 3)}; "
        f"{found.only_first} only by {one.first}, {found.only_second} only by {one.second}"
    )
    typer.echo(f"{len(found.differing)} differ, {found.settled} of them settled")
    for (paper, question), stance in said.items():
        typer.echo(f"  {paper} {question}: {stance}")
