"""Whether two values of a setting are the same, or too close to call them different."""

import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from methodlens.facts import value_text
from methodlens.facts.gazetteer import gazetteer

_SAME_SHARE = 0.006
"""Two shares of a split are the same if they round to the same percentage."""
_OFTEN_ROUNDED, _MOST_ROUNDED = 1000, 1.06
"""Numbers of steps are often rounded: 19,200 may be given as "20k", 18,000 not."""


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
    if any(value_text(value).casefold() in _families() for value in (left, right)):  # any optimiser may be behind it
        return True
    return names[0] <= names[1] or names[1] <= names[0]


@cache
def _families() -> frozenset[str]:
    """Ways to train that do not say which optimiser was used, such as gradient descent and PPO."""
    return frozenset(entry.name.casefold() for entry in gazetteer("optimizers").entries if entry.kind == "family")


def _misread(left: float, right: float) -> bool:
    """Whether one may be the other without the zeros after a space ("20 000"), as a percentage, or rounded."""
    small, large = sorted((abs(left), abs(right)))
    if small >= _OFTEN_ROUNDED and large <= small * _MOST_ROUNDED and (_rounded(left, right) or _rounded(right, left)):
        return True
    thousands = small >= 1 and any(math.isclose(large, small * factor) for factor in (1e3, 1e6))
    return thousands or (small < 1 <= large and math.isclose(large, small * 100))


def _rounded(exact: float, short: float) -> bool:
    """
    >>> _rounded(19_200, 19_000), _rounded(19_200, 18_900)
    (True, False)
    """
    digits = len(f"{short:.0f}".rstrip("0"))
    return float(f"{exact:.{digits - 1}e}") == short


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
