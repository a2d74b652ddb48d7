"""The default reader: it needs no API key, no server and no download."""

from methodlens.readers.embedded.reader import EmbeddedReader

__all__ = ["EmbeddedReader"]
