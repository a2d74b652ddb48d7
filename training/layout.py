"""What was learned as a JSON file with one line a question, so that a change can be read in a diff."""

import json
from collections.abc import Mapping
from typing import Any


def layout(head: Mapping[str, Any], questions: Mapping[str, Mapping[str, Any]]) -> str:
    """`head` comes first, as it is; `questions` under their own key, a line each."""
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(one)}" for name, one in questions.items())
    return json.dumps(head, indent=2).removesuffix("\n}") + f',\n  "questions": {{\n{lines}\n  }}\n}}\n'
