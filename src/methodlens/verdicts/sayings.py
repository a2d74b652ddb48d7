"""What each sentence of an answer does: it gives a fact, it says that nothing is said, or it guesses."""

import re
from enum import Enum
from typing import NamedTuple

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
    r"\b(?:likely|probably|presumably|possibl[ey]|perhaps|may(?:be)?|might|could|would|assum\w*|guess\w*|speculat\w*|educated)\b",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:in general|generally|typical(?:ly)?|common(?:ly)?|usually|often|popular|(?:in|best|standard|common|general) practices?"
    r"|general (?:answer|overview|information|guidance|insights)|several (?:techniques|methods|steps|strategies|ways)|here are"
    r"|one way|crucial|essential|can (?:be (?!inferred)|help|include|involve))\b",
    re.IGNORECASE,
)
_OF_THE_PAPER = re.compile(
    r"\b(?:context|text|passages?|paper|article|study|authors?|researchers|according|we|they|their|was|were|used|this)\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"^[\s*#>•\-]+|\*\*")


class Kind(Enum):
    FACT = "fact"
    NOTHING = "nothing"
    """It says that the paper says nothing."""
    GUESS = "guess"
    """What may be so, or is commonly so: neither tells what this paper says."""


class Saying(NamedTuple):
    """One sentence, in straight quotes and without markup, with its span of the answer."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def of_the_paper(self) -> bool:
        """It speaks of this paper, its authors or what they did, not of the field."""
        return bool(_OF_THE_PAPER.search(self.text))


def sayings(answer: str) -> list[Saying]:
    """Headings and list items too short to say anything are left out when others remain.

    >>> [saying.kind.value for saying in sayings("The seed is not given. It was probably 42.")]
    ['nothing', 'guess']
    """
    found = []
    for start, end in sentences(answer):
        plain = _MARKUP.sub("", answer[start:end].replace("’", "'").replace("cannot", "can not"))
        if plain:
            found.append(Saying(_kind(plain), plain, start, end))
    return [saying for saying in found if len(saying.text.split()) > 2] or found


def _kind(sentence: str) -> Kind:
    if _SILENT.search(sentence):
        return Kind.NOTHING
    return Kind.GUESS if guesses(sentence) else Kind.FACT


def guesses(sentence: str) -> bool:
    return bool(_GUESS.search(sentence) or _GENERAL.search(sentence))
