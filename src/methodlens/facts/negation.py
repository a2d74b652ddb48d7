"""Negation: what a sentence says was not used, done or measured."""

import re

# "no dropout", "without any dropout", "we did not use dropout or weight decay", "instead of the Adam optimiser"
_BEFORE = re.compile(
    r"\b(?:no(?!\s+(?:more|less|fewer)\s+than)|not(?!\s+only)|without|instead\s+of|rather\s+than|neither|nor|lack(?:s|ed|ing)?|unlike|never|avoid\w*|except)\s+"
    r"(?:(?!we\b|our\b|but\b|however\b|only\b|until\b|because\b|since\b|instead\b|improv)[\w-]+,?\s+){0,4}(?:such\s+as\s+|like\s+|including\s+)?$",
    re.I,
)
# "dropout was not used", "flipping is not a proper transformation", "dropout was left out"
_AFTER = re.compile(
    r"^(?:\s+(?!and\b|but\b|or\b|we\b|which\b|that\b)[\w-]+){0,3}?\s+(?:(?:was|were|is|are|did|do|does|has|have|had|could|can)\s*"
    r"(?:not|n[’']t)\b|(?:was|were|is|are)\s+(?:\w+ly\s+)?(?:left\s+out|omitted|avoided|discarded|disabled|excluded))"
    r"(?!\s+(?:only|improv|change|stated|explicitly))",
    re.I,
)
# "rotations and flips are not permissible", "blur or jitter do not help": a plural verb negates the whole list
_LIST_AFTER = re.compile(
    r"^(?:\s+\([^()]{0,30}\))?(?:(?:\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+|\s+)(?!and\b|but\b|we\b|which\b|that\b|was\b|were\b|is\b|are\b|with\b|using\b)"
    r"[\w-]{1,20}){1,8}?,?\s+(?:(?:are|were|do|did|have)\s+not\s+(?!only\b|stated\b|explicitly\b|change\b|improv|differ)"
    r"|(?:are|were)\s+(?:\w+ly\s+)?(?:avoided|omitted|left\s+out|disabled)\b)",
    re.I,
)
_REACH = 60
_LIST_REACH = 120


def is_negated(text: str, start: int, end: int) -> bool:
    """
    >>> is_negated("We used no dropout.", 11, 18), is_negated("We used dropout.", 8, 15)
    (True, False)
    """
    return (
        bool(_BEFORE.search(text, max(0, start - _REACH), start))
        or bool(_AFTER.match(text[end : end + _REACH]))
        or bool(_LIST_AFTER.match(text[end : end + _LIST_REACH]))
    )
