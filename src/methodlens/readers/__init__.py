"""Readers answer questions: the embedded reader, and language models on OpenAI-compatible servers or in GGUF files."""

from methodlens.readers.registry import EMBEDDED, JUDGE, configured, create

__all__ = ["EMBEDDED", "JUDGE", "configured", "create"]
