"""methodlens allow"""

import os
from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A settings file.")] = Path("methodlens.toml"),
) -> None:
    """Allow a settings file to name servers.

    A methodlens.toml in the current folder is read by every command. Until you allow it, it may not name servers, key
    variables or a database: it may come from someone else. It is remembered by its content; allow it again after a change.

    Example: methodlens allow
    """
    from methodlens.allowed_files import allow, outward_settings
    from methodlens.settings_sources import read_file

    for line in outward_settings(read_file(file)):
        typer.echo(line)
    allow(file, os.environ)
    typer.echo(f"{file} is allowed", err=True)
