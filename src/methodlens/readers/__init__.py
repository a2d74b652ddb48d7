"""Readers answer questions: the embedded reader, and language models on OpenAI-compatible servers or in GGUF files."""

from methodlens.readers.registry import EMBEDDED, configured, create

__all__ = ["EMBEDDED", "configured", "create"]
