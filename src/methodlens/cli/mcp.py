"""methodlens mcp"""

import tempfile
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from methodlens.cli import common
from methodlens.cli.common import DEFAULT_SET
from methodlens.errors import InputError


def command(
    papers: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAPERS", help="Papers or folders that clients may read. [default: those of the run in --out]"),
    ] = None,
    out: common.Out = None,
    ledger_url: common.LedgerUrl = None,
    run: common.RunId = "",
    questions: common.Questions = DEFAULT_SET,
    reader: common.ReaderName = "embedded",
    keep_index: Annotated[
        bool, typer.Option("--keep-index", help="Store the search index in --out. [default: a temporary one; nothing is written]")
    ] = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """Serve papers to language-model clients over MCP (stdio).

    Clients list papers, search them, read a review's answers with quotes and pages, ask questions and compare papers on a
    fact. They cannot change anything, nor read other folders. Started by the client: see docs/how-to/mcp.md.

    Example: methodlens mcp papers/ --out review
    """
    if find_spec("mcp") is None:
        raise InputError("the MCP server needs the extra 'mcp'", "pip install 'methodlens[mcp]'")
    from methodlens.mcp.library import Library
    from methodlens.mcp.server import serve

    settings = common.settings_from(settings_file, change, out=out, ledger=ledger_url)
    with common.lens_from(settings, [reader], questions) as lens, ExitStack() as stack:
        common.name_servers(lens)
        index = settings.out if keep_index else stack.enter_context(tempfile.TemporaryDirectory(prefix="methodlens-"))
        serve(Library(lens, papers or [], index=Path(index), run=run))
