"""methodlens ledger: copy one, check one"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError

if TYPE_CHECKING:
    from methodlens.ledger.store import Ledger
    from methodlens.ledger.upkeep import Fault
    from methodlens.settings import Settings

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The ledger itself: check every row, copy it elsewhere.")
_SHOWN = 20

Place = Annotated[str, typer.Argument(metavar="DIR|URL", help="The folder of a run, or postgresql+psycopg://USER@HOST/DATABASE.")]


@app.command("check")
def check(
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Hold every row against its checksum; name those that are not as they were written, and how to make them anew.

    Exit code 1 if there are any. Nothing is changed.

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
        _say_faults(faults)
        typer.echo(f"{total} rows of {name} checked: {f'{len(faults)} damaged' if faults else 'no damage found'}")
    raise typer.Exit(1 if faults else 0)


@app.command("copy")
def copy(
    source: Place,
    target: Place,
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Take everything from one ledger to another: papers, runs, cells, calls, annotations.

    Interrupted, start it again: what is there already is not written twice. Rows that are damaged are left out and named,
    and the exit code is 1. Where both have a row, that of the first stands.

    Example: methodlens ledger copy review postgresql+psycopg://ann@db/review
    """
    from methodlens.ledger import upkeep
    from methodlens.progress import counting

    settings = common.settings_from(settings_file, change)
    with _at(source, settings) as reading, _at(target, settings, create=True) as writing:
        if reading.name == writing.name:
            raise InputError(f"{source} and {target} are the same ledger", "name two")
        with writing.lock(), counting("rows copied", upkeep.size(reading)) as watch:
            done = upkeep.copy(reading, writing, watch=watch)
        names = {"from": reading.name, "to": writing.name}
    if json:
        common.print_json({**names, "copied": done})
    else:
        _say_faults(done.damaged)
        left_out = f", {len(done.damaged)} damaged left out" if done.damaged else ""
        typer.echo(f"{done.written} rows copied to {names['to']}, {done.unchanged} were there already{left_out}")
    raise typer.Exit(1 if done.damaged else 0)


def _at(where: str, settings: "Settings", *, create: bool = False) -> "Ledger":
    import msgspec

    from methodlens.ledger.backends import is_url

    place = {"ledger": where} if is_url(where) else {"ledger": "", "out": str(Path(where))}
    return common.open_ledger(msgspec.structs.replace(settings, **place), create=create)


def _say_faults(faults: "Sequence[Fault]") -> None:
    for fault in faults[:_SHOWN]:
        typer.echo(f"{fault.table} {fault.key}: {fault.problem}; to do: {fault.fix}", err=True)
    if len(faults) > _SHOWN:
        tables = Counter(fault.table for fault in faults[_SHOWN:])
        typer.echo(f"... and {common.counts(tables)} more: --json lists them all", err=True)
