"""Names in a row: "CIFAR-10 [4], NewtSong (Smith et al., 2019) and PondBench". What one of them is, the others are too."""

import re
from collections.abc import Iterator

NAME = r"(?:[A-Z0-9]|[a-z]{1,4}(?=[A-Z]))[\w+-]{1,24}(?:\s[A-Z0-9][\w+-]{0,24}){0,2}"
"""A capitalised name of up to three words."""
CITED = r"(?:\s?\[[\d,\s–-]{1,20}\]|\s\([A-Z][^()]{2,60}?,?\s(?:19|20)\d\d[a-z]?\))?"

_ITEM = re.compile(rf"(?<![\w’'-])(?P<name>{NAME})(?:\s\([A-Z][\w-]{{1,10}}\))?{CITED}")
_JOINT = re.compile(r",?\s(?:and|or|&|as\swell\sas)\s(?:on\s)?(?:the\s)?|,\s(?:the\s)?|\s?/\s?")
_CLOSING = re.compile(r"(?:and|or|&|as\swell\sas|/)")
_DISTINCT = re.compile(r"(?=.*[A-Z].*[A-Z])|(?=.*[A-Z])(?=.*\d)")
_SHORTEST = 4


def chains(text: str) -> Iterator[list[re.Match[str]]]:
    """Runs of names, each with its group `name`, joined by commas and a conjunction or by slashes.

    >>> [[item["name"] for item in chain] for chain in chains("We used NewtSong [1], PondBench and REED.")]
    [['NewtSong', 'PondBench', 'REED']]
    """
    chain: list[re.Match[str]] = []
    closed = False
    for item in _ITEM.finditer(text):
        joint = _JOINT.fullmatch(text, chain[-1].end(), item.start()) if chain else None
        if not joint:
            if closed and not _is_link(text, chain):
                yield chain
            chain, closed = [], False
        chain.append(item)
        closed = closed or bool(joint and _CLOSING.search(joint[0]))
    if closed and not _is_link(text, chain):
        yield chain


def _is_link(text: str, chain: list[re.Match[str]]) -> bool:
    """ "pond.org/Newt/Frog"."""
    return text.endswith(("/", "."), 0, chain[0].start())


def is_distinct(name: str) -> bool:
    """Whether it looks like a name wherever it stands: "NewtSong", "POND-2" and "REED", but not "T1", "LAI" or "Pond"."""
    return len(name) >= _SHORTEST and bool(_DISTINCT.match(name))
