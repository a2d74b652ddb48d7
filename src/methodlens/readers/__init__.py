"""Who answers: the embedded reader, and language models behind OpenAI-compatible servers."""

from methodlens.readers.registry import EMBEDDED, create

__all__ = ["EMBEDDED", "create"]
