"""Whether a number or a device belongs to other people's work; negation is left to the grammars."""

from methodlens.facts.roles import Role, role_of

_OF_OTHERS = frozenset({Role.CITED, Role.BASELINE, Role.HYPOTHETICAL})
_REACH = 300  # characters on either side, so that the time stays linear in long texts


def is_of_others(text: str, start: int, end: int) -> bool:
    """Cited work, a baseline or a supposition.

    >>> is_of_others("Toad et al. (2019) used SGD, we used Adam.", 24, 27)
    True
    >>> is_of_others("Toad et al. (2019) used SGD, we used Adam.", 37, 41)
    False
    """
    first = max(0, start - _REACH)
    return role_of(text[first : end + _REACH], start - first, end - first) in _OF_OTHERS
