"""A reader by the name the user gives: `embedded`, `chat:NAME` for a server, `llama:NAME` for a model file."""

from collections.abc import Mapping

from methodlens.errors import ReaderError
from methodlens.seams import Reader
from methodlens.settings import Settings

EMBEDDED = "embedded"
_CHAT = "chat:"
_LLAMA = "llama:"


def create(name: str, settings: Settings, environ: Mapping[str, str]) -> Reader:
    """Each reader's module is imported only when it is asked for."""
    if name == EMBEDDED:
        from methodlens.readers.embedded import EmbeddedReader

        return EmbeddedReader()
    if name.startswith(_CHAT):
        from methodlens.readers import chat

        return chat.from_settings(name.removeprefix(_CHAT), settings, environ)
    if name.startswith(_LLAMA):
        from methodlens.readers import llama

        return llama.from_settings(name.removeprefix(_LLAMA), settings)
    known = ", ".join((EMBEDDED, *configured(settings)))
    raise ReaderError(
        f"there is no reader {name!r}",
        f"there are: {known}; or chat:PRESET/MODEL such as chat:ollama/qwen2.5, or llama:FILE.gguf",
    )


def configured(settings: Settings) -> list[str]:
    """The readers that methodlens.toml describes, by their full names."""
    return [f"{_LLAMA if table.gguf else _CHAT}{name}" for name, table in settings.readers.items()]
