"""methodlens check"""

from pathlib import Path
from typing import Annotated

import typer

from methodlens.cli import common
from methodlens.errors import InputError, OutputError


def command(
    paper: Annotated[Path, typer.Argument(metavar="DRAFT", help="Your paper, such as a PDF.")],
    questions: Annotated[
        str, typer.Option("--questions", metavar="FILE|SET", help="A checklist: 'methodlens questions list' shows them.")
    ] = "neurips",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Markdown file. [default: stdout]")] = None,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            help="Exit with 1 if an item is 'missing', if one is missing or 'doubtful', or 'never'.",
        ),
    ] = "missing",
    reader: common.ReaderName = "embedded",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Check a draft against a checklist.

    Prints a to-do list for its authors: what is missing or doubtful and where it belongs, and what was found on which page.
    Answers come from the text of the paper, never from a checklist that is part of it. Exit codes: 0 complete, 1 something is
    missing, 2 invalid input.

    Example: methodlens check draft.pdf --questions neurips --out todo.md
    """
    from methodlens.reports.checklists.author_check import FailOn

    limit = common.one_of(FailOn, fail_on, "--fail-on")
    if paper.is_dir():
        raise InputError(f"{paper} is a folder", "give a single paper; 'run' takes folders")
    settings = common.settings_from(settings_file, change)
    with common.lens_from(settings, [reader], questions) as lens:
        common.name_servers(lens)
        checked = lens.check(paper)
    if json:
        common.print_json(checked)
    elif out is None:
        typer.echo(checked.to_markdown(), nl=False)
    if out is not None:
        try:
            out.write_text(checked.to_markdown(), encoding="utf-8")
        except OSError as err:
            raise OutputError(f"{out} cannot be written ({err.strerror})", "choose another file with --out") from err
        found, all_items = len(checked.found), len(checked.items)
        summary = f"{found} of {all_items} items found, {len(checked.missing)} missing, {len(checked.doubtful)} doubtful"
        typer.echo(f"{summary}; to-do list written to {out}", err=True)
    raise typer.Exit(0 if checked.is_complete(limit) else 1)
