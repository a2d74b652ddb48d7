"""Facts as people read them: 'training time: 6 h', 'NVIDIA TITAN Xp (GPU, 3 of them)'."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from methodlens.records import Facts
from methodlens.text.printable import one_line

_UNITS = {"training_time_h": ("training time", " h"), "ram_gb": ("RAM", " GB"), "memory_gb": ("memory", " GB")}


class ShownFact(NamedTuple):
    """`value` is what papers are compared by, `detail` what else is known of it."""

    value: str
    detail: str = ""


def fact_label(key: str) -> str:
    """
    >>> fact_label("learning_rate"), fact_label("training_time_h")
    ('learning rate', 'training time')
    """
    return _UNITS[key][0] if key in _UNITS else one_line(key.replace("_", " "))


def shown_facts(facts: Facts) -> Iterator[tuple[str, list[ShownFact]]]:
    """Each key with its values, keys without any left out."""
    for key, found in facts.items():
        values = found if isinstance(found, list | tuple) else [found]
        shown = [_shown(key, value) for value in values if value is not None]
        if shown := [fact for fact in shown if fact.value]:
            yield key, shown


def _shown(key: str, value: Any) -> ShownFact:
    if isinstance(value, Mapping):
        parts = {name: part for name, part in value.items() if part is not None and name != "name"}
        if "name" in value:
            return ShownFact(_word(value["name"]), ", ".join(_part(name, part) for name, part in parts.items()))
        return ShownFact(", ".join(_part(name, part) for name, part in parts.items()))
    return ShownFact(_word(value) + _UNITS.get(key, ("", ""))[1])


def _part(name: str, value: Any) -> str:
    if name == "kind":
        return _word(value)
    if name == "count":
        return f"{_word(value)} of them" if value != 1 else "1 of them"
    label, unit = _UNITS.get(name, (one_line(str(name).replace("_", " ")), ""))
    return f"{label} {_word(value)}{unit}"


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_word, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{one_line(str(name))} {_word(part)}" for name, part in value.items() if part is not None)
    return one_line(str(value))
