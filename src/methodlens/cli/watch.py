"""methodlens watch"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common, report
from methodlens.cli.common import DEFAULT_SET
from methodlens.cli.report import Pages
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.engine.arrivals import Arrivals, Batch


def command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where papers arrive; folders below it count too.")],
    questions: common.Questions = DEFAULT_SET,
    reader: common.Readers = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    workers: common.Workers = None,
    engine: common.EngineName = "local",
    address: common.Address = "",
    vote: common.Vote = "",
    max_cost: common.MaxCost = None,
    max_tokens: common.MaxTokens = None,
    every: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="How often to look; a file that is unchanged since the last look is read.", min=0.1),
    ] = 2.0,
    pages: Pages = True,
    once: Annotated[bool, typer.Option("--once", help="Read what is there, and stop.")] = False,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Read new papers as they arrive in a folder, with a report after each batch. Ctrl-C ends it.

    It is the same run as 'methodlens run FOLDER': started again, either goes on where the other stopped.

    Example: methodlens watch inbox/ --out review
    """
    from methodlens.cli.engines import worked
    from methodlens.cli.run import tell
    from methodlens.engine.arrivals import Arrivals
    from methodlens.engine.budget import Budget
    from methodlens.engine.plan import plan

    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder", "name one that is there: papers are looked for in it")
    flags = {"workers": workers, "vote.rule": vote}
    changes = [*(change or ()), *(f"{key}={value}" for key, value in flags.items() if value)]
    settings = common.settings_from(settings_file, changes, out=out, ledger=ledger_url)
    asked = common.questions_from(questions, settings)
    readers = common.readers_from(reader, settings)
    budget = Budget(max_cost, max_tokens)
    arrivals = Arrivals(folder)
    failed = left = 0
    with common.closing(readers):
        while batch := _next(arrivals, every, once=once, said=f"watching {folder}; Ctrl-C ends it"):
            whole = plan([folder], asked, readers, vote=settings.vote.rule, papers=batch.all)
            todo = whole.only(batch.new)
            with worked(todo, settings, engine=engine, address=address, budget=budget) as (summary, ledger):
                written = report.drawn(ledger, todo.run, settings, pages=pages)
                failed = tell(todo, summary, ledger, written, as_json=json, verdicts=once)
            left = summary.left
            arrivals.taken(batch)
            if once or left:
                break
    raise typer.Exit(1 if failed or left else 0)


def _next(arrivals: "Arrivals", every: float, *, once: bool, said: str) -> "Batch | None":
    """The next papers, once there are some; None when there will be none."""
    try:
        if not once:
            typer.echo(said, err=True)
        arrivals.look()
        while True:
            time.sleep(every)
            batch = arrivals.look()
            if batch.new or once:
                return batch if batch.new else None
    except KeyboardInterrupt:
        return None
