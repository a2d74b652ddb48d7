"""A reader by the name the user gives: `embedded`, or `chat:NAME` for a server in methodlens.toml."""

from collections.abc import Mapping

from methodlens.errors import ReaderError
from methodlens.seams import Reader
from methodlens.settings import Settings

EMBEDDED = "embedded"
_CHAT = "chat:"


def create(name: str, settings: Settings, environ: Mapping[str, str]) -> Reader:
    """Each reader's module is imported only when it is asked for."""
    if name == EMBEDDED:
        from methodlens.readers.embedded import EmbeddedReader

        return EmbeddedReader()
    if name.startswith(_CHAT):
        from methodlens.readers.chat import from_settings

        return from_settings(name.removeprefix(_CHAT), settings, environ)
    known = [EMBEDDED, *(f"{_CHAT}{server}" for server in settings.readers)]
    raise ReaderError(f"there is no reader {name!r}", f"there are: {', '.join(known)}; a server is named in methodlens.toml")
