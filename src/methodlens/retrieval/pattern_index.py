"""How many patterns of a question each passage of a paper matches."""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from methodlens.facts.patterns import pattern_families
from methodlens.records import Question
from methodlens.text.vectors import Matrix


class PatternIndex:
    """The matches of all families in the passages of one paper, searched once for all questions."""

    def __init__(self, texts: Sequence[str]) -> None:
        lower = [" ".join(text.lower().split()) for text in texts]
        self._size = len(lower)
        self._matches = {
            name: np.array([sum(bool(expression.search(text)) for expression in compiled) for text in lower], np.float32)
            for name, compiled in _compiled().items()
        }

    def count(self, question: Question) -> Matrix:
        """For each passage, how many expressions of the question's families match."""
        total = np.zeros(self._size, np.float32)
        for name in families_of(question):
            total += self._matches.get(name, 0)
        return total


def families_of(question: Question) -> tuple[str, ...]:
    """The families that it names, and those of its facts."""
    by_fact = (name for name, family in pattern_families().items() if set(family.facts) & set(question.facts))
    return tuple(dict.fromkeys([*question.patterns, *by_fact]))


@cache
def _compiled() -> dict[str, tuple[re.Pattern[str], ...]]:
    return {name: tuple(map(re.compile, family.find)) for name, family in pattern_families().items()}
