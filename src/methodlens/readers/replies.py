"""What a chat server sends back, whole or as a stream of events -> the model's words and what they took."""

import json
from typing import Any, NamedTuple

from methodlens.errors import ReaderFailed
from methodlens.records import Usage

_DATA = "data:"
_FIX = "check base_url: it often ends in /v1"


class Garbled(ReaderFailed):
    """HTTP said 200, and what came is no reply."""


class Reply(NamedTuple):
    content: str
    at_limit: bool
    """The model was cut off by max_tokens."""
    usage: Usage


def read_reply(content: bytes, *, source: str) -> Reply:
    """Raises Garbled for whatever is not a chat server's whole answer."""
    try:
        text = content.decode("utf-8")
        if text.lstrip().startswith((_DATA, ":", "event:")):
            return _streamed(text)
        tree = json.loads(text)
        choice = tree["choices"][0]
        said = choice["message"].get("content")
    except (ValueError, LookupError, TypeError, AttributeError) as err:
        raise Garbled(f"{source} did not answer as a chat server", _FIX) from err
    return Reply(said if isinstance(said, str) else "", choice.get("finish_reason") == "length", _usage(tree.get("usage")))


def _streamed(text: str) -> Reply:
    """A stream that ends without its last word was cut off on the way, however whole it looks."""
    events = [line[len(_DATA) :].strip() for line in text.splitlines() if line.startswith(_DATA)]
    if not events or events[-1] != "[DONE]":
        raise ValueError("the stream has no end")
    said, finish, usage = [], None, None
    for tree in map(json.loads, events[:-1]):
        usage = tree.get("usage") or usage
        for choice in tree["choices"][:1]:
            said.append(choice["delta"].get("content") or "")
            finish = choice.get("finish_reason") or finish
    return Reply("".join(said), finish == "length", _usage(usage))


def read_models(content: bytes) -> list[str]:
    try:
        return [str(model["id"]) for model in json.loads(content)["data"]]
    except (ValueError, LookupError, TypeError):
        return []


def _usage(tree: Any) -> Usage:
    """Zero where the server did not count."""
    if not isinstance(tree, dict):
        return Usage()
    count = {name: tree.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    numbers = {name: value if isinstance(value, int) and value > 0 else 0 for name, value in count.items()}
    tokens_in = numbers["prompt_tokens"] or max(0, numbers["total_tokens"] - numbers["completion_tokens"])
    return Usage(tokens_in, numbers["completion_tokens"])
