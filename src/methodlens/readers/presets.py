"""The settings of a chat server, completed by its preset."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec.structs import replace

from methodlens.errors import ReaderError
from methodlens.settings import ChatServer, Settings


@cache
def presets() -> Mapping[str, ChatServer]:
    toml = files("methodlens.readers").joinpath("presets.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(toml), dict[str, ChatServer])


def resolve(name: str, settings: Settings) -> ChatServer:
    """`name` is a table [readers.NAME], or PRESET/MODEL. Raises ReaderError if it is unknown or incomplete."""
    known = presets()
    server = settings.readers.get(name)
    if server is None:
        preset, slash, model = name.partition("/")
        if not slash or preset not in known or not model:
            tables = ", ".join(f"chat:{each}" for each, table in sorted(settings.readers.items()) if not table.gguf) or "none"
            raise ReaderError(
                f"unknown reader chat:{name} (configured: {tables}; presets: {', '.join(known)})",
                f"add a table [readers.{preset}] to methodlens.toml, or use a preset with a model: chat:ollama/qwen2.5",
            )
        server = ChatServer(preset=preset, model=model)
    server = _completed(name, server)
    if not server.base_url or not server.model:
        missing = " and ".join(key for key in ("base_url", "model") if not getattr(server, key))
        raise ReaderError(f"readers.{name} has no {missing}", "set both, or use a preset for the base_url")
    return server


def resolve_server(name: str, settings: Settings) -> ChatServer:
    """The server of a reader, a preset, or a base_url; its model may be missing. Raises ReaderError if it is unknown."""
    name = name.removeprefix("chat:")
    if name.startswith(("http://", "https://")):
        return ChatServer(base_url=name)
    preset = name.partition("/")[0]
    server = settings.readers.get(name)
    if server is None and preset in presets():
        server = ChatServer(preset=preset)
    if server is None or server.gguf:
        tables = [each for each, table in settings.readers.items() if not table.gguf]
        known = ", ".join((*tables, *(each for each in presets() if each not in tables)))
        raise ReaderError(f"there is no server {name!r}", f"use a base_url such as http://127.0.0.1:8000/v1, or one of: {known}")
    server = _completed(name, server)
    if not server.base_url:
        table = f"add [readers.NAME] with preset = {preset!r} and base_url to methodlens.toml"
        raise ReaderError(f"{name} has no base_url", f"{table}, then use NAME")
    return server


def _completed(name: str, server: ChatServer) -> ChatServer:
    known = presets()
    if server.preset and server.preset not in known:
        raise ReaderError(f"unknown preset {server.preset!r} in readers.{name}", f"use one of: {', '.join(known)}")
    return _apply_preset(server, known[server.preset]) if server.preset else server


def _apply_preset(server: ChatServer, preset: ChatServer) -> ChatServer:
    """The preset fills in what the table omits. Its key is not sent to another base_url."""
    if server.base_url:
        preset = replace(preset, key_variable="")
    defaults = ChatServer()
    omitted = [name for name in ChatServer.__struct_fields__ if getattr(server, name) == getattr(defaults, name)]
    return replace(server, **{name: getattr(preset, name) for name in omitted})
