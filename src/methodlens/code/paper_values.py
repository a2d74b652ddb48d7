"""Values of a paper that are not what a model was trained with: ends of ranges ("for 10 to 30 epochs"), examples, empty sets.

They can agree with the code, but not differ from it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from methodlens.facts import value_text

_NUMBER = r"\d{1,9}(?:[.,]\d{1,9})*(?:e-?\d{1,3})?"
_RANGE = re.compile(rf"({_NUMBER})\s?(?:to|[–—-])\s?({_NUMBER})|between ({_NUMBER}) and ({_NUMBER})", re.IGNORECASE)
_STATED = re.compile(rf"(?<![\w.])-?{_NUMBER}(?![\w])", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\bfor (?:instance|example)\b|\be\.\s?g\.|\bif (?:you|I|we|one)\b|\byou (?:can|could|may|might|should)\b|"
    r"\b(?:this|the (?:above|following|next|previous)) (?:command|example|snippet|script)\b",
    re.IGNORECASE,
)


def is_unsettled(value: Any, quotes: Iterable[str]) -> bool:
    """Whether a value cannot be told to be the one of the paper's training."""
    quotes = list(quotes)
    return is_end_of_range(value, quotes) or is_only_an_example(value, quotes) or _is_empty_share(value)


def is_end_of_range(value: Any, quotes: Iterable[str]) -> bool:
    """
    >>> is_end_of_range(30, ["We train for 10 to 30 epochs."]), is_end_of_range(30, ["We train for 30 epochs."])
    (True, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    ends = (end for quote in quotes for match in _RANGE.finditer(quote) for end in match.groups() if end)
    return any(_number(end) == value for end in ends)


def is_only_an_example(value: Any, quotes: Iterable[str]) -> bool:
    """Whether all quotes with the value suppose it, rather than report it.

    >>> is_only_an_example(30, ["For example, 30 epochs suit frogs."]), is_only_an_example(30, ["We train for 30 epochs."])
    (True, False)
    """
    places = [(quote, at) for quote in quotes if (at := _stated_at(value, quote)) >= 0]
    return bool(places) and all(_SUPPOSED.search(quote[:at]) for quote, at in places)


def _stated_at(value: Any, quote: str) -> int:
    """Where a quote states the value, -1 if it does not."""
    if isinstance(value, int | float):
        return next((match.start() for match in _STATED.finditer(quote) if _number(match[0]) == value), -1)
    return quote.casefold().find(value_text(value).casefold())


def _is_empty_share(value: Any) -> bool:
    """A split with a set of nothing, mostly a percentage that means something else."""
    return isinstance(value, Mapping) and any(part == 0 for part in value.values())


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
