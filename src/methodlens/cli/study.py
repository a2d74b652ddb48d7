"""methodlens study: the published study taken in, and counted again"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common

if TYPE_CHECKING:
    from methodlens.ledger.store import Ledger, Run
    from methodlens.settings import Settings
    from methodlens.study.dataset import Defect

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The published study: take it in, count its figures again.")
DEFECTS = "study-defects.jsonl"
HTML = "study.html"


@app.command("import")
def take_in(
    source: Annotated[Path, typer.Argument(metavar="DIR|FILE", help="The study's folder, or its records.jsonl.xz.")],
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Take a study's answers into a ledger, each model as a reader, with a list of every defect found.

    Reads a folder a model of Publication_<id>_CQ<n>.txt (raw transcripts, or processed answers), yes/no tables with UID and
    CQ1..CQ28 named after their model, or records.jsonl.xz; and beside them the deep-learning gate and the human categories.

    Example: methodlens study import ../shared/study --out study
    """
    from methodlens.progress import counting
    from methodlens.questions import load
    from methodlens.reports.formats import jsonl
    from methodlens.study.answer_files import load_study
    from methodlens.study.importer import create_run, import_study

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    folder = Path(settings.out)
    study = load_study(source)
    run = create_run(study, source, load(common.DEFAULT_SET).questions)
    with (
        common.open_ledger(settings, create=True) as ledger,
        ledger.lock(),
        counting("papers kept", run.papers) as watch,
    ):
        done = import_study(study, run, ledger, watch=watch)
    jsonl.write_objects(done.defects, folder / DEFECTS)
    if json:
        common.print_json(
            {
                "run": run.id,
                "papers": run.papers,
                "questions": len(run.questions),
                "readers": run.readers,
                "cells": done.statuses,
                "defects": [
                    {"kind": kind, "model": model, "counted": counted, "n": many}
                    for (kind, model, counted), many in _counted(done.defects).items()
                ],
                "listed": str(folder / DEFECTS),
            }
        )
        return
    typer.echo(f"{run.papers} papers x {len(run.questions)} questions x {len(run.readers)} readers: {', '.join(run.readers)}")
    typer.echo(f"also read: {', '.join(study.also) or 'nothing'}")
    typer.echo(f"cells: {common.counts(done.statuses)}")
    for line in _defect_lines(done.defects):
        typer.echo(line)
    typer.echo(f"each is listed in {folder / DEFECTS}; see 'methodlens study report --out {folder}'")


@app.command("report")
def report(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    ours: Annotated[
        bool, typer.Option("--ours", help="Answer every cell with our embedded reader from the same context (minutes, once).")
    ] = False,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="[default: study.html in --out]")] = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """The study's own figures from such a ledger, before and after the deep-learning gate, with ours beside each.

    Votes, yes-rates, kappa and likeness of answers between models, agreement with people's judgements and categories.

    Example: methodlens study report --out study --ours
    """
    from methodlens.progress import counting
    from methodlens.reports.statistics.statistics_output import text_lines, write_html
    from methodlens.study.figures import compute_figures, find_study_run, load_table
    from methodlens.study.figures_page import figures_page

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    folder = Path(settings.out)
    with common.open_ledger(settings) as ledger:
        run = find_study_run(ledger)
        mine = _ours(run, ledger, settings, asked=ours)
        with counting("papers counted", run.papers) as watch:
            found = compute_figures(load_table(ledger, run, mine, watch=watch))
    shown = figures_page(found, run.questions, f"{run.papers} papers, {len(run.readers)} models, from {run.sources[0]}")
    path = html or folder / HTML
    write_html(shown, path)
    if json:
        common.print_json({"scopes": found, "ours": mine.id if mine else None, "html": str(path)})
        return
    for line in text_lines(shown):
        typer.echo(line)
    typer.echo(f"see {path}", err=True)
    if mine:
        typer.echo(
            f"'methodlens evaluate --run {run.id[:8]} --run {mine.id[:8]}' measures the models and ours together", err=True
        )


def _ours(run: "Run", ledger: "Ledger", settings: "Settings", *, asked: bool) -> "Run | None":
    """Ours as it stands in the ledger; answered now, where it is asked for."""
    from methodlens.progress import counting
    from methodlens.retrieval import LexicalRetriever
    from methodlens.study.embedded_answers import answer_contexts, embedded_run

    (reader,) = common.lens_from(settings).readers
    if not asked:
        identity = embedded_run(run, reader).id
        return next((known for known in ledger.runs() if known.id == identity), None)
    with ledger.lock(), counting("papers answered by ours", run.papers) as watch:
        return answer_contexts(run, ledger, reader=reader, retriever=LexicalRetriever(), settings=settings.retrieval, watch=watch)


def _counted(defects: "Sequence[Defect]") -> Counter[tuple[str, str, str]]:
    return Counter((defect.kind.value, defect.model, defect.counted) for defect in defects)


def _defect_lines(defects: "Sequence[Defect]") -> list[str]:
    """A line a kind: how many, how many of them were counted as yes, and whose."""
    if not defects:
        return ["no defects"]
    lines = ["defects:"]
    for kind, many in Counter(defect.kind for defect in defects).items():
        yes = sum(defect.kind is kind and defect.counted == "yes" for defect in defects)
        models = Counter(defect.model for defect in defects if defect.kind is kind and defect.model)
        whose = f" ({common.counts(models)})" if models else ""
        lines.append(f"  {many:>5} {kind.value}, {yes} counted as yes{whose}")
    return lines
