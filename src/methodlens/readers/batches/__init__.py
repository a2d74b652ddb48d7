"""Batch APIs: many requests handed in at once, answered within a day, at a lower price. One module per provider's form."""

from methodlens.readers.batches.batch_api import BatchApi, BatchHttpSettings
from methodlens.settings import ChatServer


def api_form(server: ChatServer) -> str:
    """`openai`, `anthropic` or `mistral`: the setting, or what the server's address says. Groq has OpenAI's form."""
    if server.batch_api != "auto":
        return server.batch_api
    return next((name for name in ("anthropic", "mistral") if name in server.base_url), "openai")


def create_api(settings: BatchHttpSettings, server: ChatServer) -> BatchApi:
    form = api_form(server)
    if form == "anthropic":
        from methodlens.readers.batches.anthropic_batches import AnthropicBatches

        return AnthropicBatches(settings)
    if form == "mistral":
        from methodlens.readers.batches.mistral_batches import MistralBatches

        return MistralBatches(settings, model=server.model)
    from methodlens.readers.batches.openai_batches import OpenAIBatches

    return OpenAIBatches(settings)
