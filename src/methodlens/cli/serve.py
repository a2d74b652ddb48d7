"""methodlens serve"""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET
from methodlens.errors import InputError

_EXTRA = ("fastapi", "uvicorn", "multipart")


def command(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: Annotated[str, typer.Option("--run", metavar="ID", help="[default: the latest, also one that starts later]")] = "",
    blind: Annotated[
        bool, typer.Option("--blind", help="Nobody sees what readers and others said of a cell before deciding on it.")
    ] = False,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen: your own machine only.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", help="[default: any free one]", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in your browser.")] = False,
    questions: common.Questions = DEFAULT_SET,
    reader: common.Readers = None,
    max_cost: Annotated[
        float | None, typer.Option(help="What papers or a question added from the page may cost, each time.", min=0)
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="How many tokens papers or a question added from the page may take, each time.", min=0)
    ] = None,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Open the review room: the matrix while a run goes on, each cell beside its page, and your decisions by keyboard.

    It listens on this machine only and prints the address to open. Decisions are kept in the ledger beside the readers'
    answers. PDFs and questions can be added from the page; --questions and --reader are for a folder without a run.

    Example: methodlens serve --out review
    """
    missing = [name for name in _EXTRA if find_spec(name) is None]
    if missing:
        raise InputError(f"the review room needs the extra 'web' ({', '.join(missing)})", "pip install 'methodlens[web]'")
    from methodlens.engine.budget import Budget
    from methodlens.ledger import run_rows
    from methodlens.web.http.app_state import RoomOptions
    from methodlens.web.http.room_server import Address, RunningRoom, serve

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    lens = common.lens_from(settings, reader, questions)
    names = tuple(each.info.name for each in lens.readers)  # refused now, not when a paper is added
    Budget(max_cost, max_tokens).check(lens.readers)
    options = RoomOptions(
        Path(settings.out),
        lens.questions,
        names,
        run,
        blind,
        settings.papers.max_file_mb,
        max_cost,
        max_tokens,
    )

    with suppress(KeyboardInterrupt), common.open_ledger(settings, create=not run, ping=True) as ledger:
        if run:
            run_rows.latest(ledger, run)

        def ready(room: RunningRoom) -> None:
            typer.echo(f"review room of {ledger.name if ledger.shared else options.folder}: {room.url}")
            typer.echo("stop it with Ctrl-C", err=True)
            if browser:
                typer.launch(room.url)

        serve(options, settings, ledger, address=Address(host, port), ready=ready)  # Ctrl-C is the way to end it, no accident
