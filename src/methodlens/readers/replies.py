"""Parses what a chat server sends: the completion, whole or as server-sent events, and the JSON answer in the model's reply."""

import json
import re
from itertools import islice
from typing import Any, NamedTuple

from methodlens.errors import ReaderFailed
from methodlens.records import Usage

_DATA = "data:"
_FIX = "check base_url: it often ends in /v1"
SCHEMA = {
    "type": "object",
    "properties": {
        "reported": {"type": "boolean"},
        "answer": {"type": "string"},
        "quotes": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["reported", "answer", "quotes"],
    "additionalProperties": False,
}
_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)  # allows line breaks inside strings
_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
_MAX_TOKENS = 10**9
"""Of one reply; more is an error of the server's."""
_MAX_OBJECTS = 200  # attempts to parse one, each at an opening brace
_YES = {"true", "yes", "y", "1"}
_NO = {"false", "no", "n", "0"}


class InvalidReply(ReaderFailed):
    """HTTP 200, but the body is not a complete chat completion."""


class Reply(NamedTuple):
    content: str
    at_limit: bool
    """max_tokens cut the reply off."""
    usage: Usage


class ModelAnswer(NamedTuple):
    reported: bool
    text: str
    quotes: tuple[str, ...]


def parse_completion(content: bytes, *, source: str) -> Reply:
    """Raises InvalidReply for anything but a complete chat completion."""
    try:
        text = content.decode("utf-8")
        if text.lstrip().startswith((_DATA, ":", "event:")):
            return _streamed(text)
        tree = json.loads(text)
        choice = tree["choices"][0]
        message = choice["message"].get("content")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as err:
        raise InvalidReply(f"{source} did not send a chat completion", _FIX) from err
    answer = _encodable(message) if isinstance(message, str) else ""
    return Reply(answer, choice.get("finish_reason") == "length", _usage(tree.get("usage")))


def _encodable(text: str) -> str:
    """JSON can name half a surrogate pair, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


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
    return Reply(_encodable("".join(pieces)), finish == "length", _usage(usage))


def parse_models(content: bytes) -> list[str]:
    try:
        return [str(model["id"]) for model in json.loads(content)["data"]]
    except (ValueError, LookupError, TypeError, RecursionError):
        return []


def _usage(tree: Any) -> Usage:
    """Zero where the server does not count."""
    if not isinstance(tree, dict):
        return Usage()
    count = {name: tree.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    numbers = {name: value if isinstance(value, int) and 0 < value < _MAX_TOKENS else 0 for name, value in count.items()}
    tokens_in = numbers["prompt_tokens"] or max(0, numbers["total_tokens"] - numbers["completion_tokens"])
    return Usage(tokens_in, numbers["completion_tokens"])


# --- the answer in a reply ------------------------------------------------------------------------------------------


def parse_answer(reply: str) -> ModelAnswer | None:
    """None if there is no complete object with `reported` and `answer`.

    >>> parse_answer('Sure! ```json\\n{"reported": "yes", "answer": "Two GPUs.", "quotes": "It ran on two GPUs.",}\\n```')
    ModelAnswer(reported=True, text='Two GPUs.', quotes=('It ran on two GPUs.',))
    >>> parse_answer('{"reported": true, "answer": "Two GP') is None
    True
    """
    thinking, mark, rest = reply.rpartition("</think>")
    for tree in _objects(_THINKING.sub("", thinking + mark) + rest):
        reported, answer = _yes_or_no(tree.get("reported")), tree.get("answer")
        if reported is not None and isinstance(answer, str) and (answer.strip() or not reported):
            quotes = tuple(map(_encodable, _quotes(tree.get("quotes"))))  # the JSON in a reply can name half a pair again
            return ModelAnswer(reported, _encodable(answer.strip()) or "Not reported.", quotes)
    return None


def _objects(text: str) -> list[dict[str, Any]]:
    """The first two complete JSON objects with `reported`, the later one first: models correct themselves."""
    objects: list[dict[str, Any]] = []
    repaired = _TRAILING_COMMA.sub("", text)  # with the same braces
    for brace, same in islice(zip(re.finditer("{", text), re.finditer("{", repaired), strict=True), _MAX_OBJECTS):
        tree = _decoded(text, brace.start()) or _decoded(repaired, same.start())
        if tree and "reported" in tree:
            objects.append(tree)
        if len(objects) == 2:
            break
    return objects[::-1]


def _decoded(text: str, at: int) -> dict[str, Any]:
    """The object at this position; empty if it is not complete."""
    try:
        tree, _ = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}


def _yes_or_no(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    return True if word in _YES else False if word in _NO else None


def _quotes(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    texts = [item.get("quote") or item.get("text") if isinstance(item, dict) else item for item in items]
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]
