"""The body of a chat server's response, whole or as server-sent events -> the model's reply and its token counts."""

import json
from typing import Any, NamedTuple

from methodlens.errors import ReaderFailed
from methodlens.records import Usage

_DATA = "data:"
_FIX = "check base_url: it often ends in /v1"


class InvalidReply(ReaderFailed):
    """HTTP 200, but the body is not a complete chat completion."""


class Reply(NamedTuple):
    content: str
    at_limit: bool
    """max_tokens cut the reply off."""
    usage: Usage


def parse_completion(content: bytes, *, source: str) -> Reply:
    """Raises InvalidReply for anything but a complete chat completion."""
    try:
        text = content.decode("utf-8")
        if text.lstrip().startswith((_DATA, ":", "event:")):
            return _streamed(text)
        tree = json.loads(text)
        choice = tree["choices"][0]
        message = choice["message"].get("content")
    except (ValueError, LookupError, TypeError, AttributeError) as err:
        raise InvalidReply(f"{source} did not send a chat completion", _FIX) from err
    return Reply(message if isinstance(message, str) else "", choice.get("finish_reason") == "length", _usage(tree.get("usage")))


def _streamed(text: str) -> Reply:
    """A stream without [DONE] at its end was interrupted, however complete it looks."""
    events = [line[len(_DATA) :].strip() for line in text.splitlines() if line.startswith(_DATA)]
    if not events or events[-1] != "[DONE]":
        raise ValueError("no [DONE] at the end of the stream")
    pieces, finish, usage = [], None, None
    for tree in map(json.loads, events[:-1]):
        usage = tree.get("usage") or usage
        for choice in tree["choices"][:1]:
            pieces.append(choice["delta"].get("content") or "")
            finish = choice.get("finish_reason") or finish
    return Reply("".join(pieces), finish == "length", _usage(usage))


def parse_models(content: bytes) -> list[str]:
    try:
        return [str(model["id"]) for model in json.loads(content)["data"]]
    except (ValueError, LookupError, TypeError):
        return []


def _usage(tree: Any) -> Usage:
    """Zero where the server does not count."""
    if not isinstance(tree, dict):
        return Usage()
    count = {name: tree.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    numbers = {name: value if isinstance(value, int) and value > 0 else 0 for name, value in count.items()}
    tokens_in = numbers["prompt_tokens"] or max(0, numbers["total_tokens"] - numbers["completion_tokens"])
    return Usage(tokens_in, numbers["completion_tokens"])
