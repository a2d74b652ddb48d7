"""The abbreviations that a paper defines: who asks for "graph network" is answered by sentences that say "GNN"."""

import re
from collections.abc import Mapping, Sequence

_DEFINED = re.compile(r"(?<![\w’'/-])((?:[\w’'/-]{1,40} ){1,9})\(([A-Z][A-Za-z0-9-]{1,9})[);,]")
_MOST = 50  # each is looked for in every sentence
_SMALL = frozenset("a an and for in of on or the to with".split())
_PARTS = re.compile(r"[\s/-]+")


def abbreviations(sentences: Sequence[str]) -> Mapping[str, str]:
    """By abbreviation, what it stands for, both in lower case: the first definition counts.

    >>> abbreviations(["We use a graph neural network (GNN) and the rate of newts (RN).", "It sings (loud)."])
    {'gnn': 'graph neural network', 'rn': 'rate of newts'}
    """
    found: dict[str, str] = {}
    for sentence in sentences:
        for match in _DEFINED.finditer(" ".join(sentence.split())) if "(" in sentence else ():
            short = match[2].removesuffix("s")
            if long_form := _long_form(match[1], short):
                found.setdefault(short.lower(), long_form)
            if len(found) == _MOST:
                return found
    return found


def _long_form(before: str, short: str) -> str:
    """The last words whose first letters are those of the abbreviation; small words between them have no letter."""
    letters = [letter for letter in short.lower() if letter.isalpha()]
    parts = [part.lower() for part in _PARTS.split(before) if part]
    at = len(parts)
    while letters and at:
        at -= 1
        if parts[at][0] == letters[-1]:
            letters.pop()
        elif parts[at] not in _SMALL:
            return ""
    return " ".join(parts[at:]) if not letters and len(parts) - at > 1 else ""
