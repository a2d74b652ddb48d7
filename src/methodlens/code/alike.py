"""Whether two values of a setting are the same, or too close to call them different."""

import math
import re
from collections.abc import Mapping
from typing import Any

from methodlens.facts import value_text

_SAME_SHARE = 0.006
"""Two shares of a split are the same if they round to the same percentage."""


def is_equal(left: Any, right: Any) -> bool:
    """
    >>> is_equal(0.001, "1e-3"), is_equal({"name": "PyTorch", "version": "1.8"}, "pytorch")
    (True, True)
    >>> is_equal({"test": 0.2}, {"test": 0.1})
    False
    """
    if _is_split(left) and _is_split(right):
        shared = left.keys() & right.keys()
        return bool(shared) and all(abs(left[part] - right[part]) < _SAME_SHARE for part in shared)
    numbers = _number(left), _number(right)
    if numbers[0] is not None and numbers[1] is not None:
        return math.isclose(numbers[0], numbers[1], rel_tol=1e-6, abs_tol=1e-12)
    return _letters(left) == _letters(right)


def is_same_design(left: Any, right: Any) -> bool:
    """Equal, or one names the family and the other its member.

    >>> is_same_design("EfficientNet", "EfficientNet-B0"), is_same_design("ResNet-18", "ResNet-50")
    (True, False)
    >>> is_same_design("CNN", "R-CNN")
    False
    """
    if is_equal(left, right):
        return True
    short, long = sorted((value_text(left).casefold(), value_text(right).casefold()), key=len)
    return re.fullmatch(r"[-\s]?[vb]?\d[\w.]*", long.removeprefix(short)) is not None if long.startswith(short) else False


def is_akin(left: Any, right: Any) -> bool:
    """Too close to call it a difference: splits whose sets may only be named differently, names and numbers as below.

    >>> is_akin("SGD", "SGD with momentum"), is_akin(20, 20_000), is_akin(50, 0.5), is_akin(0.1, 0.01)
    (True, True, True, False)
    """
    if _is_split(left) and _is_split(right):
        shared = left.keys() & right.keys()
        shares = [*right.values(), *(1 - share for share in right.values())]  # what a share leaves for the other sets
        return not shared or any(abs(share - other) < _SAME_SHARE for share in left.values() for other in shares)
    numbers = _number(left), _number(right)
    if numbers[0] is not None and numbers[1] is not None:
        return _misread(numbers[0], numbers[1])
    names = [set(re.findall(r"[a-z0-9]+", value_text(value).casefold())) for value in (left, right)]
    if {"adam", "amsgrad"} == names[0] | names[1]:  # an option of the former
        return True
    if any(words == {"gradient", "descent"} for words in names):  # what every optimiser does
        return True
    return names[0] <= names[1] or names[1] <= names[0]


def _misread(left: float, right: float) -> bool:
    """Whether one may be the other without the zeros after a space ("20 000"), or as a percentage."""
    small, large = sorted((abs(left), abs(right)))
    thousands = small >= 1 and any(math.isclose(large, small * factor) for factor in (1e3, 1e6))
    return thousands or (small < 1 <= large and math.isclose(large, small * 100))


def _is_split(value: Any) -> bool:
    return isinstance(value, Mapping) and "name" not in value and all(isinstance(part, int | float) for part in value.values())


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _letters(value: Any) -> str:
    return re.sub(r"[\W_]+", "", value_text(value).casefold())
