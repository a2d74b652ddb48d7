"""Creates a reader from its name: `embedded`, `chat:NAME` for a server, `llama:NAME` for a model file, or an installed plugin.

`judge:chat:NAME` is a judge in a cascade; the cascade itself is created by `engine.cascade`, which judges the answers.

A plugin is an entry point of the group `methodlens.readers`: a callable, such as a class, that takes ARGUMENT of NAME:ARGUMENT
(empty for NAME) and returns a Reader. Its `info.name` is the full name, by which workers create it again.
"""

from collections.abc import Mapping

from methodlens import plugins
from methodlens.errors import ReaderError
from methodlens.records import ReaderInfo
from methodlens.seams import Reader
from methodlens.settings import Settings

EMBEDDED = "embedded"
_CHAT = "chat"
_LLAMA = "llama"
JUDGE = "judge"
_CASCADE = "cascade"
_RESERVED = (EMBEDDED, _CHAT, _LLAMA, JUDGE, _CASCADE)


def create(name: str, settings: Settings, environ: Mapping[str, str]) -> Reader:
    """Imports only the module of that reader. Raises ReaderError if there is no such reader or it cannot be used."""
    kind, colon, argument = name.partition(":")
    if name == EMBEDDED:
        from methodlens.readers.embedded import EmbeddedReader

        return EmbeddedReader()
    if kind == _CHAT and colon:
        from methodlens.readers import chat

        return chat.from_settings(argument, settings, environ)
    if kind == _LLAMA and colon:
        from methodlens.readers import llama

        return llama.from_settings(argument, settings)
    if kind == JUDGE and colon:
        return _judge(argument, settings, environ)
    return _from_plugin(name, kind, argument, settings)


def configured(settings: Settings) -> list[str]:
    """The names of the readers in methodlens.toml."""
    return [f"{_LLAMA if table.gguf else _CHAT}:{name}" for name, table in settings.readers.items()]


def _judge(name: str, settings: Settings, environ: Mapping[str, str]) -> Reader:
    from methodlens.readers.chat import ChatReader
    from methodlens.readers.judge import JudgeReader

    reader = create(name, settings, environ)
    if not isinstance(reader, ChatReader):
        raise ReaderError(f"{name} cannot be a judge", "use a language model: judge:chat:NAME or judge:llama:NAME")
    return JudgeReader(reader)


def _from_plugin(name: str, plugin: str, argument: str, settings: Settings) -> Reader:
    installed = [each for each in plugins.names("readers") if each not in _RESERVED]
    if plugin not in installed:
        known = ", ".join((EMBEDDED, *configured(settings), *installed))
        raise ReaderError(
            f"unknown reader {name!r}", f"use {known}, chat:PRESET/MODEL such as chat:ollama/qwen2.5, or llama:FILE.gguf"
        )
    reader: Reader = plugins.create("readers", plugin, argument)
    if not isinstance(reader.info, ReaderInfo) or reader.info.name != name:
        raise ReaderError(f"the reader {name!r} has no ReaderInfo with that name", "update or uninstall the plugin")
    return reader
