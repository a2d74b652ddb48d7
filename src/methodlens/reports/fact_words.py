"""Facts as people read them: 'training time: 6 h', 'NVIDIA TITAN Xp (GPU, 3 of them)'."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from methodlens.facts import DOUBTFUL, catalog, value_text
from methodlens.records import Answer, FactConfidence, Facts
from methodlens.text.printable import one_line

NO_CONFIDENCE: FactConfidence = {}
_DOUBTFUL_WORD = "doubtful"
_FIELDS = {"memory_gb": ("memory", "GB")}
"""Labels and units of fields within facts; those of facts come from their types."""


class ShownFact(NamedTuple):
    """`value` is compared across papers, `detail` is only shown."""

    value: str
    detail: str = ""


def fact_label(key: str) -> str:
    """
    >>> fact_label("learning_rate"), fact_label("training_time_h")
    ('learning rate', 'training time')
    """
    return _label_and_unit(key)[0]


def shown_facts(facts: Facts, confidence: FactConfidence = NO_CONFIDENCE) -> Iterator[tuple[str, list[ShownFact]]]:
    """Each key with its values, doubtful ones marked; keys without values are left out."""
    for key, exported in facts.items():
        values = exported if isinstance(exported, list | tuple) else [exported]
        known = confidence.get(key, {})
        shown = [_marked(_shown(key, value), known.get(value_text(value))) for value in values if value is not None]
        if shown := [fact for fact in shown if fact.value]:
            yield key, shown


def doubtful_values(answer: Answer) -> Iterator[str]:
    """The values that may well be wrong, each with its label: "augmentations: noise"."""
    for key, shown in shown_facts(answer.facts, answer.fact_confidence):
        yield from (f"{fact_label(key)}: {fact.value}" for fact in shown if fact.detail.endswith(_DOUBTFUL_WORD))


def _marked(fact: ShownFact, confidence: float | None) -> ShownFact:
    if confidence is None or confidence >= DOUBTFUL:
        return fact
    return ShownFact(fact.value, f"{fact.detail}, {_DOUBTFUL_WORD}" if fact.detail else _DOUBTFUL_WORD)


def _shown(key: str, value: Any) -> ShownFact:
    if isinstance(value, Mapping):
        parts = {name: part for name, part in value.items() if part is not None and name != "name"}
        if "name" in value:
            return ShownFact(_word(value["name"]), ", ".join(_part(name, part) for name, part in parts.items()))
        return ShownFact(", ".join(_part(name, part) for name, part in parts.items()))
    return ShownFact(f"{_word(value)} {_label_and_unit(key)[1]}".rstrip())


def _part(name: str, value: Any) -> str:
    if name == "kind":
        return _word(value)
    if name == "count":
        return f"{_word(value)} of them" if value != 1 else "1 of them"
    label, unit = _label_and_unit(name)
    return f"{label} {_word(value)} {unit}".rstrip()


def _label_and_unit(key: str) -> tuple[str, str]:
    """Exports of other versions and plugins have keys that are unknown here."""
    if fact_type := catalog().get(key):
        return fact_type.label, fact_type.unit
    return _FIELDS.get(key, (one_line(str(key).replace("_", " ")), ""))


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
