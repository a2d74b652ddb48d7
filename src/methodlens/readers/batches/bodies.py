"""A call as the body of a request in a batch, and the reply and its cost from the result: in the form of the batch API."""

from typing import Any

from msgspec.structs import replace

from methodlens.readers.batches import api_form
from methodlens.readers.chat_client import cost_of
from methodlens.readers.prompting import estimate_tokens
from methodlens.readers.replies import InvalidReply, parse_completion
from methodlens.readers.wire import ChatCall
from methodlens.readers.wire.anthropic import AnthropicMessages
from methodlens.readers.wire.form import Reply
from methodlens.readers.wire.openai import OpenAIChat
from methodlens.records import Usage
from methodlens.settings import ChatServer


class BatchBodies:
    """Nobody waits for a batch, so nothing is streamed, and a refused JSON format cannot be weakened on the way."""

    def __init__(self, server: ChatServer) -> None:
        self._server = replace(server, stream=False)
        anthropic = api_form(server) == "anthropic"
        self._form = AnthropicMessages() if anthropic else OpenAIChat()
        # not all of Anthropic's models take a schema, and the prompt asks for JSON too
        wanted = ("none" if anthropic else "json_schema") if server.schema == "auto" else server.schema
        self._mode = wanted if wanted in self._form.modes else "none"

    def body(self, call: ChatCall) -> dict[str, Any]:
        return self._form.request(self._server, call._replace(mode=self._mode))[1]

    def parse(self, content: bytes, *, source: str) -> Reply:
        """Raises InvalidReply."""
        try:
            return parse_completion(content, source=source, form=self._form)
        except InvalidReply as err:
            raise InvalidReply(err.problem, "check batch_api") from err

    def estimate(self, tokens_in: int, tokens_out: int) -> Usage:
        """What a call will probably use."""
        return self._priced(Usage(tokens_in, tokens_out, estimated=True))

    def usage(self, reply: Reply, *, tokens_asked: int) -> Usage:
        """What a reply used. Tokens are estimated where the server does not count them."""
        if reply.usage.tokens_in + reply.usage.tokens_out:
            return self._priced(reply.usage)
        return self.estimate(tokens_asked, estimate_tokens(reply.content + reply.reasoning))

    def _priced(self, usage: Usage) -> Usage:
        cost = cost_of(usage, self._server)
        return replace(usage, requests=1, cost=None if cost is None else cost * self._server.batch_discount)
