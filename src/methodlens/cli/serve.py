"""methodlens serve"""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET
from methodlens.errors import InputError

_TEAM_PORT = 8000  # fixed, because sign-in links contain it
_EXTRA = ("fastapi", "uvicorn", "multipart")


def command(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: Annotated[str, typer.Option("--run", metavar="ID", help="Stay with this run. [default: always the latest]")] = "",
    blind: Annotated[
        bool, typer.Option("--blind", help="Hide verdicts and other people's decisions on a cell until you have decided.")
    ] = False,
    team: Annotated[
        bool, typer.Option("--team", help="People sign in with accounts, which 'methodlens team' manages; nobody else can enter.")
    ] = False,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", help="Port to listen on. [default: a free one; 8000 with --team]", min=0, max=65535),
    ] = None,
    public_url: Annotated[
        str,
        typer.Option(
            "--public-url", metavar="URL", help="Address at which a TLS proxy serves the room, e.g. https://review.example.org."
        ),
    ] = "",
    browser: Annotated[bool, typer.Option("--browser", help="Open the room in your browser.")] = False,
    questions: common.Questions = DEFAULT_SET,
    reader: common.Readers = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", metavar="COST", help="Maximum cost of each addition in the room.", min=0)
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", help="Maximum tokens of each addition in the room.", min=0)
    ] = None,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Serve the review room: check a run in a browser.

    Follow a run, check each cell next to its page, and decide by keyboard. Decisions are stored in the ledger. Prints the
    address to open; by default only this machine can reach it. Papers and questions can be added in the room; --questions and
    --reader apply if there is no run yet.

    Example: methodlens serve --out review
    """
    missing = [name for name in _EXTRA if find_spec(name) is None]
    if missing:
        raise InputError(f"the review room needs the extra 'web' ({', '.join(missing)})", "pip install 'methodlens[web]'")
    from methodlens.engine.budget import Budget
    from methodlens.ledger.run_rows import latest
    from methodlens.ledger.team_members import Team
    from methodlens.web.http.app_state import RoomOptions
    from methodlens.web.http.room_server import Address, RunningRoom, serve
    from methodlens.web.public_url import public_origin

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    lens = common.lens_from(settings, reader, questions)
    common.name_servers(lens)
    names = tuple(each.info.name for each in lens.readers)  # fail now, not when a paper is added
    Budget(max_cost, max_tokens).check(lens.readers)
    folder, max_file_mb = Path(settings.out), settings.papers.max_file_mb
    options = RoomOptions(folder, lens.questions, names, run, blind, max_file_mb, max_cost, max_tokens)
    options = replace(options, team=team, public_url=public_origin(public_url) if public_url else "")
    if port is None:
        port = _TEAM_PORT if team else 0

    with suppress(KeyboardInterrupt), common.open_ledger(settings, create=not run, ping=True) as ledger:
        if run:
            latest(ledger, run)
        if team and not any(member.active for member in Team(ledger).members()):
            typer.echo("nobody can sign in yet: methodlens team add NAME", err=True)

        def ready(room: RunningRoom) -> None:
            typer.echo(f"review room of {ledger.name if ledger.shared else folder}: {room.url}")
            typer.echo("press Ctrl-C to stop", err=True)
            if browser:
                typer.launch(room.url)

        serve(options, settings, ledger, address=Address(host, port), ready=ready)
