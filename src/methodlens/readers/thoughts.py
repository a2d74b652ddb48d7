"""Removes a reasoning model's thoughts from its reply: only what follows them is its answer."""

import re

_TAG = re.compile(r"<(/?)(?:think|thinking|thoughts?|reasoning)>|\[(/?)THINK\]", re.IGNORECASE)
_FINAL = "<|channel|>final<|message|>"  # of gpt-oss, if the server does not separate its channels


def without_thoughts(reply: str) -> str:
    """Thoughts that are never closed reach to the end. Those without a beginning, which a chat template writes, start the reply.

    >>> [without_thoughts(text) for text in ("<think>A draft.</think>Yes.", "A draft.</think>Yes.", "<think>A draft.")]
    ['Yes.', 'Yes.', '']
    """
    reply = reply.rpartition(_FINAL)[2]
    end = len(reply.rstrip())
    pieces: list[str] = []
    start: int | None = 0  # of the text outside thoughts; None inside them
    for tag in _TAG.finditer(reply):
        closes = "/" in (tag[1], tag[2])
        if start is None and closes:
            start = tag.end()
        elif start is not None and not closes:
            pieces.append(reply[start : tag.start()])
            start = None
        elif start is not None and tag.end() < end:
            pieces.clear()
            start = tag.end()
    return "".join(pieces) + (reply[start:] if start is not None else "")
