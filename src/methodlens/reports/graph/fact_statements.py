"""Facts as nodes of ML-Schema, FAIR4ML and schema.org. `data/facts.toml` says which terms a fact's key maps to."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from pyoxigraph import Literal, NamedNode, Triple

from methodlens.facts.types import value_text
from methodlens.records import Answer
from methodlens.reports.graph.vocabulary import DATA, Description, literal, node, term, web_address
from methodlens.text.printable import encodable


class FactTerms(Struct, frozen=True, forbid_unknown_fields=True):
    """The terms for one key: the classes of its nodes and the properties that hold the value."""

    types: tuple[str, ...] = ()
    value: tuple[str, ...] = ()
    link: str = ""
    """The property that holds the value as an address."""
    specified_by: str = ""
    """The hyperparameter that the value is a setting of."""
    unit: str = ""


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    facts: dict[str, FactTerms]
    parts: dict[str, str]
    """The properties for the parts of values that have several, such as the count of a GPU."""


@cache
def fact_table() -> _Table:
    return msgspec.convert(tomllib.loads(DATA.joinpath("facts.toml").read_text("utf-8")), _Table)


def fact_statements(answer: Answer, answer_node: NamedNode, activity: NamedNode) -> Iterator[tuple[NamedNode, list[Triple]]]:
    """Each fact that an answer states: its node and the node's triples."""
    for key, values in answer.facts.items():
        confidence = answer.fact_confidence.get(key, {})
        stated = [value for value in (values if isinstance(values, list | tuple) else [values]) if value not in (None, {})]
        for index, value in enumerate(stated):
            fact = node("fact", answer_node.value, key, index)
            description = _fact(fact, key, value).add("ml:confidence", confidence.get(value_text(value)))
            yield fact, description.add("prov:wasGeneratedBy", activity).triples


def _fact(fact: NamedNode, key: str, value: Any) -> Description:
    """A key that the table does not have, such as a plugin's, is a plain `ml:Fact`."""
    terms = fact_table().facts.get(key, FactTerms())
    shown = value if isinstance(value, bool | int | float) else value_text(value)
    description = Description(fact, "ml:Fact", *terms.types).add("ml:key", key).add("ml:value", literal(shown))
    for predicate in terms.value:
        description.add(predicate, literal(shown))
    if terms.link:
        description.add(terms.link, web_address(str(encodable(shown))))
    if terms.specified_by:
        description.add("mls:specifiedBy", term(terms.specified_by))
    description.add("schema:unitText", terms.unit)
    if isinstance(value, Mapping):
        _add_parts(description, value)
    return description


def _add_parts(description: Description, value: Mapping[str, Any]) -> None:
    """Parts without a property of their own, as in facts of plugins, are kept together as JSON."""
    others: dict[str, Any] = {}
    for name, part in value.items():
        if name == "name" or part is None:
            continue
        predicate = fact_table().parts.get(name)
        if predicate and isinstance(part, str | int | float):
            description.add(predicate, part)
        else:
            others[name] = part
    if others:
        text = msgspec.json.encode(encodable(others)).decode()
        description.add("ml:details", Literal(text, datatype=term("rdf:JSON")))
