"""Typed values from quotes: each key is asked of the one function that knows it, and each value remembers its quote."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct

from methodlens.facts import named as names
from methodlens.facts.derived import derived
from methodlens.facts.gazetteer import Mention
from methodlens.facts.hardware import devices, hardware
from methodlens.facts.hyperparameters import settings
from methodlens.facts.seeds import repeats
from methodlens.facts.splits import splits
from methodlens.facts.urls import code_links, data_links


class Fact(Struct, frozen=True):
    """One value of one key; `quote` is the index of the quote it stands in, `printed` how it stands there."""

    key: str
    value: Any
    quote: int
    printed: str = ""


_NAMES: dict[str, Callable[[str], list[Mention]]] = {
    "augmentations": names.augmentations,
    "datasets": names.datasets,
    "architectures": names.named("architectures"),
    "loss": names.losses,
    "optimizer": names.optimizers,
    "optimizers": names.optimizers,
    "regularization": names.regularization,
    "frameworks": names.frameworks,
    "formats": names.named("formats"),
    "annotation": names.annotation_kinds,
    "tools": names.annotation_tools,
    "metrics": names.named("metrics"),
    "tasks": names.named("tasks"),
    "platforms": names.named("platforms"),
}
_SETTINGS = ("learning_rate", "batch_size", "epochs", "iterations", "momentum", "weight_decay", "dropout")
_TOGETHER: dict[Callable[[str], dict[str, Any]], tuple[str, ...]] = {
    hardware: ("hardware", "training_time_h", "ram_gb"),
    code_links: ("code_urls", "code_hosts"),
    data_links: ("data_urls", "data_hosts"),
}
"""Read over all quotes at once: "three GPUs" in one sentence counts the GPU that another names."""
_READ_TOGETHER = frozenset((*(key for keys in _TOGETHER.values() for key in keys), "derived"))
_ONE_QUOTE: dict[Callable[[str], dict[str, Any]], tuple[str, ...]] = {
    splits: ("split", "split_counts", "cross_validation_folds"),
    repeats: ("seeds", "repeats"),
}
_ONE_OR_MORE = (*_SETTINGS, "loss", "optimizer")
"""A value if there is one, a list if there are several."""

KEYS = (*_NAMES, *_SETTINGS, *(key for keys in (*_TOGETHER.values(), *_ONE_QUOTE.values()) for key in keys), "derived")


def extract(keys: Sequence[str], quotes: Sequence[str]) -> dict[str, Any]:
    """The values of `keys` in `quotes`, in the shape of the export; keys that nothing extracts are left out.

    >>> extract(["ram_gb"], ["The server had 512 GB of memory."])
    {'ram_gb': 512.0}
    >>> extract(["epochs", "optimizers"], ["We trained for 90 epochs.", "We used Adam."])
    {'epochs': 90, 'optimizers': ['Adam']}
    """
    together = _read_together(keys, quotes)
    values: dict[str, Any] = {}
    for fact in located([key for key in keys if key not in _READ_TOGETHER], quotes):
        if isinstance(fact.value, dict) and fact.key != "frameworks":
            values[fact.key] = {**fact.value, **values.get(fact.key, {})}
        elif fact.key in ("cross_validation_folds", "repeats"):
            values[fact.key] = max(fact.value, values.get(fact.key, fact.value))
        else:
            values.setdefault(fact.key, []).append(fact.value)
    values |= together
    for key in _ONE_OR_MORE:
        if key in values and len(values[key]) == 1:
            values[key] = values[key][0]
    return {key: values[key] for key in keys if key in values}


def located(keys: Sequence[str], quotes: Sequence[str]) -> list[Fact]:
    """Every value of `keys`, one by one, with the quote it stands in; a value that stands in several is given once.

    >>> [(fact.value, fact.quote) for fact in located(["optimizers"], ["It was trained twice.", "We used Adam, then SGD."])]
    [('Adam', 1), ('SGD', 1)]
    """
    found: list[Fact] = []
    for key in keys:
        if key in _NAMES:
            found += _named(key, quotes)
    if any(key in _SETTINGS for key in keys):
        found += _set(keys, quotes)
    for extractor, yields in _ONE_QUOTE.items():
        if any(key in yields for key in keys):
            for index, quote in enumerate(quotes):
                found += [Fact(key, one, index) for key, value in extractor(quote).items() if key in keys for one in _each(value)]
    for key, value in _read_together(keys, quotes).items():
        found += [Fact(key, one, _home(key, one, quotes)) for one in _each(value)]
    return found


def _named(key: str, quotes: Sequence[str]) -> Iterable[Fact]:
    places = [(index, mention) for index, quote in enumerate(quotes) for mention in _NAMES[key](quote)]
    kept = names.distinct(mention for _, mention in places)
    for name in kept:
        here = [(index, mention) for index, mention in places if mention.name == name]
        index, mention = here[0]
        value: Any = name
        if key == "frameworks":
            versions = [names.version(quotes[at], each) for at, each in here]
            value = {"name": name, "version": next((one for one in versions if one), None)}
        yield Fact(key, value, index, " ".join(quotes[index][mention.start : mention.end].split()))


def _set(keys: Sequence[str], quotes: Sequence[str]) -> list[Fact]:
    found: dict[tuple[str, float], Fact] = {}
    for index, quote in enumerate(quotes):
        for each in settings(quote):
            if each.key in keys:
                found.setdefault((each.key, each.value), Fact(each.key, each.value, index, each.printed))
    return sorted(found.values(), key=lambda fact: _SETTINGS.index(fact.key))


def _read_together(keys: Sequence[str], quotes: Sequence[str]) -> dict[str, Any]:
    text = "\n".join(quotes)
    found: dict[str, Any] = {}
    for extractor, yields in _TOGETHER.items():
        if any(key in yields for key in keys) or ("derived" in keys and "hardware" in yields):
            found |= extractor(text)
    if "derived" in keys and (follows := derived(found["hardware"], found["training_time_h"])):
        found["derived"] = follows
    return {key: value for key, value in found.items() if key in keys}


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _home(key: str, value: Any, quotes: Sequence[str]) -> int:
    """The first quote that yields the value by itself, else the first that holds what it is made of."""
    printed = value["name"] if isinstance(value, dict) else value
    for index, quote in enumerate(quotes):
        if key == "hardware" and any(device.name == printed for device in devices(quote)):
            return index
        if key != "hardware" and value in _each(_read_together([key], [quote]).get(key)):
            return index
    return 0
