"""methodlens run"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common, report
from methodlens.cli.common import DEFAULT_SET
from methodlens.cli.report import Pages

if TYPE_CHECKING:
    from methodlens.engine.budget import Budget
    from methodlens.engine.driver import Summary
    from methodlens.engine.plan import Plan
    from methodlens.evaluation.stability import Stability
    from methodlens.ledger.store import Ledger
    from methodlens.lens import Lens
    from methodlens.records import PaperEntry
    from methodlens.reports.html.run_report import WrittenReport

_MAX_REASONS = 3
_MAX_NAMED = 10
"""Papers named for each kind of warning."""
_MAX_VERDICTS = 50
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
        int,
        typer.Option(help="Ask each reader N times and report stability. Only the first answer counts.", min=1, max=100),
    ] = 1,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="rules|model",
            help="Who decides whether a language model's answer reports what was asked: rules, or the model in a second call.",
        ),
    ] = None,
    pages: Pages = True,
    max_cost: common.MaxCost = None,
    max_tokens: common.MaxTokens = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done and exit.")] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Answer every question for every paper, and keep each cell in the ledger.

    Rerun to resume: answered cells are not asked again. A broken PDF never stops a run. Ctrl-C finishes the calls in
    progress; a second Ctrl-C abandons them.

    Example: methodlens run papers/ --questions dl-methods --out review
    """
    flags = {"workers": workers, "judge": judge, "vote.rule": vote}
    changes = [*(change or ()), *(f"{key}={value}" for key, value in flags.items() if value)]
    settings = common.settings_from(settings_file, changes, out=out, ledger=ledger_url)
    with common.lens_from(settings, reader, questions) as lens:
        plan = lens.plan(papers, repeat=repeat)
        if dry_run:
            _print_plan(plan, Path(settings.out), as_json=json)
            return

        from methodlens.engine.budget import Budget

        budget = Budget(max_cost, max_tokens)
        with do_plan(lens, plan, engine=engine, address=address, budget=budget) as (summary, ledger):
            written = report.write_report(ledger, plan.run, settings, pages=pages)
            failed = print_results(plan, summary, ledger, written, as_json=json)
    raise typer.Exit(1 if failed or summary.left else 0)


@contextmanager
def do_plan(lens: "Lens", plan: "Plan", *, engine: str, address: str, budget: "Budget") -> "Iterator[tuple[Summary, Ledger]]":
    """Do the plan; the ledger stays open and locked for the report."""
    from methodlens.engine import driver
    from methodlens.engine.factory import EngineKind
    from methodlens.progress import run_progress

    budget.check(plan.readers)
    kind = common.one_of(EngineKind, engine, "--engine")
    with (
        lens.open_engine(plan, kind=kind, address=address) as opened,  # first: nothing is created if there is no cluster
        common.open_ledger(lens.settings, create=True) as ledger,
        ledger.lock(),
    ):
        with run_progress(papers=len(plan.papers), cells=plan.cells) as watch:
            summary = driver.run(plan, opened, ledger, budget=budget, watch=watch, notify=_notify)
        yield summary, ledger


def _notify(text: str) -> None:
    typer.echo(text, err=True)


def print_results(
    plan: "Plan",
    summary: "Summary",
    ledger: "Ledger",
    written: "WrittenReport",
    *,
    as_json: bool,
    verdicts: bool = True,
) -> int:
    """Print the verdicts (unless not wanted), the totals and the path of the report; return how many cells failed."""
    from methodlens.cli import spending
    from methodlens.ledger import accounts
    from methodlens.records import Status

    failed = summary.cells.get(Status.FAILED, 0)
    stability = _stability(plan, ledger)
    spent = accounts.by_reader(ledger, plan.run)
    if as_json:
        where = {"out": str(written.path.parent), "html": str(written.path)} | ({"stability": stability} if stability else {})
        common.print_json({"run": plan.run.id, "summary": summary, "accounts": spent, **where})
        return failed
    if verdicts:
        _print_verdicts(plan, ledger, written)
    most_frequent = sorted(summary.failures.items(), key=lambda item: -item[1])[:_MAX_REASONS]
    reasons = [f"{count} {'cell' if count == 1 else 'cells'} failed: {reason}" for reason, count in most_frequent]
    for line in (*written.notes, *_warnings(plan, ledger), *reasons):
        typer.echo(line, err=True)
    for line in (*_totals(summary), *_stability_lines(plan, stability), *spending.lines(spent)):
        typer.echo(line)
    typer.echo(f"see {written.path}")
    return failed


