"""A chat server on loopback that answers from the passages it is sent, and a settings file that names it."""

import json
import re
from pathlib import Path
from typing import Any

from tests.loopback import Reply, json_reply

_DATA = re.compile(r"\[data \w+\]\n(.*?)\n\[end of data", re.DOTALL)


def honest(request: Any) -> Reply:
    """Quotes the first long sentence of its passages, word for word."""
    user = request["messages"][-1]["content"]
    found = _DATA.search(user)
    passages = found[1] if found else user
    sentence = next((each for each in re.split(r"(?<=\.)\s", passages) if len(each.split()) > 5), "")
    return json_reply(bool(sentence), sentence or "Not reported.", *([sentence] if sentence else []))


def asked_ids(request: Any) -> list[str]:
    """The ids of the questions in a grouped call."""
    listed = request["messages"][-1]["content"].rpartition("Questions:\n")[2]
    return [json.loads(line.partition(": ")[0]) for line in listed.splitlines()]


def honest_group(request: Any) -> Reply:
    """Answers every question of a grouped call with the first long sentence of the passages."""
    single = json.loads(json.loads(honest(request).body)["choices"][0]["message"]["content"])
    return group_reply(dict.fromkeys(asked_ids(request), single))


def group_reply(answers: dict[str, Any], *, finish_reason: str = "stop") -> Reply:
    choice = {"message": {"content": json.dumps(answers)}, "finish_reason": finish_reason}
    return Reply(json.dumps({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 31}}))


def write_settings(path: Path, **readers: dict[str, Any]) -> Path:
    """[readers.NAME] tables; JSON's strings and numbers are TOML's."""
    tables = []
    for name, values in readers.items():
        tables.append(f"[readers.{name}]")
        tables += [f"{key} = {json.dumps(value)}" for key, value in {"model": "fern-7b", **values}.items()]
    path.write_text("\n".join(tables) + "\n")
    return path
