"""Matches the signs of a question in a sentence, except where they are negated."""

import re
from functools import lru_cache

_BETWEEN = r"[\s\-‐‑–/_]*"  # "cross validation" is also "cross-validation" and "crossvalidation"
_NEGATION = re.compile(
    r"\b(?:no|not|nor|neither|without|never|lack(?:s|ed|ing)?|instead of|rather than)\s+(?:[\w-]+\s+){0,2}$", re.I
)
_LOOK_BACK = 40


def matching_signs(sentence: str, signs: tuple[str, ...]) -> set[str]:
    """The signs that the sentence contains and does not negate.

    >>> sorted(matching_signs("No dropout was used, but L2-regularisation.", ("dropout", "l2", "regulari*")))
    ['l2', 'regulari*']
    """
    matched: set[str] = set()
    lower = sentence.lower()
    for sign, start, pattern in _compiled(signs):
        if start not in lower:  # much faster than a regular expression
            continue
        for match in pattern.finditer(sentence):
            if not _NEGATION.search(sentence, max(0, match.start() - _LOOK_BACK), match.start()):
                matched.add(sign)
                break
    return matched


@lru_cache(maxsize=256)
def _compiled(signs: tuple[str, ...]) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((sign, _parts(sign)[0].rstrip("*").lower(), _pattern(sign)) for sign in signs if sign.strip("* "))


def _pattern(sign: str) -> re.Pattern[str]:
    parts = [re.escape(part.rstrip("*")) + (r"\w*" if part.endswith("*") else "") for part in _parts(sign)]
    return re.compile(r"(?<!\w)" + _BETWEEN.join(parts) + r"(?!\w)", re.I)


def _parts(sign: str) -> list[str]:
    return re.split(r"[\s-]+", sign.strip())
