"""Values of a paper that are not what a model was trained with: ends of ranges ("for 10 to 30 epochs"), examples, empty sets.

They can agree with the code, but not differ from it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from methodlens.facts import value_text
from methodlens.facts.numbers import NUMBER, worded

_NUMBER = r"\d{1,9}(?:[.,]\d{1,9})*(?:e-?\d{1,3})?"
_RANGE = re.compile(rf"({_NUMBER})\s?(?:to|[–—-])\s?({_NUMBER})|between ({_NUMBER}) and ({_NUMBER})", re.IGNORECASE)
_STATED = re.compile(rf"(?<![\w.])-?{_NUMBER}(?![\w])", re.IGNORECASE)
_IN_WORDS = re.compile(rf"\b(?:{NUMBER})\b", re.IGNORECASE)
_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?]\s+(?=[A-Z])|\n")
_SUPPOSED = re.compile(
    r"\bfor (?:instance|example)\b|\be\.\s?g\.|\bif (?:you|I|we|one)\b|\byou (?:can|could|may|might|should)\b|"
    r"\b(?:this|the (?:above|following|next|previous)) (?:command|example|snippet|script)\b",
    re.IGNORECASE,
)
_ADVISED = re.compile(
    r"\bworks? (?:well|best|fine)\b|\b(?:we|I) (?:recommend|suggest)\b|\b(?:is|are) recommended\b|"
    r"\bgood (?:choice|default|start)|\bdefaults?(?: values?)?:|\b(?:smoke|sanity|toy|demo|debug\w*)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"\bfrom [\w.]{1,80} import\b|^\s*import \w|\b\w{1,80}\.\w{1,80}\(\w|\b[a-z]{1,40}_\w{1,40} = ", re.MULTILINE)
_USED = re.compile(r"optimi[sz]|train|learn|minimi[sz]|fine-?tun|updat|solver", re.IGNORECASE)
_PRODUCT = re.compile(r"\b(?:effective|total|global|overall) (?:mini-?)?batch|\bper[- ](?:gpu|device)", re.IGNORECASE)
_LARGE_RATE = 1.0
"""A learning rate from here on is rare, and mostly one that is shown to fail, or another number."""


def is_unsettled(fact: str, value: Any, quotes: Iterable[str]) -> bool:
    """Whether the paper does not clearly say that it trained with this value."""
    quotes = list(quotes)
    if fact == "learning_rate" and isinstance(value, int | float) and value >= _LARGE_RATE:
        return True
    if fact == "batch_size" and any(_PRODUCT.search(quote) for quote in quotes):  # the code may have its factors
        return True
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
    """Whether all sentences with the value suppose or advise it, or are code, rather than report it.

    >>> is_only_an_example(30, ["For example, 30 epochs suit frogs."]), is_only_an_example(30, ["We train for 30 epochs."])
    (True, False)
    """
    places = [(quote, at) for quote in quotes if (at := _stated_at(value, quote)) >= 0]
    return bool(places) and all(_is_example(value, quote, at) for quote, at in places)


def _is_example(value: Any, quote: str, at: int) -> bool:
    start = max((match.end() for match in _END.finditer(quote[:at])), default=0)
    end = match.start() if (match := _END.search(quote, at)) else len(quote)
    sentence = quote[start:end]
    if isinstance(value, str) and not _USED.search(quote):  # the name of an optimiser, without a word on its use
        return True
    return bool(_SUPPOSED.search(quote[start:at]) or _ADVISED.search(sentence) or _CODE.search(quote))


def _stated_at(value: Any, quote: str) -> int:
    """Where a quote states the value, -1 if it does not."""
    if isinstance(value, int | float):
        numbers = ((match.start(), _number(match[0])) for match in _STATED.finditer(quote))
        words = ((match.start(), worded(match[0])) for match in _IN_WORDS.finditer(quote))
        return next((at for at, number in (*numbers, *words) if number == value), -1)
    return quote.casefold().find(value_text(value).casefold())


def _is_empty_share(value: Any) -> bool:
    """A split with a set of nothing, mostly a percentage that means something else."""
    return isinstance(value, Mapping) and any(part == 0 for part in value.values())


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
