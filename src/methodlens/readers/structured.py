"""A model's JSON reply, read with patience: fences, thinking, words around it and small slips are forgiven, guessing is not."""

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


class Said(NamedTuple):
    reported: bool
    answer: str
    quotes: tuple[str, ...]


def parse(reply: str) -> Said | None:
    """
    >>> parse('Sure! ```json\\n{"reported": "yes", "answer": "Two GPUs.", "quotes": "It ran on two GPUs.",}\\n```')
    Said(reported=True, answer='Two GPUs.', quotes=('It ran on two GPUs.',))
    >>> parse('{"reported": true, "answer": "Two GP') is None
    True
    """
    for tree in _objects(_THINKING.sub("", reply)):
        reported, answer = _yes_or_no(tree.get("reported")), tree.get("answer")
        if reported is not None and isinstance(answer, str) and (answer.strip() or not reported):
            return Said(reported, answer.strip() or "Not reported.", tuple(_quotes(tree.get("quotes"))))
    return None


def _objects(text: str) -> list[dict[str, Any]]:
    """Every whole JSON object that begins in the text, a later one counting before an earlier: models correct themselves."""
    found = []
    decoder = json.JSONDecoder(strict=False)  # line breaks inside strings are forgiven
    at = text.find("{")
    while at >= 0:
        for candidate in (text[at:], _TRAILING_COMMA.sub("", text[at:])):
            try:
                tree, _ = decoder.raw_decode(candidate)
            except (ValueError, RecursionError):
                continue
            if isinstance(tree, dict) and "reported" in tree:
                found.append(tree)
            break
        at = text.find("{", at + 1) if len(found) < 2 else -1
    return found[::-1]


def _yes_or_no(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    return True if word in _YES else False if word in _NO else None


def _quotes(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    texts = [item.get("quote") or item.get("text") if isinstance(item, dict) else item for item in items]
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]
