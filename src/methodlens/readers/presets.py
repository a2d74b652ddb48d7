"""The settings of a chat server, completed by its preset."""

import tomllib
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from methodlens.errors import ReaderError
from methodlens.settings import ChatServer, Settings


class Preset(Struct, frozen=True, forbid_unknown_fields=True):
    base_url: str
    key_variable: str = ""
    schema: str = "json_schema"
    concurrency: int = 1
    local: bool = False
    tokens_field: str = "max_tokens"


def presets() -> dict[str, Preset]:
    text = files("methodlens.readers").joinpath("presets.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Preset])


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
    if server.preset and server.preset not in known:
        raise ReaderError(f"unknown preset {server.preset!r} in readers.{name}", f"use one of: {', '.join(known)}")
    if server.preset:
        server = _apply_preset(server, known[server.preset])
    if not server.base_url or not server.model:
        missing = " and ".join(key for key in ("base_url", "model") if not getattr(server, key))
        raise ReaderError(f"readers.{name} has no {missing}", "set both, or use a preset for the base_url")
    return server


def _apply_preset(server: ChatServer, preset: Preset) -> ChatServer:
    """The preset fills in what the table omits. Its key is not sent to another base_url."""
    changes: dict[str, Any] = {
        "base_url": server.base_url or preset.base_url,
        "key_variable": server.key_variable or ("" if server.base_url else preset.key_variable),
        "schema": preset.schema if server.schema == "auto" else server.schema,
        "concurrency": server.concurrency or preset.concurrency,
        "tokens_field": preset.tokens_field if server.tokens_field == "max_tokens" else server.tokens_field,
    }
    if preset.local:
        changes |= {"price_in": server.price_in or 0.0, "price_out": server.price_out or 0.0}
    return replace(server, **changes)
