"""The reply to several questions: its JSON schema, and the answers in it. What is cut off or broken does not spoil the rest."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from methodlens.readers.replies import SCHEMA, ModelAnswer, parse_answer


class Part(NamedTuple):
    """The answer to one question, and its text in the reply."""

    answer: ModelAnswer
    raw: str


def group_schema(ids: Iterable[str]) -> dict[str, Any]:
    """An object with an answer under each id."""
    properties: Mapping[str, Any] = dict.fromkeys(ids, SCHEMA)
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def parse_group(reply: str, ids: Sequence[str]) -> dict[str, Part]:
    """The usable answers by id; of two under the same id, the later one.

    >>> sorted(parse_group('{"A": {"reported": false, "answer": ""}, "B": {"reported": true, "ans', ["A", "B"]))
    ['A']
    """
    text = reply.rpartition("</think>")[2]
    keys = {form: key for key in ids for form in (json.dumps(key), json.dumps(key, ensure_ascii=False))}
    names = "|".join(re.escape(form) for form in sorted(keys, key=len, reverse=True))
    found = list(re.finditer(rf"({names})\s*:\s*(?=\{{)", text))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    parts: dict[str, Part] = {}
    for match, end in zip(found, ends, strict=True):
        raw = text[match.end() : end]
        if answer := parse_answer(raw):
            parts[keys[match[1]]] = Part(answer, raw.rstrip().rstrip(",").rstrip())
    return parts
