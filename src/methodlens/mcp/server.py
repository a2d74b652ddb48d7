"""The server: the tools over stdin and stdout, one call at a time."""

import contextlib
import functools
import logging
import sys
import threading
from collections.abc import Callable

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from methodlens._version import __version__
from methodlens.errors import MethodlensError
from methodlens.mcp.library import Library
from methodlens.mcp.replies import NOTICE
from methodlens.mcp.tools import Tools

_INSTRUCTIONS = f"""\
methodlens reads scientific papers and says what they report about their method, with quotes and pages. Start with list_papers.
read_answer and compare_papers read a finished review; search_papers, ask_paper and ask_folder read the papers themselves.
Quote the paper and give the page; a status of 'withheld' means that a person should check. {NOTICE}"""


def create_server(library: Library) -> MCPServer[None]:
    server: MCPServer[None] = MCPServer("methodlens", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    tools, one_at_a_time = Tools(library), threading.Lock()
    reads = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    for tool in (
        tools.list_papers,
        tools.list_questions,
        tools.search_papers,
        tools.read_answer,
        tools.ask_paper,
        tools.ask_folder,
        tools.compare_papers,
    ):
        server.add_tool(_guarded(tool, one_at_a_time), annotations=reads, structured_output=False)
    return server


def _guarded(tool: Callable[..., str], lock: threading.Lock) -> Callable[..., str]:
    """Our errors reach the client with their fix. What libraries print goes to stderr, since stdout carries the messages."""

    @functools.wraps(tool)
    def call(*args: object, **arguments: object) -> str:
        with lock, contextlib.redirect_stdout(sys.stderr):
            try:
                return tool(*args, **arguments)
            except MethodlensError as err:
                raise ToolError(str(err)) from err

    return call


def serve(library: Library) -> None:
    """Until stdin ends. The SDK points file descriptor 1 at stderr meanwhile, for what C libraries print."""
    server = create_server(library)
    logging.disable(logging.INFO)  # clients show stderr to their users
    server.run("stdio")
