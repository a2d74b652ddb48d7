"""methodlens models"""

import os
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from methodlens.cli import common

if TYPE_CHECKING:
    from methodlens.readers.wire import ModelEntry


def command(
    server: Annotated[
        str,
        typer.Argument(metavar="SERVER", help="A preset such as openai, a reader in methodlens.toml, or a base URL."),
    ],
    contains: Annotated[str, typer.Option("--contains", metavar="TEXT", help="Only models whose name contains this.")] = "",
    key_variable: Annotated[
        str, typer.Option("--key-variable", metavar="NAME", help="The environment variable that holds the key, for a base URL.")
    ] = "",
    json: common.Json = False,
    settings_file: common.SettingsFile = None,
    change: common.Changes = None,
) -> None:
    """List the models that a server offers.

    Shows the name to use as model, and the size of the context in tokens if the server gives it. Nothing but the key is sent.

    Example: methodlens models ollama
    """
    from methodlens.api_keys import find_key
    from methodlens.errors import ReaderError
    from methodlens.readers.chat_client import list_models
    from methodlens.readers.presets import resolve_server

    chat_server = resolve_server(server, common.settings_from(settings_file, change))
    host = urlsplit(chat_server.base_url).hostname or chat_server.base_url
    key = find_key(server, key_variable or chat_server.key_variable, os.environ, error=ReaderError)
    if not common.is_this_machine(host):
        typer.echo(f"asking {host} for its models", err=True)
    found = list_models(host, chat_server, key)
    models = sorted((model for model in found if contains.lower() in model.id.lower()), key=lambda model: model.id)
    if json:
        common.print_json([model._asdict() for model in models])
        return
    if not models:
        typer.echo(f"{host} lists no models{f' with {contains!r} in their name' if contains else ''}.")
    common.echo_lines(map(_line, models))


def _line(model: "ModelEntry") -> str:
    from methodlens.text.printable import one_line

    context = f"{model.context_tokens:,} tokens" if model.context_tokens else ""
    return f"{one_line(model.id):<48} {context}".rstrip()
