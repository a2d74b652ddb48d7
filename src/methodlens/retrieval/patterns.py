"""Families of patterns, as data: where the form of the text is itself the evidence."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec
import numpy as np
from msgspec import Struct

from methodlens.records import Question
from methodlens.retrieval.vectors import Matrix


class Family(Struct, frozen=True, forbid_unknown_fields=True):
    find: tuple[str, ...]
    facts: tuple[str, ...] = ()


class PatternIndex:
    """Which families each passage shows, looked up once for a paper."""

    def __init__(self, texts: Sequence[str]) -> None:
        lower = [" ".join(text.lower().split()) for text in texts]
        self._size = len(lower)
        self._found = {
            name: np.array([sum(bool(expression.search(text)) for expression in compiled) for text in lower], np.float32)
            for name, compiled in _compiled().items()
        }

    def count(self, question: Question) -> Matrix:
        """For each passage, how many expressions of the question's families match."""
        total = np.zeros(self._size, np.float32)
        for name in families_of(question):
            total += self._found.get(name, 0)
        return total


def families_of(question: Question) -> tuple[str, ...]:
    """Those it names, and those of its facts."""
    by_fact = (name for name, family in families().items() if set(family.facts) & set(question.facts))
    return tuple(dict.fromkeys([*question.patterns, *by_fact]))


@cache
def families() -> Mapping[str, Family]:
    text = (resources.files("methodlens.retrieval") / "data" / "patterns.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Family])


@cache
def _compiled() -> dict[str, tuple[re.Pattern[str], ...]]:
    return {name: tuple(map(re.compile, family.find)) for name, family in families().items()}
