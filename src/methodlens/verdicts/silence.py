"""Does an answer say that the paper is silent? Rules on the answer's own words, for readers that give no probability.

An answer is a row of sentences: some give a fact, some say that nothing is said, some guess. What it opens with decides,
unless it opens with "not explicitly mentioned. However, the text states ...", which gives the fact after all.
"""

import re
from enum import Enum

from methodlens.text import sentences

_ADVERBS = r"(?:(?:\w+ly|any|enough|seem to|appear to|contain|provide|be|been|further|either) ){0,3}"
_TELL = (
    r"(?:mention|specif|provid|stat(?:e|ing)|contain|describ|detail|giv|offer|includ|discuss|indicat|disclos|explain|elaborat|address"
    r"|say|tell|list|report|outlin|reveal|refer|clarif|identif|focus|present|cover|delve|explor|answer|determin|suppl|shar|have"
    r"|talk|go into|tackl)"
)
_TOLD = (
    r"(?:mentioned|specified|provided|stated|described|detailed|given|disclosed|discussed|indicated|reported|explained|available"
    r"|clear|listed|included|addressed|known|possible|found|present|identified|evident|defined|named|outlined|shown)"
)
_FIND_OUT = (
    r"(?:be )?(?:\w+ly )?(?:answer|determin|provid|tell|find|say|giv|identif|ascertain|infer|be |know|draw|conclud"
    r"|specify|offer|make)"
)
_SILENT = re.compile(
    "|".join(
        [
            rf"\b(?:do|does|did|has|have)(?:n't| not) {_ADVERBS}{_TELL}",
            rf"\b(?:do|does|did|can|could)(?:n't|not| not) (?:\w+ly )?(?:know|see|{_FIND_OUT})",
            rf"\b(?:un|not )able to {_FIND_OUT}|\b(?:not possible|impossible|difficult|hard|challenging) to {_FIND_OUT}",
            rf"\b(?:not|n't|never|nor)(?: \w+ly)? (?:been )?{_TOLD}\b",
            r"\bno (?:[\w-]+,? ){0,4}(?:mentions?|mentioned|information|details?|indications?|references?|evidence|answer"
            r"|response|descriptions?|discussion|statement|links?|explanation|specified|provided|stated|described|given)\b",
            r"\b(?:not|n't) (?:have )?(?:enough|sufficient)\b|\binsufficient\b",
            r"\black(?:s|ing)? (?:of )?(?:\w+ )?(?:information|details?)",
            r"\bunclear\b|\bunknown\b|\bunspecified\b|\bnot applicable\b|\bN/A\b|\bdunno\b|\bno idea\b|\bnot sure\b|\bunsure\b"
            r"|\bno answer\b|^(?:none|not?|no response found)\W*$",
            r"\bwithout (?:more|further|additional|explicit) (?:information|context|details?)|\bthere is(?: no\b|n't\b| not\b)",
            r"\b(?:mentions?|says?|states?|reports?|provides?|contains?|specif(?:y|ies)) (?:nothing|neither|no|none)\b",
            r"\bis silent\b",
        ]
    ),
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:likely|probably|presumably|possibly|perhaps|may(?:be)?|might|could|would|inferred|infer|assum\w*|guess|speculat\w*)\b",
    re.IGNORECASE,
)
_COMMON = re.compile(
    r"\b(?:typical(?:ly)?|common(?:ly)?|generally|usually|often|in general|standard practice|in practice)\b", re.IGNORECASE
)
_TURN = re.compile(
    r"(?:however|nevertheless|nonetheless|but|that said|still|yet|although|though|instead|it (?:does|only)"
    r"|the \w+ (?:does|only))\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:text|context|passages?|paper|article|study|authors?|excerpts?|snippets?|information)\b.{0,40}?"
    r"\b(?:focus|discuss|describ|is about|deals? with|mention|talk|outlin|provid|present|highlight|cover)",
    re.IGNORECASE | re.DOTALL,
)
_OF_THE_PAPER = re.compile(
    r"\b(?:context|text|passages?|paper|article|study|authors?|researchers|according|we|they|their|was|were|used|this)\b",
    re.IGNORECASE,
)
_TOO_MANY_DENIALS = 3
_MARKUP = re.compile(r"^[\s*#>•\-]+|\*\*")


class _Says(Enum):
    FACT = "fact"
    GUESS = "guess"
    NOTHING = "nothing"


def is_silent(text: str) -> bool:
    """
    >>> is_silent("The hardware is not mentioned, but it was probably a GPU.")
    True
    >>> is_silent("Two Titan RTX cards were used. No mention of other hardware such as TPUs was made.")
    False
    """
    said = [(_says(sentence), sentence) for sentence in _sentences(text)]
    if not said or all(says is _Says.NOTHING for says, _ in said):
        return True
    if said[0][0] is _Says.NOTHING:
        return not _gives_it_after_all(said)
    if len(said) > 1 and said[1][0] is _Says.NOTHING and _ABOUT.search(said[0][1]):
        return not _gives_it_after_all(said[1:])
    return _is_common_knowledge(said)


def _sentences(text: str) -> list[str]:
    """Straight quotes and plain words; list items and headings too short to say anything are left out when others remain."""
    plain = text.replace("’", "'").replace("cannot", "can not")
    found = [_MARKUP.sub("", plain[start:end]) for start, end in sentences(plain)]
    return [sentence for sentence in found if len(sentence.split()) > 2] or [sentence for sentence in found if sentence]


def _says(sentence: str) -> _Says:
    if _SILENT.search(sentence):
        return _Says.NOTHING
    return _Says.GUESS if _GUESS.search(sentence) or _COMMON.search(sentence) else _Says.FACT


def _gives_it_after_all(said: list[tuple[_Says, str]]) -> bool:
    """After "not explicitly mentioned": "However, it states ..." gives the fact, if facts are no fewer than denials.

    A guess is no fact, and what is commonly done says nothing about this paper.
    """
    kinds = [says for says, _ in said]
    denials = kinds.count(_Says.NOTHING)
    turns = (sentence for says, sentence in said[1:] if says is not _Says.NOTHING and _TURN.match(sentence))
    turn = next(turns, None)
    if turn is None or _COMMON.search(turn) or denials >= _TOO_MANY_DENIALS:
        return False
    return kinds.count(_Says.FACT) >= denials


def _is_common_knowledge(said: list[tuple[_Says, str]]) -> bool:
    """ "Several steps can be taken. Common ones include ...": about the field, with no word on the paper."""
    opening = " ".join(sentence for _, sentence in said[:2])
    return bool(_COMMON.search(opening)) and not _OF_THE_PAPER.search(opening)
