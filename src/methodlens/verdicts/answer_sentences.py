"""Classify the sentences of an answer: facts, denials ("the paper does not mention ...") and guesses."""

import re
from enum import Enum
from typing import NamedTuple

from methodlens.text import sentences

_ADVERBS = r"(?:(?:\w+ly|any|enough|seem to|appear to|contain|provide|be|been|further|either) ){0,3}"
_MENTION = (
    r"(?:mention|specif|provid|stat(?:e|ing)|contain|describ|detail|giv|offer|includ|discuss|indicat|disclos|explain|elaborat|address"
    r"|say|tell|list|report|outlin|reveal|refer|clarif|identif|focus|present|cover|delve|explor|answer|determin|suppl|shar|have"
    r"|talk|go into|tackl)"
)
_MENTIONED = (
    r"(?:mentioned|specified|provided|stated|described|detailed|given|disclosed|discussed|indicated|reported|explained|available"
    r"|clear|listed|included|addressed|known|possible|found|present|identified|evident|defined|named|outlined|shown)"
)
_FIND_OUT = (
    r"(?:be )?(?:\w+ly )?(?:answer|determin|provid|tell|find|say|giv|identif|ascertain|infer|be |know|draw|conclud"
    r"|specify|offer|make)"
)
_DENIAL = re.compile(
    "|".join(
        [
            rf"\b(?:do|does|did|has|have)(?:n't| not) {_ADVERBS}{_MENTION}",
            rf"\b(?:do|does|did|can|could)(?:n't|not| not) (?:\w+ly )?(?:know|see|{_FIND_OUT})",
            rf"\b(?:un|not )able to {_FIND_OUT}|\b(?:not possible|impossible|difficult|hard|challenging) to {_FIND_OUT}",
            rf"\b(?:not|n't|never|nor)(?: \w+ly)? (?:been )?{_MENTIONED}\b",
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
_ABOUT_THE_PAPER = re.compile(
    r"\b(?:context|text|passages?|paper|article|study|authors?|researchers|according|we|they|their|was|were|used|this)\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"^[\s*#>•\-]+|\*\*")


class SentenceKind(Enum):
    FACT = "fact"
    DENIAL = "denial"
    """States that the paper does not mention something."""
    GUESS = "guess"
    """Speculates, or describes common practice: it says nothing about this paper."""


class AnswerSentence(NamedTuple):
    """A sentence with straight quotes and without markup, and its span in the answer."""

    kind: SentenceKind
    text: str
    start: int
    end: int

    @property
    def about_the_paper(self) -> bool:
        """Whether it is about this paper or its authors, not about the field in general."""
        return bool(_ABOUT_THE_PAPER.search(self.text))


def classify_sentences(answer: str) -> list[AnswerSentence]:
    """Headings and list items of one or two words are dropped if longer sentences remain.

    >>> [sentence.kind.value for sentence in classify_sentences("The seed is not given. It was probably 42.")]
    ['denial', 'guess']
    """
    classified = []
    for start, end in sentences(answer):
        plain = _MARKUP.sub("", answer[start:end].replace("’", "'").replace("cannot", "can not"))
        if plain:
            classified.append(AnswerSentence(_kind(plain), plain, start, end))
    return [sentence for sentence in classified if len(sentence.text.split()) > 2] or classified


def _kind(sentence: str) -> SentenceKind:
    if _DENIAL.search(sentence):
        return SentenceKind.DENIAL
    return SentenceKind.GUESS if is_guess(sentence) else SentenceKind.FACT


def is_guess(sentence: str) -> bool:
    return bool(_GUESS.search(sentence) or _GENERAL.search(sentence))
