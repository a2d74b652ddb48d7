"""Rough stems, so that "annotated" matches "annotation" and "randomised" matches "randomization"."""

import re
from functools import lru_cache

_SPELLING = (
    (re.compile(r"is(e[sdr]?|ing|ations?|er)$"), r"iz\1"),
    (re.compile(r"ys(e[sdr]?|ing)$"), r"yz\1"),
    (re.compile(r"our(s|ed|ing|al)?$"), r"or\1"),
    (re.compile(r"([aeiou])ll(ed|ing|er|ers)$"), r"\1l\2"),
    (re.compile(r"centre(s?)$"), r"center\1"),
    (re.compile(r"enrolment"), "enrollment"),
    (re.compile(r"^programme"), "program"),
)
_ENDINGS = re.compile(
    r"(?:izations?|ational|ations?|ements?|ments?|ities|ity|ings?|ions?|ically|ally|ives?|ors?|ers?|ances?|ences?|ies|ied|ed|es|al|ly|e|s|y)$"
)
_SHORTEST = 4


@lru_cache(maxsize=65536)
def american(word: str) -> str:
    """
    >>> american("randomised"), american("behaviour"), american("exercise")
    ('randomized', 'behavior', 'exercize')
    """
    if len(word) > 5:
        for pattern, replacement in _SPELLING:
            word = pattern.sub(replacement, word)
    return word


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """
    >>> stem("randomised") == stem("randomization"), stem("funding") == stem("funded"), stem("annotator") == stem("annotation")
    (True, True, True)
    """
    plain = american(word)
    if len(plain) <= _SHORTEST:
        return plain
    cut = _ENDINGS.sub("", plain)
    cut = cut if len(cut) >= _SHORTEST - 1 else plain
    cut = cut.removesuffix("at") if len(cut) > 5 else cut
    return cut.removesuffix("iz") if len(cut) > 5 else cut
