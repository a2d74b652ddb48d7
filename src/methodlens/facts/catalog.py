"""All fact types, and what they find in quotes.

To add a fact type, write a `FactType` in the file of its family, or in a new file, and add it to `BUILT_IN`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from methodlens import plugins
from methodlens.errors import InputError
from methodlens.facts.derived import DERIVED
from methodlens.facts.hardware import HARDWARE, RAM
from methodlens.facts.hyperparameters import HYPERPARAMETERS
from methodlens.facts.named import NAMED
from methodlens.facts.seeds import REPEATS, SEEDS
from methodlens.facts.splits import SPLITS
from methodlens.facts.times import TRAINING_TIME
from methodlens.facts.types import FactType, Findings, value_text
from methodlens.facts.urls import URLS
from methodlens.records import Question

BUILT_IN = (HARDWARE, TRAINING_TIME, RAM, DERIVED, *URLS, *SPLITS, *HYPERPARAMETERS, *NAMED, SEEDS, REPEATS)

_added: dict[str, FactType] = {}
MAX_QUOTE_CHARS = 2000
"""Readers quote less; some of the grammars take quadratic time on repeated digits or spaces."""


@cache
def catalog() -> Mapping[str, FactType]:
    """All types by key, the highest priority first: the built-in ones, those of plugins, and those added in this process."""
    types = {fact_type.key: fact_type for fact_type in BUILT_IN}
    for name in plugins.names("fact_types"):
        plugin = plugins.load("fact_types", name)
        if not isinstance(plugin, FactType):
            raise InputError(f"the plugin {name!r} is not a FactType", "correct its entry point, or uninstall it")
        if plugin.key in types:
            raise InputError(f"the plugin {name!r} defines the fact {plugin.key!r} again", "rename its key, or uninstall it")
        types[plugin.key] = plugin
    return {each.key: each for each in sorted((types | _added).values(), key=lambda each: -each.priority)}


def add_types(types: Iterable[FactType]) -> None:
    """Add types in this process only. One with the key of an added type replaces it."""
    for fact_type in types:
        if fact_type.key in catalog() and fact_type.key not in _added:
            raise InputError(f"the fact {fact_type.key!r} exists already", "rename the key of your FactType")
        _added[fact_type.key] = fact_type
        catalog.cache_clear()
        types_of.cache_clear()


@lru_cache(maxsize=1024)
def types_of(question: Question) -> tuple[FactType, ...]:
    """The types of a question's facts: the deciding one first, the others as in the catalog, whatever order it has them in.

    Keys that are unknown, as of a plugin that is not installed here, are left out.

    >>> [each.key for each in types_of(Question("Q", "?", facts=("ram_gb", "hardware")))]
    ['hardware', 'ram_gb']
    """
    types = [fact_type for key, fact_type in catalog().items() if key in question.facts]
    return tuple(sorted(types, key=lambda each: each.key != question.decided_by))


def deciding_type(question: Question) -> FactType:
    """The type whose facts answer the question by themselves: the one that it names, else that of the highest priority."""
    return next(iter(types_of(question)), _NO_TYPE)


_NO_TYPE = FactType(key="", extract=lambda quotes: (), first_quote_only=True)
"""For questions without facts."""


def versioned_keys(question: Question) -> list[str]:
    """What answers depend on: the keys in the order of `types_of`, with revisions; then those that are unknown."""
    types = types_of(question)
    known = [f"{each.key}@{each.revision}" if each.revision else each.key for each in types]
    return known + sorted(set(question.facts) - {each.key for each in types})


def find(types: Iterable[FactType], quotes: Sequence[str]) -> Findings:
    """The facts of these types in the quotes. Types that find nothing have no value, unless they export it empty."""
    quotes = [quote[:MAX_QUOTE_CHARS] for quote in quotes]
    facts = [(fact_type, fact_type.extract(quotes)) for fact_type in types]
    merged = [(each, each.merge([fact.value for fact in found])) for each, found in facts if found or each.export_empty]
    return Findings(
        tuple(quotes),
        {each.key: found for each, found in facts},
        {each.key: value for each, value in merged},
        {each.key: {value_text(fact.value): fact.confidence for fact in reversed(found)} for each, found in facts if found},
    )


def extract(keys: Iterable[str], quotes: Sequence[str]) -> dict[str, Any]:
    """The values of `keys` in `quotes`, in the shape of the export.

    >>> extract(["epochs", "optimizers", "ram_gb"], ["We trained for 90 epochs.", "We used Adam.", "It had 512 GB of memory."])
    {'epochs': 90, 'optimizers': ['Adam'], 'ram_gb': 512.0}
    """
    return dict(find([catalog()[key] for key in keys], quotes).values)
