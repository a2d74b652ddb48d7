"""Parses a model's JSON reply. Code fences, thinking, surrounding text and small syntax errors are tolerated."""

import json
import re
from typing import Any, NamedTuple

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
_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
_YES = {"true", "yes", "y", "1"}
_NO = {"false", "no", "n", "0"}


class ModelAnswer(NamedTuple):
    reported: bool
    text: str
    quotes: tuple[str, ...]


def parse(reply: str) -> ModelAnswer | None:
    """None if there is no complete object with `reported` and `answer`.

    >>> parse('Sure! ```json\\n{"reported": "yes", "answer": "Two GPUs.", "quotes": "It ran on two GPUs.",}\\n```')
    ModelAnswer(reported=True, text='Two GPUs.', quotes=('It ran on two GPUs.',))
    >>> parse('{"reported": true, "answer": "Two GP') is None
    True
    """
    for tree in _objects(_THINKING.sub("", reply)):
        reported, answer = _yes_or_no(tree.get("reported")), tree.get("answer")
        if reported is not None and isinstance(answer, str) and (answer.strip() or not reported):
            return ModelAnswer(reported, answer.strip() or "Not reported.", tuple(_quotes(tree.get("quotes"))))
    return None


def _objects(text: str) -> list[dict[str, Any]]:
    """The first two complete JSON objects with `reported`, the later one first: models correct themselves."""
    objects: list[dict[str, Any]] = []
    decoder = json.JSONDecoder(strict=False)  # allows line breaks inside strings
    at = text.find("{")
    while at >= 0:
        for candidate in (text[at:], _TRAILING_COMMA.sub("", text[at:])):
            try:
                tree, _ = decoder.raw_decode(candidate)
            except (ValueError, RecursionError):
                continue
            if isinstance(tree, dict) and "reported" in tree:
                objects.append(tree)
            break
        at = text.find("{", at + 1) if len(objects) < 2 else -1
    return objects[::-1]


def _yes_or_no(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    return True if word in _YES else False if word in _NO else None


def _quotes(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    texts = [item.get("quote") or item.get("text") if isinstance(item, dict) else item for item in items]
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]
