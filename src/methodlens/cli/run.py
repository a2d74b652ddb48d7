"""methodlens run"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common, paired_files
from methodlens.cli.common import DEFAULT_SET
from methodlens.cli.report import write_report
from methodlens.cli.results import print_results
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.engine.budget import Budget
    from methodlens.engine.plan import Plan
    from methodlens.engine.totals import Summary
    from methodlens.ledger.store import Ledger
    from methodlens.lens import Lens

_MOST_SKIPPED = 20


def command(
    papers: common.OptionalPapers = None,
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
    zotero: Annotated[
        Path | None,
        typer.Option(
            "--zotero",
            metavar="PATH",
            help="Instead of PAPERS: Zotero's data folder, or a library exported as .json, .bib or .ris.",
        ),
    ] = None,
    code: paired_files.Code = None,
    no_code: paired_files.NoCode = False,
    supplement: paired_files.Supplement = None,
    no_supplements: paired_files.NoSupplements = False,
    pages: common.Pages = True,
    batch: Annotated[
        bool, typer.Option("--batch", help="Hand the calls to language models in as batches: cheaper, answered within a day.")
    ] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Exit once the batches are handed in; rerun to fetch their results.")
    ] = False,
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
    started = time.monotonic()
    options = {"workers": workers, "judge": judge, "vote.rule": vote, "batch": batch or None}
    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url, options=options)
    with common.lens_from(settings, reader, questions) as lens:
        common.name_servers(lens)
        choices = paired_files.choices(code, no_code, supplement, no_supplements)
        plan = _plan(lens, papers or [], zotero, repeat=repeat, choices=choices)
        paired_files.name_guesses(plan)
        if dry_run:
            _print_plan(plan, Path(settings.out), as_json=json)
            return

        from methodlens.engine.budget import Budget

        budget = Budget(max_cost, max_tokens)
        with do_plan(lens, plan, engine=engine, address=address, budget=budget, wait=not no_wait) as (summary, ledger):
            written = write_report(lens, ledger, plan.run, pages=pages)
            failed = print_results(plan, summary, ledger, written, started=started, as_json=json)
    raise typer.Exit(1 if failed or summary.left else 0)


def _plan(
    lens: "Lens",
    papers: Sequence[str],
    zotero: Path | None,
    *,
    repeat: int,
    choices: paired_files.Choices,
) -> "Plan":
    code, supplements = choices
    if bool(papers) is bool(zotero):
        raise InputError("name either PAPERS or a library with --zotero", "for example: methodlens run papers/ --out review")
    if zotero is None:
        return lens.plan(papers, repeat=repeat, code=code, supplements=supplements)
    from methodlens.papers.zotero import read_library

    library = read_library(zotero)
    common.echo_lines(library.skipped[:_MOST_SKIPPED], err=True)
    if len(library.skipped) > _MOST_SKIPPED:
        typer.echo(f"and {len(library.skipped) - _MOST_SKIPPED} more", err=True)
    sidecars = [library.sidecars]
    return lens.plan(library.sources, repeat=repeat, papers=library.papers, sidecars=sidecars, code=code, supplements=supplements)


@contextmanager
def do_plan(
    lens: "Lens", plan: "Plan", *, engine: str, address: str, budget: "Budget", wait: bool = True
) -> "Iterator[tuple[Summary, Ledger]]":
    """Execute the plan, and wait for its batches. The ledger stays open and locked for the report."""
    from msgspec.structs import replace

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
        with run_progress(papers=len(plan.papers), cells=plan.cells, cost=budget.forecast) as watch:
            notify = partial(typer.echo, err=True)
            summary = driver.run(
                plan,
                opened,
                ledger,
                budget=budget,
                watch=watch,
                notify=notify,
                wait_for_batches=wait,
                pictures=lens.pictures,
            )
        yield replace(summary, supplements=lens.read_supplements(plan, ledger)), ledger


def _print_plan(plan: "Plan", folder: Path, *, as_json: bool) -> None:
    if as_json:
        common.print_json(
            {
                "papers": plan.names,
                "questions": [question.id for question in plan.questions],
                "readers": plan.run.readers,
                "cells": plan.cells,
                "out": str(folder),
                **({"code": {paper: source.shown for paper, source in plan.code.items()}} if plan.code else {}),
                **({"supplements": _supplement_names(plan)} if plan.supplements else {}),
            }
        )
        return
    repeats = len(plan.readers) - len(plan.run.readers)
    readers = common.number(len(plan.run.readers), "reader")
    papers, questions = common.number(len(plan.papers), "paper"), common.number(len(plan.questions), "question")
    repeated = f"({readers} + {common.number(repeats, 'repeat')})" if repeats else readers
    typer.echo(f"{papers} x {questions} x {repeated} = {common.number(plan.cells, 'cell')}")
    typer.echo(f"readers: {', '.join(plan.run.readers)}; vote: {plan.run.vote}; results would go to {folder}")
    code, supplements = plan.code or {}, _supplement_names(plan)
    for paper in plan.papers:
        repository = f"  code: {code[paper.name].shown}" if paper.name in code else ""
        files = f"  supplement: {', '.join(supplements[paper.name])}" if paper.name in supplements else ""
        common.echo_lines([f"  {paper.name}{repository}{files}"])


def _supplement_names(plan: "Plan") -> dict[str, list[str]]:
    return {paper: [each.file.name for each in files] for paper, files in (plan.supplements or {}).items()}
