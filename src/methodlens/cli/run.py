"""methodlens run"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET
from methodlens.cli.report import write_report
from methodlens.cli.results import print_results

if TYPE_CHECKING:
    from methodlens.engine.budget import Budget
    from methodlens.engine.plan import Plan
    from methodlens.engine.totals import Summary
    from methodlens.ledger.store import Ledger
    from methodlens.lens import Lens


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
        typer.Option(
            "--repeat",
            metavar="N",
            help="Ask each reader N times and report stability. Only the first answer counts.",
            min=1,
            max=100,
        ),
    ] = 1,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="rules|model",
            help="Decide by rules, or by a second call, whether a language model's answer gives what was asked. [default: rules]",
        ),
    ] = None,
    pages: common.Pages = True,
    max_cost: common.MaxCost = None,
    max_tokens: common.MaxTokens = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done and exit.")] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Answer every question for every paper, and write a report.

    Answers are stored in the ledger. Rerun to resume: answered cells are not asked again. A broken paper never stops a run.
    Ctrl-C finishes the calls in progress; a second Ctrl-C abandons them.

    Example: methodlens run papers/ --questions dl-methods --out review
    """
    options = {"workers": workers, "judge": judge, "vote.rule": vote}
    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url, options=options)
    with common.lens_from(settings, reader, questions) as lens:
        common.name_servers(lens)
        plan = lens.plan(papers, repeat=repeat)
        if dry_run:
            _print_plan(plan, Path(settings.out), as_json=json)
            return

        from methodlens.engine.budget import Budget

        budget = Budget(max_cost, max_tokens)
        with do_plan(lens, plan, engine=engine, address=address, budget=budget) as (summary, ledger):
            written = write_report(lens, ledger, plan.run, pages=pages)
            failed = print_results(plan, summary, ledger, written, as_json=json)
    raise typer.Exit(1 if failed or summary.left else 0)


@contextmanager
def do_plan(lens: "Lens", plan: "Plan", *, engine: str, address: str, budget: "Budget") -> "Iterator[tuple[Summary, Ledger]]":
    """Execute the plan. The ledger stays open and locked for the report."""
    from methodlens.engine import driver
    from methodlens.engine.factory import EngineKind
    from methodlens.progress import run_progress

    budget.check(plan.readers)
    kind = common.one_of(EngineKind, engine, "--engine")
    with (
        lens.open_engine(plan, kind=kind, address=address) as opened,  # before the ledger is created, in case there is no cluster
        common.open_ledger(lens.settings, create=True) as ledger,
        ledger.lock(),
    ):
        with run_progress(papers=len(plan.papers), cells=plan.cells) as watch:
            summary = driver.run(plan, opened, ledger, budget=budget, watch=watch, notify=partial(typer.echo, err=True))
        yield summary, ledger


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
    readers = common.number(len(plan.run.readers), "reader")
    papers, questions = common.number(len(plan.papers), "paper"), common.number(len(plan.questions), "question")
    repeated = f"({readers} + {common.number(repeats, 'repeat')})" if repeats else readers
    typer.echo(f"{papers} x {questions} x {repeated} = {common.number(plan.cells, 'cell')}")
    typer.echo(f"readers: {', '.join(plan.run.readers)}; vote: {plan.run.vote}; results would go to {folder}")
    common.echo_lines(f"  {paper.name}" for paper in plan.papers)
