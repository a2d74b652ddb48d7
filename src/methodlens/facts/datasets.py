"""Data sets: listed ones, and others by how papers speak of them."""

import re
from collections.abc import Sequence

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.naming import name_facts, own, places_in
from methodlens.facts.open_datasets import open_datasets
from methodlens.facts.roles import Role
from methodlens.facts.types import Fact

_ABBREVIATED = re.compile(r"\s\((?P<short>[A-Z][\w-]{1,10})\)")


def datasets(text: str) -> list[Mention]:
    names = [*listed("datasets", text)]
    return [*names, *open_datasets(text, names)]


def dataset_facts(quotes: Sequence[str]) -> list[Fact]:
    """Without the abbreviations of others: "PondSong (PS)" is one data set, whatever other quotes call it."""
    places = places_in(_OWN, quotes)
    pairs = [(mention.name, _ABBREVIATED.match(quotes[index], mention.end)) for index, mention in places]
    shorts = {match["short"] for name, match in pairs if match and match["short"] != name}
    facts = name_facts([place for place in places if place[1].name not in shorts], quotes)
    return [fact for fact in facts if not _is_family(fact, facts)]


def _is_family(fact: Fact, facts: Sequence[Fact]) -> bool:
    """ "CIFAR" next to "CIFAR-10"."""
    name = str(fact.value)
    return any(str(other.value).startswith(f"{name}-") for other in facts)


_OWN = own(datasets, {Role.NEGATED, Role.CITED})
