"""methodlens run"""

from collections import Counter
from enum import IntEnum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common, report
from methodlens.cli.common import DEFAULT_SET
from methodlens.cli.report import Pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from methodlens.engine.driver import Summary
    from methodlens.engine.plan import Plan
    from methodlens.evaluation.stability import Stability
    from methodlens.ledger.ledger import Ledger
    from methodlens.records import PaperEntry
    from methodlens.reports.html.run_report import WrittenReport

_FAILURES_SHOWN = 3
_PAPERS_NAMED = 10
"""Of each kind of thing to know about papers."""
_VERDICTS_SHOWN = 50
"""Papers whose verdicts are printed."""


def command(
    papers: common.Papers,
    questions: common.Questions = DEFAULT_SET,
    reader: common.Readers = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    workers: common.Workers = None,
    engine: common.EngineName = "local",
    address: common.Address = "",
    vote: common.Vote = "",
    repeat: Annotated[
        int, typer.Option(help="Ask each reader so often, and say how steady it is. The first time counts.", min=1, max=100)
    ] = 1,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="rules|model",
            help="Who says whether a language model's answer gives what was asked: rules, or the model in a second call.",
        ),
    ] = None,
    pages: Pages = True,
    max_cost: common.MaxCost = None,
    max_tokens: common.MaxTokens = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Answer every question for every paper, and keep each cell in the ledger.

    Started again, it goes on where it stopped: what stands answered is not asked twice. One bad PDF never stops a run.
    Ctrl-C finishes the calls under way; pressed twice, it abandons them.

    Example: methodlens run papers/ --questions dl-methods --out review
    """
    from methodlens.engine.plan import plan

    flags = {"workers": workers, "judge": judge, "vote.rule": vote}
    changes = [*(change or ()), *(f"{key}={value}" for key, value in flags.items() if value)]
    settings = common.settings_from(settings_file, changes, out=out, ledger=ledger_url)
    asked = common.questions_from(questions, settings)
    todo = plan(papers, asked, common.readers_from(reader, settings), vote=settings.vote.rule, repeat=repeat)
    folder = Path(settings.out)
    if dry_run:
        _say_plan(todo, folder, as_json=json)
        return

    from methodlens.cli.engines import worked
    from methodlens.engine.budget import Budget

    budget = Budget(max_cost, max_tokens)
    with common.closing(todo.readers), worked(todo, settings, engine=engine, address=address, budget=budget) as (summary, ledger):
        written = report.drawn(ledger, todo.run, settings, pages=pages)
        failed = tell(todo, summary, ledger, written, as_json=json)
    raise typer.Exit(1 if failed or summary.left else 0)


def _warnings(todo: "Plan", ledger: "Ledger") -> "Iterator[str]":
    """What a person should know about the papers themselves, a few lines of each kind."""
    from methodlens.ledger import rows as board
    from methodlens.papers import Metadata

    shown: dict[_Kind, list[str]] = {}
    counts: Counter[_Kind] = Counter()
    for entry, _ in board.entries(ledger, todo.run):
        for kind, line in _noteworthy(entry):
            counts[kind] += 1
            if counts[kind] <= _PAPERS_NAMED:
                shown.setdefault(kind, []).append(line)
    for kind in sorted(shown):
        yield from shown[kind]
        if counts[kind] > _PAPERS_NAMED:
            yield f"... and {counts[kind] - _PAPERS_NAMED:,} more like this"
    for sidecar in todo.sidecars:
        found = (entry for entry, _ in ledger.entries(todo.run))
        unused = sidecar.unused((entry.name, Metadata(entry.title, entry.authors, entry.year, entry.doi)) for entry in found)
        if unused:
            yield f"{len(unused)} entries fit no paper: {', '.join(unused[:3])}{', ...' if len(unused) > 3 else ''}"


class _Kind(IntEnum):
    """Of what to know about a paper, in the order in which it is told."""

    UNREADABLE = auto()
    SAME = auto()
    HIDDEN = auto()
    NO_DL = auto()


def _noteworthy(entry: "PaperEntry") -> "Iterator[tuple[_Kind, str]]":
    from methodlens.records import PaperStatus
    from methodlens.verdicts import NO_DL

    if entry.status is not PaperStatus.OK:
        yield _Kind.UNREADABLE, f"{entry.name}: {entry.status.value}: {entry.reason}"
    if entry.duplicate_of:
        yield _Kind.SAME, f"{entry.name}: the same paper as {entry.duplicate_of}"
    if entry.hidden:
        first = f"the first on p. {entry.hidden[0].page} ({entry.hidden[0].why})"
        text = f"{len(entry.hidden)} pieces of text that nobody sees on the page"
        yield _Kind.HIDDEN, f"{entry.name}: {text}, {first}: see 'methodlens show'"
    if NO_DL in entry.flags:
        yield _Kind.NO_DL, f"{entry.name}: no deep learning of its own was found; its cells say so"


def _say_plan(todo: "Plan", folder: Path, *, as_json: bool) -> None:
    if as_json:
        common.print_json(
            {
                "papers": todo.names,
                "questions": [question.id for question in todo.run.questions],
                "readers": todo.run.readers,
                "cells": todo.cells,
                "out": str(folder),
            }
        )
        return
    again = len(todo.readers) - len(todo.run.readers)
    readers = f"{len(todo.run.readers)} readers" if not again else f"({len(todo.run.readers)} readers + {again} times again)"
    typer.echo(f"{len(todo.papers)} papers x {len(todo.run.questions)} questions x {readers} = {todo.cells} cells")
    typer.echo(f"readers: {', '.join(todo.run.readers)}; vote: {todo.run.vote}; results would go to {folder}")
    for paper in todo.papers:
        typer.echo(f"  {paper.name}")


def tell(
    todo: "Plan", summary: "Summary", ledger: "Ledger", written: "WrittenReport", *, as_json: bool, verdicts: bool = True
) -> int:
    """Print the verdicts (unless they are not wanted), the sums and where the report is; how many cells failed."""
    from methodlens.cli import spending
    from methodlens.evaluation.stability import stability_lines
    from methodlens.ledger import accounts
    from methodlens.records import Status

    failed = summary.cells.get(Status.FAILED, 0)
    steady = _stability(todo, ledger)
    lines = [
        f"papers: {common.counts(summary.papers)}",
        f"cells: {common.counts(summary.cells)}",
        f"{summary.asked} asked, {summary.kept} kept from before, {summary.seconds:.1f} s",
        *(stability_lines(steady, todo.run.repeat) if steady else ()),
    ]
    if summary.lost:
        lines.append(f"{summary.lost} calls were under way when an earlier start was killed: they were made again")
    if summary.elsewhere:
        lines.append(f"{summary.elsewhere} papers were done by other drivers on this ledger meanwhile")
    if summary.left:
        lines.append(f"stopped: {summary.stopped}; {summary.left} cells are left: start it again and it goes on with them")
    spent = accounts.by_reader(ledger, todo.run)
    if as_json:
        where = {"out": str(written.path.parent), "html": str(written.path)} | ({"stability": steady} if steady else {})
        common.print_json({"run": todo.run.id, "summary": summary, "accounts": spent, **where})
        return failed
    if verdicts:
        _show_verdicts(todo, ledger, written)
    common_failures = sorted(summary.failures.items(), key=lambda item: -item[1])[:_FAILURES_SHOWN]
    reasons = [f"{count} {'cell' if count == 1 else 'cells'} failed: {reason}" for reason, count in common_failures]
    for line in (*written.notes, *_warnings(todo, ledger), *reasons):
        typer.echo(line, err=True)
    for line in (*lines, *spending.lines(spent)):
        typer.echo(line)
    typer.echo(f"see {written.path}")
    return failed


def _show_verdicts(todo: "Plan", ledger: "Ledger", written: "WrittenReport") -> None:
    """The first papers: nobody reads thousands of lines, and the report has them all."""
    from methodlens.ledger import rows as board
    from methodlens.reports import terminal

    screen, rows = common.console(), board.rows(ledger, todo.run)
    if screen.is_terminal:
        ascii_only = not screen.encoding.startswith("utf")
        screen.print(terminal.verdict_table(rows, ascii_only=ascii_only, most=_VERDICTS_SHOWN))
    else:
        for line in terminal.plain_lines(rows, most=_VERDICTS_SHOWN):
            typer.echo(line)
    if written.papers > _VERDICTS_SHOWN:
        typer.echo(f"... and {written.papers - _VERDICTS_SHOWN:,} more papers, in the report and in 'methodlens export'")


def _stability(todo: "Plan", ledger: "Ledger") -> "list[Stability]":
    from methodlens.evaluation.stability import stability

    once = {reader.info.name for reader in todo.readers if reader.info.deterministic}
    return stability(ledger, todo.run, deterministic=once) if todo.run.repeat > 1 else []
