"""methodlens run"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common, report
from methodlens.cli.common import DEFAULT_SET
from methodlens.cli.report import Pages

if TYPE_CHECKING:
    from methodlens.records import PaperEntry
    from methodlens.runs.ledger import Ledger
    from methodlens.runs.local import Summary
    from methodlens.runs.plan import Plan
    from methodlens.runs.report import Written


def command(
    papers: Annotated[list[Path], typer.Argument(metavar="PAPERS", help="PDFs, or folders: every PDF below them is read.")],
    questions: common.Questions = DEFAULT_SET,
    reader: common.Readers = None,
    out: common.Out = None,
    workers: Annotated[int | None, typer.Option(help="PDFs read at once. [default: one a core]", min=1)] = None,
    pages: Pages = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Answer every question for every paper, and keep each cell in the ledger.

    Started again, it goes on where it stopped: what stands answered is not asked twice. One bad PDF never stops a run.

    Example: methodlens run papers/ --questions dl-methods --out review
    """
    from methodlens.questions import load
    from methodlens.runs.plan import plan

    changes = [*(change or ()), *([f"workers={workers}"] if workers else ())]
    settings = common.settings_from(settings_file, changes, out=out)
    todo = plan(papers, load(questions), common.readers_from(reader, settings))
    folder = Path(settings.out)
    if dry_run:
        _say_plan(todo, folder, as_json=json)
        return

    from methodlens.cli.progress import progress
    from methodlens.papers import WorkerPool
    from methodlens.reports.links import REPORT
    from methodlens.runs import local
    from methodlens.runs.execute import Stages
    from methodlens.runs.ledger import Ledger

    retriever = common.retriever_from(settings)
    with (
        Ledger.at(folder, create=True) as ledger,
        ledger.lock(),
        WorkerPool(settings.worker_count, settings.papers, settings.reading) as pool,
    ):
        stages = Stages(pool, retriever, todo.readers, todo.run.questions, settings.retrieval, todo.sidecars)
        with progress(common.console(stderr=True), papers=len(todo.papers), cells=todo.cells) as watch:
            summary = local.run(todo, stages, ledger, workers=settings.worker_count, watch=watch)
        written = report.write(ledger, todo.run, folder / REPORT, pool=pool if pages else None, workers=settings.worker_count)
        failed = _say(todo, summary, ledger, written, as_json=json)
    raise typer.Exit(1 if failed else 0)


def _warnings(todo: "Plan", entries: "list[PaperEntry]") -> list[str]:
    """What a person should know about the papers themselves."""
    from methodlens.papers import Metadata
    from methodlens.records import PaperStatus

    lines = [f"{entry.name}: {entry.status.value}: {entry.reason}" for entry in entries if entry.status is not PaperStatus.OK]
    lines += [f"{entry.name}: the same paper as {entry.duplicate_of}" for entry in entries if entry.duplicate_of]
    lines += [
        f"{entry.name}: {len(entry.hidden)} pieces of text that nobody sees on the page, the first on p. {entry.hidden[0].page}"
        f" ({entry.hidden[0].why}): see 'methodlens show'"
        for entry in entries
        if entry.hidden
    ]
    described = [(entry.name, Metadata(entry.title, entry.authors, entry.year, entry.doi)) for entry in entries]
    for unused in (sidecar.unused(described) for sidecar in todo.sidecars):
        if unused:
            lines.append(f"{len(unused)} entries fit no paper: {', '.join(unused[:3])}{', ...' if len(unused) > 3 else ''}")
    return lines


def _say_plan(todo: "Plan", folder: Path, *, as_json: bool) -> None:
    if as_json:
        common.print_json(
            {
                "papers": todo.run.papers,
                "questions": [question.id for question in todo.run.questions],
                "readers": todo.run.readers,
                "cells": todo.cells,
                "out": str(folder),
            }
        )
        return
    typer.echo(
        f"{len(todo.papers)} papers x {len(todo.run.questions)} questions x {len(todo.readers)} readers = {todo.cells} cells"
    )
    typer.echo(f"readers: {', '.join(todo.run.readers)}; results would go to {folder}")
    for paper in todo.papers:
        typer.echo(f"  {paper.name}")


def _say(todo: "Plan", summary: "Summary", ledger: "Ledger", written: "Written", *, as_json: bool) -> int:
    """Print the verdicts, the sums and where the report is; how many cells failed."""
    from methodlens.records import Status
    from methodlens.reports import terminal
    from methodlens.runs import board

    failed = summary.cells.get(Status.FAILED, 0)
    lines = [
        f"papers: {common.counts(summary.papers)}",
        f"cells: {common.counts(summary.cells)}",
        f"{summary.asked} asked, {summary.kept} kept from before, {summary.seconds:.1f} s",
    ]
    if as_json:
        common.print_json({"run": todo.run.id, "summary": summary, "out": str(written.path.parent), "html": str(written.path)})
        return failed
    screen = common.console()
    if screen.is_terminal:
        screen.print(terminal.verdict_table(board.rows(ledger, todo.run), ascii_only=not screen.encoding.startswith("utf")))
    else:
        for line in terminal.plain_lines(board.rows(ledger, todo.run)):
            typer.echo(line)
    for line in written.notes if todo.run.papers else ():
        typer.echo(line, err=True)
    for line in _warnings(todo, [entry for entry, _ in board.entries(ledger, todo.run)]):
        typer.echo(line, err=True)
    for line in lines:
        typer.echo(line)
    typer.echo(f"see {written.path}")
    return failed
