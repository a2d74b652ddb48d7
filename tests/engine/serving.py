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


def write_settings(path: Path, **readers: dict[str, Any]) -> Path:
    """[readers.NAME] tables; JSON's strings and numbers are TOML's."""
    tables = []
    for name, values in readers.items():
        tables.append(f"[readers.{name}]")
        tables += [f"{key} = {json.dumps(value)}" for key, value in {"model": "fern-7b", **values}.items()]
    path.write_text("\n".join(tables) + "\n")
    return path
