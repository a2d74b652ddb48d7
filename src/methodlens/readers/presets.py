"""The settings of a chat server, completed by its preset."""

import tomllib
from importlib.resources import files

import msgspec
from msgspec.structs import replace

from methodlens.errors import ReaderError
from methodlens.settings import ChatServer, Settings


def resolve(name: str, settings: Settings) -> ChatServer:
    """`name` is a table [readers.NAME], or PRESET/MODEL. Raises ReaderError if it is unknown or incomplete."""
    toml = files("methodlens.readers").joinpath("presets.toml").read_text(encoding="utf-8")
    known = msgspec.convert(tomllib.loads(toml), dict[str, ChatServer])
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
    if server.preset and server.preset not in known:
        raise ReaderError(f"unknown preset {server.preset!r} in readers.{name}", f"use one of: {', '.join(known)}")
    if server.preset:
        server = _apply_preset(server, known[server.preset])
    if not server.base_url or not server.model:
        missing = " and ".join(key for key in ("base_url", "model") if not getattr(server, key))
        raise ReaderError(f"readers.{name} has no {missing}", "set both, or use a preset for the base_url")
    return server


def _apply_preset(server: ChatServer, preset: ChatServer) -> ChatServer:
    """The preset fills in what the table omits. Its key is not sent to another base_url."""
    if server.base_url:
        preset = replace(preset, key_variable="")
    defaults = ChatServer()
    omitted = [name for name in ChatServer.__struct_fields__ if getattr(server, name) == getattr(defaults, name)]
    return replace(server, **{name: getattr(preset, name) for name in omitted})
