"""Make text from papers, file names and models safe to show: no control characters, nothing that cannot be encoded."""

import re
from typing import Any

EXCEL_LIMIT = 32_767  # UTF-16 units per spreadsheet cell
CUT = "… [cut]"

# C0 and C1 controls except tab and newline; embeddings, overrides and isolates, which reverse the text around them
# (right-to-left scripts do not need them); and characters that XML does not allow
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_LINE_END = re.compile("\r\n?|[\u0085\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    """The text without characters that could control a terminal, a browser or a spreadsheet. Lines are kept."""
    return _HARMFUL.sub("", _LINE_END.sub("\n", _SURROGATE.sub("\ufffd", text)))


def one_line(text: str) -> str:
    """
    >>> one_line("a\\tb\\r\\n  c\\x00")
    'a b c'
    """
    return " ".join(printable(text).split())


def cut(text: str) -> str:
    """The text, shortened and marked as cut if it does not fit into a spreadsheet cell."""
    if len(text) * 2 <= EXCEL_LIMIT:  # no character takes more than two units
        return text
    units = text.encode("utf-16-le")
    if len(units) <= EXCEL_LIMIT * 2:
        return text
    return units[: (EXCEL_LIMIT - len(CUT)) * 2].decode("utf-16-le", errors="ignore") + CUT


def encodable(value: Any) -> Any:
    """The same tree of lists and dicts, with each lone surrogate, which UTF-8 cannot encode, replaced by U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {encodable(key): encodable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(part) for part in value]
    return value
