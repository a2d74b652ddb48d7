"""Does an answer say that the paper is silent? Rules on the answer's own words, and on what it shares with the passages.

An answer that only denies is silent, one that opens with a fact is not. In between stand those that deny and then go on:
"not explicitly mentioned. However, the text states ...". For them points are counted for and against what comes after.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from methodlens.text import words
from methodlens.verdicts.sayings import Kind, Saying, sayings

_HEDGED = re.compile(r"\b(?:explicit|specific|direct|exact|clear|detailed|in detail)(?:ly)?\b", re.IGNORECASE)
_GIVES_UP = re.compile(r"\W*(?:unfortunately|i (?:do not|don't|can ?not|can't|am (?:unable|not able)))\b", re.IGNORECASE)
_TURN = re.compile(
    r"(?:however|nevertheless|nonetheless|but|that said|still|yet|although|though|instead|it (?:does|only)"
    r"|the \w+ (?:does|only))\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:(?:it|they|does|do|also|only|text|context|paper|article|study|authors?|passage|researchers)"
    r" (?:also |only |does |do |briefly )*"
    r"(?:mention|describe|discuss|state|report|note|provide|list|use|indicate|specif|refer|highlight)\w*"
    r"|is (?:also )?(?:mentioned|stated|noted|described|reported)|(?:mention|reference)s? (?:of|to)|according to)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:additionally|also|furthermore|moreover|in addition|specifically|for instance|for example|instead|it also"
    r"|the (?:text|context|paper) also)\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(r"\b(?:infer\w*|suggest\w*|impl(?:y|ies|ied)|indicat\w+|appears?|seems?)\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:focus(?:es|ed)?|appears? to be (?:about|related|focused|discussing)|is (?:about|related)|primarily|mainly"
    r"|seems to be)\b",
    re.IGNORECASE,
)
_IN_THE_END = re.compile(
    r"\b(?:therefore|thus|hence|so,|without|as a result|based on)\b.*\b(?:not|n't|unable|impossible)\b|\b(?:don't|do not) know\b",
    re.IGNORECASE | re.DOTALL,
)
_LINK_OR_QUOTE = re.compile(r"https?://|[\"“][^\"”]{12,}[\"”]")
_ABOUT = re.compile(
    r"\b(?:text|context|passages?|paper|article|study|authors?|excerpts?|snippets?|information)\b.{0,40}?"
    r"\b(?:focus|discuss|describ|is about|deals? with|mention|talk|outlin|provid|present|highlight|cover)",
    re.IGNORECASE | re.DOTALL,
)
_ENOUGH = 3
"""Points from which what follows a denial counts as an answer."""
_MANY_DENIALS = 3
_HARDLY = 0.25
"""The share of an answer's words that stand in the passages, below which it is not about them."""


def is_silent(text: str, *, question: str = "", context: Sequence[str] = ()) -> bool:
    """`context` is what the reader was shown; without it only the answer's own words decide.

    >>> is_silent("The hardware is not mentioned, but it was probably a GPU.")
    True
    >>> is_silent("Two Titan RTX cards were used. No mention of other hardware such as TPUs was made.")
    False
    """
    said = sayings(text)
    if all(saying.kind is Kind.NOTHING for saying in said):
        return True
    share = _share_in(context, said, question) if context else None
    if _opens_with_denial(said):
        return _points(said, share) < _ENOUGH
    return _is_textbook(said, share)


def _opens_with_denial(said: Sequence[Saying]) -> bool:
    """ "The text is about lichens. It does not mention ..." opens with one too."""
    if said[0].kind is Kind.NOTHING:
        return True
    return len(said) > 1 and said[1].kind is Kind.NOTHING and bool(_ABOUT.search(said[0].text))


def _points(said: Sequence[Saying], share: float | None) -> int:
    """For and against what an answer gives after its denial."""
    denials = [saying.text for saying in said if saying.kind is Kind.NOTHING]
    given = [saying for saying in said if saying.kind is not Kind.NOTHING]
    at_hand = [saying for saying in given if not _ELSEWHERE.search(saying.text)]
    return sum(
        [
            bool(_HEDGED.search(denials[0])),
            max((2 if saying.kind is Kind.FACT else 1 for saying in at_hand if _turns_to_the_text(saying.text)), default=0),
            any(_GOES_ON.match(saying.text) for saying in said[1:]),
            min(2, sum(bool(_CONCLUDES.search(saying.text)) for saying in given)),
            any(_LINK_OR_QUOTE.search(saying.text) for saying in given),
            len(given) > 1,
            -2 * bool(_GIVES_UP.match(said[0].text)),
            -min(2, max(0, sum(saying.kind is Kind.GUESS for saying in given) - 1)),
            -any(_ELSEWHERE.search(saying.text) for saying in said),
            -bool(_IN_THE_END.search(said[-1].text)),
            -(len(denials) >= _MANY_DENIALS),
            -2 * (share is not None and share < _HARDLY),
        ]
    )


def _turns_to_the_text(sentence: str) -> bool:
    """ "However, it does mention ..." """
    return bool(_TURN.match(sentence) and _TELLS.search(sentence))


def _is_textbook(said: Sequence[Saying], share: float | None) -> bool:
    """ "Several steps can be taken. Common ones include ...": about the field, with no word on the paper."""
    if share is not None and share < _HARDLY and any(saying.kind is Kind.GUESS for saying in said):
        return True
    opening = said[:2]
    guessed = any(saying.kind is Kind.GUESS for saying in opening)
    return guessed and not any(saying.of_the_paper for saying in opening)


def _share_in(context: Sequence[str], said: Sequence[Saying], question: str) -> float:
    """Of the words that an answer gives, and that the question has not."""
    asked = set(words(question))
    given = [word for saying in said if saying.kind is not Kind.NOTHING for word in words(saying.text) if word not in asked]
    known = _words_of(tuple(context))
    return sum(word in known for word in given) / max(1, len(given))


@lru_cache(maxsize=64)
def _words_of(context: tuple[str, ...]) -> frozenset[str]:
    """Several readers answer from the same passages."""
    return frozenset(word for text in context for word in words(text))
