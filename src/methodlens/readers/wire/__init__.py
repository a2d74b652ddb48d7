"""The forms of messages that servers understand: one module per form, from a call to an HTTP request and back to a reply."""

from methodlens.readers.wire.form import ChatCall, Form, ModelEntry, encodable_messages
from methodlens.settings import ChatServer

__all__ = ["ChatCall", "Form", "ModelEntry", "encodable_messages", "form_of"]


def form_of(server: ChatServer) -> Form:
    """The form that the settings name."""
    if server.form == "anthropic":
        from methodlens.readers.wire.anthropic import AnthropicMessages

        return AnthropicMessages()
    if server.form == "gemini":
        from methodlens.readers.wire.gemini import GeminiContent

        return GeminiContent()
    if server.form == "azure":
        from methodlens.readers.wire.azure import AzureChat

        return AzureChat()
    from methodlens.readers.wire.openai import OpenAIChat

    return OpenAIChat()
