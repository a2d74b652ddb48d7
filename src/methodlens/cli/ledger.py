"""methodlens ledger"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.ledger.store import Ledger
    from methodlens.ledger.upkeep import Fault
    from methodlens.settings import Settings

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Check or copy a ledger.")
_MAX_FAULTS = 20


@app.command("check")
def check(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Verify the checksum of every row.

    Lists damaged rows and how to restore them; the exit code is then 1. Nothing is changed.

    Example: methodlens ledger check --out review
    """
    from methodlens.ledger import upkeep
    from methodlens.progress import counting

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    with common.open_ledger(settings) as ledger:
        total = upkeep.size(ledger)
        with counting("rows checked", total) as watch:
            faults = list(upkeep.check(ledger, watch=watch))
        name = ledger.name
    if json:
        common.print_json({"ledger": name, "rows": total, "faults": faults})
    else:
        _print_faults(faults)
        typer.echo(f"{total} rows of {name} checked: {f'{len(faults)} damaged' if faults else 'no damage found'}")
    raise typer.Exit(1 if faults else 0)


@app.command("copy")
def copy(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="The folder of a run, or postgresql+psycopg://USER@HOST/DATABASE.")
    ],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Likewise; created if it does not exist.")],
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Copy a ledger to another folder or database.

    Copies papers, runs, cells, calls and annotations. Rows of TARGET with the same key are replaced. Rerun to resume: equal
    rows are not written again. Damaged rows are listed and not copied; the exit code is then 1.

    Example: methodlens ledger copy review postgresql+psycopg://ann@db/review
    """
    from methodlens.ledger import upkeep
    from methodlens.progress import counting

    settings = common.settings_from(settings_file, change)
    with _open(source, settings) as reading, _open(target, settings, create=True) as writing:
        if reading.name == writing.name:
            raise InputError(f"{source} and {target} are the same ledger", "choose another target")
        with writing.lock(), counting("rows copied", upkeep.size(reading)) as watch:
            copied = upkeep.copy(reading, writing, watch=watch)
        names = {"from": reading.name, "to": writing.name}
    if json:
        common.print_json({**names, "copied": copied})
    else:
        _print_faults(copied.damaged)
        damaged = f", {len(copied.damaged)} damaged left out" if copied.damaged else ""
        typer.echo(f"{copied.written} rows copied to {names['to']}, {copied.unchanged} were there already{damaged}")
    raise typer.Exit(1 if copied.damaged else 0)


def _open(location: str, settings: "Settings", *, create: bool = False) -> "Ledger":
    from msgspec.structs import replace

    from methodlens.ledger.backends import is_url

    url, out = (location, settings.out) if is_url(location) else ("", location)
    return common.open_ledger(replace(settings, ledger=url, out=out), create=create)


def _print_faults(faults: "Sequence[Fault]") -> None:
    common.echo_lines((f"{fault.table} {fault.key}: {fault.problem}: {fault.fix}" for fault in faults[:_MAX_FAULTS]), err=True)
    if len(faults) > _MAX_FAULTS:
        tables = Counter(fault.table for fault in faults[_MAX_FAULTS:])
        typer.echo(f"... and {common.counts(tables)} more; --json lists them all", err=True)
