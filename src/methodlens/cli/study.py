"""methodlens study"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common, study_run

if TYPE_CHECKING:
    from methodlens.ledger.store import Ledger, Run
    from methodlens.settings import Settings
    from methodlens.study.dataset import Defect

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Import the published study, check its figures, run it again."
)
DEFECTS = "study-defects.jsonl"
HTML = "study.html"
app.command("run")(study_run.run_again)


@app.command("import")
def import_answers(
    source: Annotated[Path, typer.Argument(metavar="DIR|FILE", help="The study's folder, or its records.jsonl.xz.")],
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Import the answers of a study into a ledger.

    Each model becomes a reader; defects are listed. Reads one folder per model of Publication_<id>_CQ<n>.txt (raw
    transcripts or processed answers), yes/no tables named after their model (columns UID, CQ1 to CQ28), or records.jsonl.xz;
    and in the same folder the deep-learning gate and the human categories.

    Example: methodlens study import published/ --out study
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
        imported = import_study(study, run, ledger, watch=watch)
    jsonl.write_objects(imported.defects, folder / DEFECTS)
    if json:
        common.print_json(
            {
                "run": run.id,
                "papers": run.papers,
                "questions": len(run.questions),
                "readers": run.readers,
                "cells": imported.statuses,
                "defects": [
                    {"kind": kind, "model": model, "counted": counted, "n": n}
                    for (kind, model, counted), n in _count_defects(imported.defects).items()
                ],
                "listed": str(folder / DEFECTS),
            }
        )
        return
    typer.echo(f"{run.papers} papers x {len(run.questions)} questions x {len(run.readers)} readers: {', '.join(run.readers)}")
    typer.echo(f"also read: {', '.join(study.also) or 'nothing'}")
    typer.echo(f"cells: {common.counts(imported.statuses)}")
    common.echo_lines(_defect_lines(imported.defects))
    typer.echo(f"all defects are in {folder / DEFECTS}; next: methodlens study report --out {folder}")


@app.command("report")
def report(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    ours: Annotated[
        bool,
        typer.Option("--ours", help="Also answer with the embedded reader, from the same context (takes minutes once)."),
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", metavar="DIR|FILE", help="Compare a run in --out with the published labels in this study, cell by cell."
        ),
    ] = None,
    run: common.RunId = "",
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Page with plots. [default: study.html or study-against.html in --out]"),
    ] = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Recompute the figures of an imported study, or compare a new run with it (--against).

    Votes, yes rates, agreement and similarity between models, agreement with human labels and categories; before and after
    the deep-learning gate. With --ours, next to the embedded reader's. With --against, old and new verdicts per question and
    model, and the time and energy of the new run; --run names a run other than the latest.

    Example: methodlens study report --out again --against STUDY/records.jsonl.xz
    """
    from methodlens.progress import counting
    from methodlens.reports.statistics.statistics_output import text_lines, write_html
    from methodlens.study.figures import compute_figures, find_study_run, load_table
    from methodlens.study.figures_page import figures_page

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    folder = Path(settings.out)
    if against:
        study_run.compare_with(against, settings, run=run, html=html, as_json=json)
        return
    with common.open_ledger(settings) as ledger:
        study = find_study_run(ledger)
        own = _embedded_run(study, ledger, settings, create=ours)
        with counting("papers counted", study.papers) as watch:
            figures = compute_figures(load_table(ledger, study, own, watch=watch))
    page = figures_page(figures, study.questions, f"{study.papers} papers, {len(study.readers)} models, from {study.sources[0]}")
    path = html or folder / HTML
    write_html(page, path)
    if json:
        common.print_json({"scopes": figures, "ours": own.id if own else None, "html": str(path)})
        return
    common.echo_lines(text_lines(page))
    typer.echo(f"see {path}", err=True)
    if own:
        typer.echo(f"to evaluate both: methodlens evaluate --run {study.id[:8]} --run {own.id[:8]}", err=True)


def _embedded_run(study: "Run", ledger: "Ledger", settings: "Settings", *, create: bool) -> "Run | None":
    """The embedded reader's answers, if they are in the ledger or `create` is set."""
    from methodlens.progress import counting
    from methodlens.study.embedded_answers import answer_contexts, embedded_run

    (reader,) = common.lens_from(settings).readers
    if not create:
        run_id = embedded_run(study, reader).id
        return next((run for run in ledger.runs() if run.id == run_id), None)
    with ledger.lock(), counting("papers answered", study.papers) as watch:
        return answer_contexts(study, ledger, reader=reader, settings=settings.retrieval, watch=watch)


def _count_defects(defects: "Sequence[Defect]") -> Counter[tuple[str, str, str]]:
    return Counter((defect.kind.value, defect.model, defect.counted) for defect in defects)


def _defect_lines(defects: "Sequence[Defect]") -> list[str]:
    """One line per kind: how many, how many of them the study counted as yes, and by which models."""
    if not defects:
        return ["no defects"]
    lines = ["defects:"]
    for kind, count in Counter(defect.kind for defect in defects).items():
        yes = sum(defect.kind is kind and defect.counted == "yes" for defect in defects)
        models = Counter(defect.model for defect in defects if defect.kind is kind and defect.model)
        by_model = f" ({common.counts(models)})" if models else ""
        lines.append(f"  {count:>5} {kind.value}, {yes} counted as yes{by_model}")
    return lines
