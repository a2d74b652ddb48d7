"""methodlens reads scientific papers and says, question by question, what they report about their method, and where.

Results go to stdout, progress to stderr. Exit codes: 0 success; 1 some cells failed; 2 invalid input, with the fix in one
line; 130 interrupted (rerun to resume).

Example: methodlens run papers/ --out review
"""

import io
import sys

import typer

from methodlens._version import __version__
from methodlens.cli import (
    allow,
    annotate,
    ask,
    batches,
    calibrate,
    check,
    code,
    compare,
    doctor,
    evaluate,
    export,
    figures,
    ledger,
    mcp,
    models,
    plan,
    query,
    questions,
    replay,
    report,
    run,
    sample,
    search,
    serve,
    show,
    study,
    team,
    watch,
    weights,
)
from methodlens.cli.common import fail
from methodlens.errors import MethodlensError
from methodlens.system_errors import fix_for

_INTERRUPTED = 130

app = typer.Typer(
    name="methodlens",
    help=__doc__,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,  # they print local variables, and those may hold a key
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    run,
    plan,
    watch,
    ask,
    check,
    code,
    search,
    show,
    report,
    figures,
    export,
    query,
    serve,
    mcp,
    replay,
    evaluate,
    compare,
    calibrate,
    weights,
    sample,
    batches,
    doctor,
    models,
    allow,
):
    app.command(module.__name__.rpartition(".")[2])(module.command)
for group in (questions, annotate, ledger, study, team):
    app.add_typer(group.app, name=group.__name__.rpartition(".")[2])


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"methodlens {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", help="Show the version and exit.", callback=_version, is_eager=True),
) -> None:
    pass


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may lack some characters, such as the marks of the verdicts
            stream.reconfigure(errors="replace")
    try:
        app()
    except MethodlensError as err:
        sys.exit(fail(str(err)))
    except SystemExit as stop:
        if stop.code == _INTERRUPTED:
            fail("interrupted; rerun to resume")
        raise
    except OSError as err:
        from methodlens.papers.files import printable_name

        fix = fix_for(err, "check that it can be read and written, or choose another --out")
        where = f"{printable_name(err.filename)}: " if err.filename else ""
        sys.exit(fail(f"{where}{err.strerror or err}: {fix}"))


if __name__ == "__main__":
    main()
