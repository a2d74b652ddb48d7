"""methodlens watch"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common, paired_files
from methodlens.cli.common import DEFAULT_SET
from methodlens.cli.report import write_report
from methodlens.cli.results import print_results
from methodlens.cli.run import do_plan
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.engine.arrivals import Arrivals, Batch


def command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to watch, including its subfolders.")],
    questions: common.Questions = DEFAULT_SET,
    reader: common.Readers = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    workers: common.Workers = None,
    engine: common.EngineName = "local",
    address: common.Address = "",
    vote: common.Vote = "",
    code: paired_files.Code = None,
    no_code: paired_files.NoCode = False,
    supplement: paired_files.Supplement = None,
    no_supplements: paired_files.NoSupplements = False,
    max_cost: common.MaxCost = None,
    max_tokens: common.MaxTokens = None,
    every: Annotated[
        float,
        typer.Option(
            "--every", metavar="SECONDS", help="Time between checks. A file is read when it stops changing between two.", min=0.1
        ),
    ] = 2.0,
    pages: common.Pages = True,
    once: Annotated[bool, typer.Option("--once", help="Process the papers that are there and exit.")] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Process papers as they arrive in a folder.

    Writes a report after each batch. Press Ctrl-C to stop. It is the same run as 'methodlens run FOLDER': each resumes the
    other. A paper named by --code or --supplement may arrive later.

    Example: methodlens watch inbox/ --out review
    """
    from methodlens.engine.arrivals import Arrivals
    from methodlens.engine.budget import Budget

    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder", "choose an existing folder to watch")
    options = {"workers": workers, "vote.rule": vote}
    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url, options=options)
    budget = Budget(max_cost, max_tokens)
    arrivals = Arrivals(folder)
    failed = left = 0
    with common.lens_from(settings, reader, questions) as lens:
        common.name_servers(lens)
        choices = paired_files.choices(code, no_code, supplement, no_supplements)
        later = choices.waiting()
        # fail now if a question set, reader, repository or supplement cannot be used
        lens.plan([folder], papers=[], code=later.code, supplements=later.supplements)
        choices = choices if once else later
        while batch := _next(arrivals, every, once=once, message=f"watching {folder}; press Ctrl-C to stop"):
            started = time.monotonic()
            plan = lens.plan([folder], papers=batch.all, code=choices.code, supplements=choices.supplements)
            paired_files.name_guesses(plan, among=frozenset(paper.location for paper in batch.new))
            own = frozenset(plan.papers)  # without supplements, and without files of a repository
            plan = plan.only(paper for paper in batch.new if paper in own)
            with do_plan(lens, plan, engine=engine, address=address, budget=budget) as (summary, ledger):
                written = write_report(lens, ledger, plan.run, pages=pages)
                failed = print_results(plan, summary, ledger, written, started=started, as_json=json, verdicts=once)
            left = summary.left
            arrivals.mark_done(batch)
            if once or left:
                break
    raise typer.Exit(1 if failed or left else 0)


def _next(arrivals: "Arrivals", every: float, *, once: bool, message: str) -> "Batch | None":
    """Wait for new papers. None on Ctrl-C, or if there are none with `once`."""
    try:
        if not once:
            typer.echo(message, err=True)
        arrivals.scan()
        while True:
            time.sleep(every)
            batch = arrivals.scan()
            if batch.new or once:
                return batch if batch.new else None
    except KeyboardInterrupt:
        return None
