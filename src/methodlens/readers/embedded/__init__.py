"""The default reader: no key, no server, no download. Sentences are scored by rules, facts are typed, answers are plain."""

from methodlens.readers.embedded.reader import EmbeddedReader

__all__ = ["EmbeddedReader"]
