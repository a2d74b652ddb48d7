"""The calls that a reader makes for one cell, and the transport that they take."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from methodlens.errors import ReaderFailed
from methodlens.readers.prompting import Message
from methodlens.readers.replies import Reply
from methodlens.readers.wire.pictures import Picture
from methodlens.records import Hit, Paper, Question, Usage


class Transport(Protocol):
    """Sends messages to a model: a `ChatClient`, or a model file in this process."""

    @property
    def schema(self) -> str:
        """The response_format in use."""
        ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        json: bool,
        max_tokens: int = 0,
        attempts: int = 0,
        schema: Mapping[str, Any] | None = None,
        pictures: Sequence[Picture] = (),
    ) -> Reply:
        """`schema` is the JSON Schema of the reply; None means that of one answer. It is ignored unless `json`.

        Consecutive messages of one role are one turn: all but the last of them are what calls share, for prompt caches.
        The pictures are part of the first turn of the user.
        """
        ...

    def models(self) -> list[str]: ...
    def close(self) -> None: ...


class Asked(NamedTuple):
    """A question, the paper it is about, and the hits that the model was given."""

    question: Question
    paper: Paper
    context: Sequence[Hit]


class Calls:
    """The calls of one cell, all with the same pictures, and their total usage, failed calls included."""

    def __init__(self, transport: Transport, pictures: Sequence[Picture] = ()) -> None:
        self._transport, self._pictures = transport, pictures
        self.usage = Usage()

    def complete(
        self, messages: Sequence[Message], *, json: bool, max_tokens: int = 0, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        pictures = self._pictures if json else ()  # a judge of the answer needs none
        try:
            reply = self._transport.complete(messages, json=json, max_tokens=max_tokens, schema=schema, pictures=pictures)
        except ReaderFailed as err:
            self.usage += err.usage or Usage()
            raise
        self.usage += reply.usage
        return reply
