"""Whether a number or a device belongs to other people's work; negation is left to the grammars."""

import re

from methodlens.facts.roles import Role, role_of

_OF_OTHERS = frozenset({Role.CITED, Role.BASELINE, Role.HYPOTHETICAL})
# "The NewtNet implementation used a batch size of 64 (Toad et al., 2020)", "The original paper used SGD"
_THEIRS = re.compile(r"(?:In\s)?The\s(?:[\w-]{1,30}\s){1,2}(?:implementation|paper|authors?|work|study|team|publication)\b", re.I)
_ORIGINAL = re.compile(r"(?:In\s)?The\soriginal\b", re.I)
_CITES = re.compile(r"\bet\sal\b|\[\d{1,3}[\],]|\((?:19|20)\d\d[a-z]?\)", re.I)
_WE = re.compile(r"\b(?:we|our|ours|us|I)\b")
_REACH = 300  # characters on either side, so that the time stays linear in long texts


def is_of_others(text: str, start: int, end: int) -> bool:
    """Cited work, a baseline or a supposition.

    >>> is_of_others("Toad et al. (2019) used SGD, we used Adam.", 24, 27)
    True
    >>> is_of_others("Toad et al. (2019) used SGD, we used Adam.", 37, 41)
    False
    """
    first = max(0, start - _REACH)
    near = text[first : end + _REACH]
    if _THEIRS.match(text) and not _WE.search(near) and (_ORIGINAL.match(text) or _CITES.search(near)):
        return True
    return role_of(near, start - first, end - first) in _OF_OTHERS
