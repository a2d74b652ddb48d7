"""Which topics a question is on, and in which words papers write about them: data/topics.toml.

Static vectors do not know that "supported by a grant" answers a question for funders. The list does, for what papers of any field
report.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from msgspec import Struct

from methodlens.text import words
from methodlens.text.stems import stem

Term = tuple[str, ...]
"""One stem, or two that stand close to each other."""
_APART = 2  # words, at most, from one of two stems to the other


class Topic(Struct, frozen=True):
    name: str
    said: tuple[Term, ...]
    """What sentences on the topic say."""
    how_often: int
    """1 if papers usually report it, -1 if few do, 0 in between."""


@lru_cache(maxsize=2048)
def topics_of(question_words: Sequence[str]) -> tuple[Topic, ...]:
    """The topics that the words of a question name. A word of a longer term does not count alone.

    >>> [topic.name for topic in topics_of(("source", "funding"))]
    ['funding']
    >>> [topic.name for topic in topics_of(("monitoring", "committee"))]
    ['monitoring_committee']
    """
    stems = [stem(word) for word in question_words]
    names: dict[str, None] = {}
    taken: set[int] = set()
    for places in _places(len(stems)):
        term = tuple(stems[place] for place in places)
        found = _asked().get(term) or _asked().get(term[::-1], ())
        if found and (len(places) == 2 or not taken & {*places}):
            names |= dict.fromkeys(found)
            taken |= {*places}
    return tuple(_topics()[name] for name in names)


def _places(count: int) -> Iterator[tuple[int, ...]]:
    """Of all pairs of words that are close to each other, then of all words."""
    for first in range(count):
        for second in range(first + 1, min(count, first + _APART + 1)):
            yield first, second
    for only in range(count):
        yield (only,)


@cache
def _topics() -> Mapping[str, Topic]:
    often = {name: sign for level, sign in (("usual", 1), ("rare", -1)) for name in _file()["how_often"][level].split()}
    return {
        name: Topic(name, tuple(dict.fromkeys(_terms(f"{lists['asked']}, {lists['said']}"))), often.get(name, 0))
        for name, lists in _lists().items()
    }


@cache
def _asked() -> Mapping[Term, Sequence[str]]:
    found: dict[Term, list[str]] = {}
    for name, lists in _lists().items():
        for term in _terms(lists["asked"]):
            found.setdefault(term, []).append(name)
    return found


def topics_data() -> bytes:
    return (resources.files("methodlens.relevance") / "data" / "topics.toml").read_bytes()


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(topics_data().decode("utf-8"))


def _lists() -> Mapping[str, Mapping[str, str]]:
    groups = (group for name, group in _file().items() if name != "how_often")
    return {name: lists for group in groups for name, lists in group.items()}


def _terms(listed: str) -> Iterator[Term]:
    for entry in listed.split(","):
        parts = [tokens[0] for part in entry.split() if (tokens := words(part))]
        if len(parts) == min(2, len(entry.split())):
            yield tuple(map(stem, parts))
        halves = words(entry)[1:] if len(parts) == 1 else []
        if len(halves) == 2:  # "cross-validation" is written as two words, too
            yield tuple(map(stem, halves))
