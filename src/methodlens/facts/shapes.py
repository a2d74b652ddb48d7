"""The shape of each fact's value, for forms in which people correct facts, and the check of what they entered."""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from methodlens.errors import InputError
from methodlens.facts.catalog import types_of
from methodlens.facts.types import FactType
from methodlens.records import Facts, Question
from methodlens.text.printable import one_line

_LONGEST_TEXT = 500
_MOST_VALUES = 100
_NAME = "name"


class ValueType(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    LINK = "link"


class Amount(StrEnum):
    """How the export writes several values."""

    LIST = "list"
    """Always a list, also of one."""
    ONE_OR_LIST = "one_or_list"
    """One value alone, several as a list."""
    ONE = "one"
    """At most one."""


class Shape(Struct, frozen=True):
    """A value has the type `type`, or it is an object with these `fields`."""

    amount: Amount = Amount.LIST
    type: ValueType = ValueType.TEXT
    fields: Mapping[str, ValueType] = {}


_TEXT, _NUMBER, _INTEGER, _LINK = ValueType.TEXT, ValueType.NUMBER, ValueType.INTEGER, ValueType.LINK
_NUMBERS = Shape(Amount.ONE_OR_LIST, _NUMBER)
_INTEGERS = Shape(Amount.ONE_OR_LIST, _INTEGER)
_PARTS = ("train", "validation", "test")
_SHAPES: Mapping[str, Shape] = {
    "hardware": Shape(fields={_NAME: _TEXT, "kind": _TEXT, "count": _INTEGER, "memory_gb": _NUMBER}),
    "frameworks": Shape(fields={_NAME: _TEXT, "version": _TEXT}),
    "split": Shape(Amount.ONE, fields={**dict.fromkeys(_PARTS, _NUMBER), "validation_fraction_of_train": _NUMBER}),
    "split_counts": Shape(Amount.ONE, fields=dict.fromkeys(_PARTS, _INTEGER)),
    "cross_validation_folds": Shape(Amount.ONE, _INTEGER),
    **dict.fromkeys(("training_time_h", "ram_gb"), Shape(Amount.ONE, _NUMBER)),
    **dict.fromkeys(("learning_rate", "momentum", "weight_decay", "dropout", "epochs"), _NUMBERS),
    **dict.fromkeys(("batch_size", "iterations", "repeats"), _INTEGERS),
    **dict.fromkeys(("loss", "optimizer"), Shape(Amount.ONE_OR_LIST)),
    "seeds": Shape(type=_INTEGER),
    **dict.fromkeys(("code_urls", "data_urls"), Shape(type=_LINK)),
}
_COMPUTED = frozenset({"derived"})  # by methodlens, from other facts


def shape_of(key: str) -> Shape:
    """A list of names, unless it is known to be another."""
    return _SHAPES.get(key, Shape())


def editable_types(question: Question) -> Sequence[FactType]:
    """The types of a question's facts that people can correct."""
    return [fact_type for fact_type in types_of(question) if fact_type.key not in _COMPUTED]


def checked_facts(entered: Mapping[str, Any], question: Question) -> Facts:
    """The facts that a person entered, as the export writes them: blank values are left out, and "1e-3" is a number.

    >>> checked_facts({"learning_rate": ["1e-3"], "loss": []}, Question("Q", "?", facts=("learning_rate", "loss")))
    {'learning_rate': 0.001}
    """
    labels = {fact_type.key: fact_type.label for fact_type in editable_types(question)}
    if unknown := sorted(entered.keys() - labels):
        raise InputError(f"{question.id} has no fact {unknown[0]!r}", f"its facts are: {', '.join(labels) or 'none'}")
    facts = {key: _checked(entered[key], shape_of(key), label) for key, label in labels.items() if key in entered}
    return {key: value for key, value in facts.items() if value not in (None, [])}


def _checked(entered: Any, shape: Shape, label: str) -> Any:
    values = list(entered) if isinstance(entered, list | tuple) else [entered]
    if len(values) > _MOST_VALUES:
        raise InputError(f"{label} has {len(values)} values", f"enter at most {_MOST_VALUES}")
    read = _record if shape.fields else _plain
    found = [value for value in (read(value, shape, label) for value in values) if value is not None]
    match shape.amount:
        case Amount.LIST:
            return found
        case Amount.ONE if len(found) > 1:
            raise InputError(f"{label} has {len(found)} values", "enter one")
    return found if len(found) > 1 else (found[0] if found else None)


def _plain(entered: Any, shape: Shape, label: str) -> Any:
    return _READ[shape.type](entered, label)


def _record(entered: Any, shape: Shape, label: str) -> dict[str, Any] | None:
    if not isinstance(entered, Mapping):
        raise InputError(f"{label} needs fields", f"enter {', '.join(shape.fields)}")
    if unknown := sorted(map(str, entered.keys() - shape.fields)):
        raise InputError(f"{label} has no field {unknown[0]!r}", f"its fields are: {', '.join(shape.fields)}")
    names = {name: f"{label}, {name.replace('_', ' ')}" for name in shape.fields}
    values = {name: _READ[kind](entered.get(name), names[name]) for name, kind in shape.fields.items()}
    given = {name: value for name, value in values.items() if value is not None}
    if not given:
        return None
    if _NAME not in shape.fields:
        return given
    if _NAME not in given:
        raise InputError(f"a value of {label} has no name", "enter its name, or remove it")
    return values


def _text(entered: Any, label: str) -> str | None:
    if entered is None:
        return None
    if not isinstance(entered, str | int | float) or isinstance(entered, bool):
        raise InputError(f"{label} is not a text", "enter words")
    text = one_line(str(entered)).strip()
    if len(text) > _LONGEST_TEXT:
        raise InputError(f"{label} has {len(text)} characters", f"enter at most {_LONGEST_TEXT}")
    return text or None


def _link(entered: Any, label: str) -> str | None:
    text = _text(entered, label)
    if text and (" " in text or "." not in text):
        raise InputError(f"{label}: {text!r} is not a link", "enter an address such as https://example.org/data")
    return text


def _number(entered: Any, label: str) -> float | int | None:
    text = _text(entered, label)
    if text is None:
        return None
    try:
        number = float(text.replace("−", "-"))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{label}: {text!r} is not a number", "enter digits, such as 0.001 or 1e-3")
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _integer(entered: Any, label: str) -> int | None:
    number = _number(entered, label)
    if isinstance(number, float):
        raise InputError(f"{label}: {number:g} is not a whole number", "enter a whole number")
    return number


_READ: Mapping[ValueType, Callable[[Any, str], Any]] = {_TEXT: _text, _NUMBER: _number, _INTEGER: _integer, _LINK: _link}
