"""methodlens team"""

from typing import Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Manage who may sign in to 'methodlens serve --team'.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The member's name, saved with their decisions.")]
RoleName = Annotated[
    str,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="'reader' reads; 'reviewer' also decides cells; 'adjudicator' also settles disagreements and adds papers.",
    ),
]
PublicUrl = Annotated[
    str, typer.Option("--public-url", metavar="URL", help="Address of the room, for the sign-in link, as in 'serve'.")
]
_LOCAL_ROOM = "http://127.0.0.1:8000"


@app.command("add")
def add(
    name: Name,
    role: RoleName = "reviewer",
    blind: Annotated[
        bool, typer.Option("--blind", help="Hide verdicts and other people's decisions on a cell until this member has decided.")
    ] = False,
    public_url: PublicUrl = _LOCAL_ROOM,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    settings_file: common.SettingsFile = None,
) -> None:
    """Add a member and print their sign-in link.

    The link holds a personal access token. It is shown only now: send it to the member over a safe channel.

    Example: methodlens team add ann --role reviewer --out review
    """
    from methodlens.evaluation.measure import annotator_name
    from methodlens.ledger.annotations import ADJUDICATED
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.team_members import Role, Team

    chosen, sign_in = common.one_of(Role, role, "--role"), _sign_in_page(public_url)
    name = annotator_name(name)
    if name == ADJUDICATED:
        raise InputError(f"{name!r} is the name of settled decisions", "choose the member's own name")
    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings, create=True) as ledger:
        token = Team(ledger).add(name, chosen, blind=blind)
        common.record_action(ledger, Action.MEMBER_ADDED, _described(name, chosen, blind=blind))
    typer.echo(f"added {_described(name, chosen, blind=blind)}; the sign-in link, shown only once:", err=True)
    typer.echo(f"{sign_in}{token}")


@app.command("list")
def list_members(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """List the members with their roles.

    Example: methodlens team list --out review
    """
    from methodlens.ledger.team_members import Team

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        members = [member for member in Team(ledger).members() if member.active]
    if json:
        fields = ("name", "role", "blind", "added_at")
        common.print_json([{field: getattr(member, field) for field in fields} for member in members])
        return
    common.echo_lines(_described(member.name, member.role, blind=member.blind) for member in members)
    if not members:
        typer.echo("there are no members yet: methodlens team add NAME", err=True)


@app.command("change")
def change(
    name: Name,
    role: RoleName = "",
    blind: Annotated[
        bool | None, typer.Option("--blind/--no-blind", help="Hide verdicts and other people's decisions, or show them.")
    ] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    settings_file: common.SettingsFile = None,
) -> None:
    """Change a member's role or blind mode. It applies at once.

    Example: methodlens team change bob --role adjudicator --out review
    """
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.team_members import Role, Team

    if not role and blind is None:
        raise InputError("nothing to change", "give --role, --blind or --no-blind")
    chosen = common.one_of(Role, role, "--role") if role else None
    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        member = Team(ledger).change(name, role=chosen, blind=blind)
        described = _described(member.name, member.role, blind=member.blind)
        common.record_action(ledger, Action.MEMBER_CHANGED, described)
    typer.echo(described)


@app.command("reset")
def reset(
    name: Name,
    public_url: PublicUrl = _LOCAL_ROOM,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    settings_file: common.SettingsFile = None,
) -> None:
    """Give a member a new token and print the new sign-in link.

    The old token and all sessions of the member end at once: for a token that was lost or seen by others.

    Example: methodlens team reset ann --out review
    """
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.team_members import Team

    sign_in = _sign_in_page(public_url)
    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        token = Team(ledger).reset_token(name)
        common.record_action(ledger, Action.TOKEN_RESET, name)
    typer.echo(f"{name} has a new token; the sign-in link, shown only once:", err=True)
    typer.echo(f"{sign_in}{token}")


@app.command("remove")
def remove(
    name: Name,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    settings_file: common.SettingsFile = None,
) -> None:
    """Remove a member. Their decisions are kept.

    Example: methodlens team remove bob --out review
    """
    from methodlens.ledger.audit_trail import Action
    from methodlens.ledger.team_members import Team

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        Team(ledger).remove(name)
        common.record_action(ledger, Action.MEMBER_REMOVED, name)
    typer.echo(f"{name} can no longer sign in; their decisions are kept")


@app.command("log")
def log(
    member: Annotated[str, typer.Option("--member", metavar="NAME", help="Only what this member did.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="The latest N entries; 0 for all.", min=0)] = 50,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
) -> None:
    """Show the audit trail: who signed in, decided, undid, added, downloaded or changed members, and when.

    Example: methodlens team log --member ann --out review
    """
    from methodlens.ledger import audit_trail

    settings = common.settings_from(settings_file, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        entries = audit_trail.entries(ledger, member=member, limit=limit or None)
    if json:
        common.print_json(entries)
        return
    common.echo_lines(
        f"{entry.at[:19].replace('T', ' ')}  {entry.member or '(nobody)'}  {entry.action}{entry.detail and f': {entry.detail}'}"
        for entry in entries
    )


def _described(name: str, role: str, *, blind: bool) -> str:
    """'ann (reviewer, blind)'"""
    return f"{name} ({role}{', blind' if blind else ''})"


def _sign_in_page(public_url: str) -> str:
    """A token may follow. Browsers do not send what follows a #, so the token appears in no log of a server."""
    from methodlens.web.public_url import public_origin

    return f"{public_origin(public_url)}/sign-in#"
