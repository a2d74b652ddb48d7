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

from methodlens.relevance.paper_kind import KINDS
from methodlens.relevance.terms import Term, terms
from methodlens.text.stems import stem

_APART = 2  # words, at most, from one of two stems to the other


class Topic(Struct, frozen=True):
    name: str
    said: tuple[Term, ...]
    """What sentences on the topic say."""
    rates: tuple[float, ...]
    """Which share of the papers of each of the `KINDS` reports it, as raters estimated who saw neither papers nor labels."""


@lru_cache(maxsize=2048)
def topics_of(question_words: Sequence[str]) -> tuple[Topic, ...]:
    """The topics that the words of a question name. A word of a longer term does not count alone.

    >>> [topic.name for topic in topics_of(("source", "funding"))]
    ['funding']
    >>> [topic.name for topic in topics_of(("monitoring", "committee"))]
    ['monitoring_committee']
    """
    return tuple(_topics()[name] for name in _named(question_words))


def most_specific_topics(question_words: Sequence[str]) -> tuple[Topic, ...]:
    """Those that two words together name, if there are any; otherwise all.

    >>> [topic.name for topic in most_specific_topics(("learning", "rate", "network"))]
    ['learning_rate']
    """
    named = _named(question_words)
    longest = max(named.values(), default=0)
    return tuple(_topics()[name] for name, length in named.items() if length == longest)


def _named(question_words: Sequence[str]) -> dict[str, int]:
    """The names of topics, each with how many words name it."""
    stems = [stem(word) for word in question_words]
    names: dict[str, int] = {}
    taken: set[int] = set()
    for places in _places(len(stems)):
        term = tuple(stems[place] for place in places)
        found = _asked().get(term) or _asked().get(term[::-1], ())
        if found and (len(places) == 2 or not taken & {*places}):
            for name in found:
                names.setdefault(name, len(places))
            taken |= {*places}
    return names


def _places(count: int) -> Iterator[tuple[int, ...]]:
    """Of all pairs of words that are close to each other, then of all words."""
    for first in range(count):
        for second in range(first + 1, min(count, first + _APART + 1)):
            yield first, second
    for only in range(count):
        yield (only,)


@cache
def _topics() -> Mapping[str, Topic]:
    return {
        name: Topic(
            name,
            tuple(dict.fromkeys(terms(f"{lists['asked']}, {lists['said']}"))),
            tuple(lists[kind] / 100 for kind in KINDS),
        )
        for name, lists in _lists().items()
    }


@cache
def _asked() -> Mapping[Term, Sequence[str]]:
    found: dict[Term, list[str]] = {}
    for name, lists in _lists().items():
        for term in terms(lists["asked"]):
            found.setdefault(term, []).append(name)
    return found


def topics_data() -> bytes:
    return (resources.files("methodlens.relevance") / "data" / "topics.toml").read_bytes()


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(topics_data().decode("utf-8"))


def _lists() -> Mapping[str, Mapping[str, Any]]:
    return {name: lists for group in _file().values() for name, lists in group.items()}
