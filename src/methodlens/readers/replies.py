"""Parses the JSON answer in a model's reply. The forms of the replies themselves are in `wire`."""

import json
import re
from itertools import islice
from typing import Any, NamedTuple

from methodlens.errors import ReaderFailed
from methodlens.readers.thoughts import without_thoughts
from methodlens.readers.wire.form import Form, Reply, encodable
from methodlens.readers.wire.openai import OpenAIChat

__all__ = ["SCHEMA", "InvalidReply", "ModelAnswer", "Reply", "parse_answer", "parse_completion"]

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
_DECODER = json.JSONDecoder(strict=False)  # allows line breaks inside strings
_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
_MAX_OBJECTS = 200  # attempts to parse one, each at an opening brace
_YES = {"true", "yes", "y", "1"}
_NO = {"false", "no", "n", "0"}


class InvalidReply(ReaderFailed):
    """HTTP 200, but the body is not a complete chat completion."""


class ModelAnswer(NamedTuple):
    reported: bool
    text: str
    quotes: tuple[str, ...]
    pictures: tuple[str, ...] = ()
    """The picture that each quote is said to come from, empty for text; none at all if no quote names one."""


def parse_completion(content: bytes, *, source: str, form: Form | None = None) -> Reply:
    """A reply in the given form, by default OpenAI's. Raises InvalidReply for anything but a complete one."""
    try:
        return (form or OpenAIChat()).parse(content)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as err:
        raise InvalidReply(f"{source} did not send a chat completion", "check base_url: it often ends in /v1") from err


def parse_answer(reply: str) -> ModelAnswer | None:
    """None if there is no complete object with `reported` and `answer`.

    >>> parse_answer('Sure! ```json\\n{"reported": "yes", "answer": "Two GPUs.", "quotes": "It ran on two GPUs.",}\\n```')
    ModelAnswer(reported=True, text='Two GPUs.', quotes=('It ran on two GPUs.',), pictures=())
    >>> parse_answer('{"reported": true, "answer": "Two GP') is None
    True
    """
    for tree in _objects(without_thoughts(reply)):
        reported, answer = _yes_or_no(tree.get("reported")), tree.get("answer")
        if reported is not None and isinstance(answer, str) and (answer.strip() or not reported):
            quoted = _quotes(tree.get("quotes"))
            quotes = tuple(encodable(quote) for quote, _ in quoted)  # the JSON in a reply can name half a pair again
            pictures = tuple(encodable(picture) for _, picture in quoted)
            text = encodable(answer.strip()) or "Not reported."
            return ModelAnswer(reported, text, quotes, pictures if any(pictures) else ())
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


def _quotes(value: object) -> list[tuple[str, str]]:
    """Each quote and the picture it is from."""
    quoted = []
    for item in value if isinstance(value, list) else [value]:
        text, picture = (item.get("quote") or item.get("text"), item.get("picture")) if isinstance(item, dict) else (item, "")
        if isinstance(text, str) and text.strip():
            quoted.append((text.strip(), picture.strip() if isinstance(picture, str) else ""))
    return quoted
