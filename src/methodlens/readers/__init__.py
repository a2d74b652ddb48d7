"""Who answers: the embedded reader, and language models behind OpenAI-compatible servers or in files."""

from methodlens.readers.registry import EMBEDDED, configured, create

__all__ = ["EMBEDDED", "configured", "create"]
