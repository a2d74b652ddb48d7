"""Numbers of a paper that are the end of a range: "for 10 to 30 epochs" is not one value, and so cannot differ from another."""

import re
from collections.abc import Iterable
from typing import Any

_NUMBER = r"\d{1,9}(?:[.,]\d{1,9})*(?:e-?\d{1,3})?"
_RANGE = re.compile(rf"({_NUMBER})\s?(?:to|[–—-])\s?({_NUMBER})|between ({_NUMBER}) and ({_NUMBER})", re.IGNORECASE)


def is_end_of_range(value: Any, quotes: Iterable[str]) -> bool:
    """
    >>> is_end_of_range(30, ["We train for 10 to 30 epochs."]), is_end_of_range(30, ["We train for 30 epochs."])
    (True, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    ends = (end for quote in quotes for match in _RANGE.finditer(quote) for end in match.groups() if end)
    return any(_number(end) == value for end in ends)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
