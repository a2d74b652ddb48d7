"""Clauses that answer no question about the authors' work, however well their words fit.

They announce what follows ("it is calculated as follows"), describe the paper's outline, are a caption that lost its "Fig.", or
report what others achieved.
"""

import re

from methodlens.readers.embedded.tidying import dangles

_ANNOUNCES = re.compile(
    r"\b(?:as follows|as below|the following|(?:by|in|with|using|at|on|from) the following(?: \w+){1,3}"
    r"|(?:given|defined|expressed|written|calculated|computed) (?:as|by)"
    r"|(?:by|in|with|using) (?:the |this )?(?:equation|formula))\W*$",
    re.IGNORECASE,
)
_PART = r"(?:sections?|subsections?|chapters?|appendix|paragraphs?)"
_OUTLINE = re.compile(
    rf"^(?:the )?(?:next|following|remaining|last|final|previous|present) {_PART}\b"
    r"|^the (?:rest|remainder|structure|outline) of (?:the|this|our) (?:paper|article|work|manuscript)\b"
    rf"|^(?:in )?{_PART} [\dIVX.]{{1,5}},? (?:\w+ ){{0,2}}(?:describes?|presents?|discuss(?:es)?|introduces?|outlines?"
    r"|summari[sz]es?|concludes?|reviews?|explains?|details?)\b",
    re.IGNORECASE,
)
UNREADABLE = "\ufffd"
_NOTATION = re.compile(
    r"\b(?:uses?|used|introduce|adopt|follow|with) (?:the|this|these) (?:following )?(?:notations?|terms?|abbreviations?)\b", re.I
)
_SYMBOLS = re.compile(
    r"^(?!It|We|He|I\b)\w\S?(?:(?:, | and )\w\S?)* (?:is|are|denotes?|represents?) (?:the|an?) "
)  # "P is the share"
_CAPTION = re.compile(r"^\d{1,2}[a-z]?[.:]? [A-Z][a-z]")
_FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|may|might|will|would|did|do|does)\b")
_OTHERS = re.compile(
    r"^(?:more |most )?(?:recently|previously|traditionally|historically|to date|so far|in recent years"
    r"|over the (?:past|last) \w+)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:we|our|us|ours|I|my|the authors?|this (?:paper|study|work|article))\b")


def says_nothing(clause: str) -> bool:
    """
    >>> says_nothing("The accuracy is calculated as follows"), says_nothing("The next section describes the training")
    (True, True)
    >>> says_nothing("3 Confusion matrix for twelve species of newt"), says_nothing("12 Raspberry computers were used")
    (True, False)
    >>> says_nothing("Recently, NewtNet reached an accuracy of 0.9"), says_nothing("Recently, we counted newts")
    (True, False)
    """
    text = clause.strip()
    if UNREADABLE in text or dangles(text):
        return True
    if _ANNOUNCES.search(text) or _OUTLINE.match(text) or _NOTATION.search(text) or _SYMBOLS.match(text):
        return True
    if _CAPTION.match(text) and not _FINITE.search(text):
        return True
    return bool(_OTHERS.match(text)) and not _OWN.search(text)
