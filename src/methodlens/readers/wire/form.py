"""What the forms have in common: the call they are given, the reply they return, and how an answer may end."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from methodlens.readers.prompting import Message, estimate_tokens
from methodlens.readers.wire.pictures import Picture
from methodlens.records import Usage
from methodlens.settings import ChatServer

MAX_TOKENS = 10**9
"""Of one reply; more is an error of the server's."""


class Ending(StrEnum):
    """Why the model stopped."""

    DONE = "done"
    LIMIT = "limit"
    """At max_tokens."""
    CONTEXT = "context"
    """At the end of the model's context."""
    FILTERED = "filtered"
    """The provider's filter stopped it."""
    DECLINED = "declined"
    """The model refused to answer."""
    TOOL = "tool"
    """It called a tool instead."""


class Reply(NamedTuple):
    content: str
    at_limit: bool
    """max_tokens cut the reply off."""
    usage: Usage
    ending: Ending = Ending.DONE
    detail: str = ""
    """The server's words on the ending."""
    reasoning: str = ""
    """The model's thoughts, if the server separates them from the answer."""


class ChatCall(NamedTuple):
    """One request. Consecutive messages of one role are one turn; all but the last of them are what later calls share."""

    messages: Sequence[Message]
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    """Of the JSON reply; None for text."""
    mode: str = "none"
    """How JSON is requested, one of the form's `modes`."""
    pictures: Sequence[Picture] = ()
    """At the end of the first turn of the user."""

    @property
    def tokens(self) -> int:
        """About how many the messages and pictures have."""
        text = "".join(message["content"] for message in self.messages)
        return estimate_tokens(text) + sum(picture.tokens for picture in self.pictures)


class ModelEntry(NamedTuple):
    """A model that a server lists."""

    id: str
    context_tokens: int | None = None
    name: str = ""


class Form(Protocol):
    key_header: str
    headers: Mapping[str, str]
    modes: tuple[str, ...]
    """How JSON can be requested, the strictest way first; the last is "none"."""

    def request(self, server: ChatServer, call: ChatCall) -> tuple[str, dict[str, Any]]:
        """The path below base_url, and the body."""
        ...

    def parse(self, content: bytes) -> Reply:
        """Raises ValueError, LookupError, TypeError, AttributeError or RecursionError if it is not a complete reply."""
        ...

    def models_path(self, server: ChatServer) -> str: ...

    def parse_models(self, content: bytes) -> list[ModelEntry]:
        """Raises as `parse` does."""
        ...


def turns(messages: Sequence[Message]) -> list[tuple[str, list[str]]]:
    """Role and texts of each turn.

    >>> turns([{"role": "user", "content": "paper"}, {"role": "user", "content": "question"}])
    [('user', ['paper', 'question'])]
    """
    joined: list[tuple[str, list[str]]] = []
    for message in messages:
        if joined and joined[-1][0] == message["role"]:
            joined[-1][1].append(message["content"])
        else:
            joined.append((message["role"], [message["content"]]))
    return joined


def set_field(body: dict[str, Any], path: str, value: object) -> None:
    """Set a field of a body by its path, "reasoning.effort"."""
    *parents, name = path.split(".")
    for parent in parents:
        body = body.setdefault(parent, {})
    body[name] = value


def count(tree: object, *path: str) -> int:
    """A number of tokens in a usage object; 0 if it is missing or absurd."""
    for name in path:
        tree = tree.get(name) if isinstance(tree, dict) else None
    return tree if isinstance(tree, int) and not isinstance(tree, bool) and 0 < tree < MAX_TOKENS else 0


def encodable(text: str) -> str:
    """JSON can name half a surrogate pair, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def encodable_messages(messages: Sequence[Message]) -> list[Message]:
    """A broken font map can leave half a surrogate pair in a paper's text."""
    return [{**message, "content": encodable(message["content"])} for message in messages]


def text_of(value: object) -> str:
    return encodable(value) if isinstance(value, str) else ""


def tree_of(content: bytes) -> Any:
    return json.loads(content.decode("utf-8"))
