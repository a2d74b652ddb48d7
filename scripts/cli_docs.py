"""Write docs/reference/cli.md from --help, or check that it is up to date: cli_docs.py [--check]."""

import sys
from collections.abc import Iterator
from pathlib import Path

from typer import Typer
from typer.testing import CliRunner

from methodlens.cli.app import app

PATH = Path(__file__).parent.parent / "docs" / "reference" / "cli.md"
HEAD = """# The command line

Written by `make docs` from `--help`; a test checks that it is up to date.

Results go to stdout, progress and warnings to stderr. Exit codes: `0` done; `1` done, but some cells failed (or `doctor` found a
problem); `2` bad input, with the fix in one line; `130` interrupted.
"""


def page() -> str:
    """The whole page, as on an 80-column terminal."""
    parts = [HEAD, _block()]
    for name in _names(app):
        parts += [f"## methodlens {' '.join(name)}\n", _block(*name)]
    return "\n".join(parts)


def _names(group: Typer) -> Iterator[tuple[str, ...]]:
    """Every command, those of groups included."""
    for command in group.registered_commands:
        yield (str(command.name),)
    for subgroup in group.registered_groups:
        if subgroup.typer_instance:
            yield from ((str(subgroup.name), *name) for name in _names(subgroup.typer_instance))


def _block(*arguments: str) -> str:
    call = [*arguments, "--help"]
    result = CliRunner().invoke(app, call, prog_name="methodlens", env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    lines = "\n".join(line.rstrip() for line in result.output.strip().splitlines())
    return f"```\n$ {' '.join(['methodlens', *call])}\n{lines}\n```\n"


def main() -> None:
    if "--check" in sys.argv:
        if not PATH.is_file() or PATH.read_text(encoding="utf-8") != page():
            sys.exit("docs/reference/cli.md does not match --help: run 'make docs'")
        return
    PATH.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
