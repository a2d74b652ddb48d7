"""Text from papers, file names and models, made harmless to show: no control characters, nothing that cannot be encoded."""

import re
from typing import Any

EXCEL_LIMIT = 32_767  # characters a spreadsheet cell holds, counted as Excel does: in UTF-16 units
CUT = "… [cut]"

# C0 and C1 controls except tab and newline; the embeddings, overrides and isolates that make neighbours read backwards
# (plain right-to-left letters and marks need none of them); and what XML cannot hold.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_LINE_END = re.compile("\r\n?|[\u0085\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    """As it is, lines kept, without what could steer a terminal, a browser or a spreadsheet."""
    return _HARMFUL.sub("", _LINE_END.sub("\n", _SURROGATE.sub("\ufffd", text)))


def one_line(text: str) -> str:
    """
    >>> one_line("a\\tb\\r\\n  c\\x00")
    'a b c'
    """
    return " ".join(printable(text).split())


def cut(text: str) -> str:
    """At most what a spreadsheet cell holds, and marked when it is less than there was."""
    if len(text) * 2 <= EXCEL_LIMIT:  # no character takes more than two units
        return text
    units = text.encode("utf-16-le")
    if len(units) <= EXCEL_LIMIT * 2:
        return text
    return units[: (EXCEL_LIMIT - len(CUT)) * 2].decode("utf-16-le", errors="ignore") + CUT


def encodable(value: Any) -> Any:
    """The same tree of lists and dicts with each lone surrogate, which UTF-8 has no bytes for, as U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {encodable(key): encodable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(part) for part in value]
    return value