def _totals(summary: "Summary") -> "Iterator[str]":
    yield f"papers: {common.counts(summary.papers)}"
    yield f"cells: {common.counts(summary.cells)}"
    yield f"{summary.asked} asked, {summary.kept} kept from before, {summary.seconds:.1f} s"
    if summary.lost:
        yield f"{summary.lost} calls were in progress when an earlier run was killed; they were made again"
    if summary.elsewhere:
        yield f"{summary.elsewhere} papers were processed by other drivers on this ledger"
    if summary.left:
        yield f"stopped: {summary.stopped}; {summary.left} cells are left. Rerun to resume."


def _stability(plan: "Plan", ledger: "Ledger") -> "list[Stability]":
    from methodlens.evaluation.stability import stability

    once = {reader.info.name for reader in plan.readers if reader.info.deterministic}
    return stability(ledger, plan.run, deterministic=once) if plan.run.repeat > 1 else []


def _stability_lines(plan: "Plan", stability: "list[Stability]") -> list[str]:
    from methodlens.evaluation.stability import stability_lines

    return stability_lines(stability, plan.run.repeat) if stability else []


def _print_plan(plan: "Plan", folder: Path, *, as_json: bool) -> None:
    if as_json:
        common.print_json(
            {
                "papers": plan.names,
                "questions": [question.id for question in plan.questions],
                "readers": plan.run.readers,
                "cells": plan.cells,
                "out": str(folder),
            }
        )
        return
    repeats = len(plan.readers) - len(plan.run.readers)
    readers = f"{len(plan.run.readers)} readers" if not repeats else f"({len(plan.run.readers)} readers + {repeats} repeats)"
    typer.echo(f"{len(plan.papers)} papers x {len(plan.questions)} questions x {readers} = {plan.cells} cells")
    typer.echo(f"readers: {', '.join(plan.run.readers)}; vote: {plan.run.vote}; results would go to {folder}")
    for paper in plan.papers:
        typer.echo(f"  {paper.name}")


def _print_verdicts(plan: "Plan", ledger: "Ledger", written: "WrittenReport") -> None:
    """Of the first papers; the report has them all."""
    from methodlens.ledger import run_rows
    from methodlens.reports import terminal

    screen, rows = common.console(), run_rows.rows(ledger, plan.run)
    if screen.is_terminal:
        ascii_only = not screen.encoding.startswith("utf")
        screen.print(terminal.verdict_table(rows, ascii_only=ascii_only, most=_MAX_VERDICTS))
    else:
        for line in terminal.plain_lines(rows, most=_MAX_VERDICTS):
            typer.echo(line)
    if written.papers > _MAX_VERDICTS:
        typer.echo(f"... and {written.papers - _MAX_VERDICTS:,} more papers, in the report and in 'methodlens export'")


class _Warning(IntEnum):
    """Kinds of warnings about papers, in the order in which they are printed."""

    UNREADABLE = auto()
    DUPLICATE = auto()
    HIDDEN = auto()
    NO_DL = auto()


def _warnings(plan: "Plan", ledger: "Ledger") -> "Iterator[str]":
    """A few lines of each kind."""
    from methodlens.ledger import run_rows
    from methodlens.papers import Metadata

    lines: dict[_Warning, list[str]] = {}
    counts: Counter[_Warning] = Counter()
    for entry, _ in run_rows.entries(ledger, plan.run):
        for kind, line in _paper_warnings(entry):
            counts[kind] += 1
            if counts[kind] <= _MAX_NAMED:
                lines.setdefault(kind, []).append(line)
    for kind in sorted(lines):
        yield from lines[kind]
        if counts[kind] > _MAX_NAMED:
            yield f"... and {counts[kind] - _MAX_NAMED:,} more like this"
    for sidecar in plan.sidecars:
        entries = (entry for entry, _ in ledger.entries(plan.run))
        unused = sidecar.unused((entry.name, Metadata(entry.title, entry.authors, entry.year, entry.doi)) for entry in entries)
        if unused:
            yield f"{len(unused)} entries match no paper: {', '.join(unused[:3])}{', ...' if len(unused) > 3 else ''}"


def _paper_warnings(entry: "PaperEntry") -> "Iterator[tuple[_Warning, str]]":
    from methodlens.records import PaperStatus
    from methodlens.verdicts import NO_DL

    if entry.status is not PaperStatus.OK:
        yield _Warning.UNREADABLE, f"{entry.name}: {entry.status.value}: {entry.reason}"
    if entry.duplicate_of:
        yield _Warning.DUPLICATE, f"{entry.name}: the same paper as {entry.duplicate_of}"
    if entry.hidden:
        first = f"the first on p. {entry.hidden[0].page} ({entry.hidden[0].why})"
        yield _Warning.HIDDEN, f"{entry.name}: {len(entry.hidden)} pieces of hidden text, {first}; see 'methodlens show'"
    if NO_DL in entry.flags:
        yield _Warning.NO_DL, f"{entry.name}: no deep learning of its own found; its cells are flagged"
