"""Does an answer say that the paper does not report something?

An answer that consists of denials is silent, one that opens with a fact is not. In between are answers that start with a
denial and continue: "not explicitly mentioned. However, the text states ...". They get points for and against the rest.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from methodlens.text import words
from methodlens.verdicts.answer_sentences import AnswerSentence, SentenceKind, classify_sentences

_HEDGED = re.compile(r"\b(?:explicit|specific|direct|exact|clear|detailed|in detail)(?:ly)?\b", re.IGNORECASE)
_GIVES_UP = re.compile(r"\W*(?:unfortunately|i (?:do not|don't|can ?not|can't|am (?:unable|not able)))\b", re.IGNORECASE)
_CONTRAST = re.compile(
    r"(?:however|nevertheless|nonetheless|but|that said|still|yet|although|though|instead|it (?:does|only)"
    r"|the \w+ (?:does|only))\b",
    re.IGNORECASE,
)
_CITES_TEXT = re.compile(
    r"\b(?:(?:it|they|does|do|also|only|text|context|paper|article|study|authors?|passage|researchers)"
    r" (?:also |only |does |do |briefly ){0,9}"
    r"(?:mention|describe|discuss|state|report|note|provide|list|use|indicate|specif|refer|highlight)\w*"
    r"|is (?:also )?(?:mentioned|stated|noted|described|reported)|(?:mention|reference)s? (?:of|to)|according to)\b",
    re.IGNORECASE,
)
_CONTINUES = re.compile(
    r"(?:additionally|also|furthermore|moreover|in addition|specifically|for instance|for example|instead|it also"
    r"|the (?:text|context|paper) also)\b",
    re.IGNORECASE,
)
_INFERS = re.compile(r"\b(?:infer\w*|suggest\w*|impl(?:y|ies|ied)|indicat\w+|appears?|seems?)\b", re.IGNORECASE)
_OFF_TOPIC = re.compile(
    r"\b(?:focus(?:es|ed)?|appears? to be (?:about|related|focused|discussing)|is (?:about|related)|primarily|mainly"
    r"|seems to be)\b",
    re.IGNORECASE,
)
_CONCLUDES_WITH_DENIAL = re.compile(
    r"\A(?>.*?\b(?:therefore|thus|hence|so,|without|as a result|based on)\b).*\b(?:not|n't|unable|impossible)\b"
    r"|\b(?:don't|do not) know\b",
    re.IGNORECASE | re.DOTALL,
)
_LINK_OR_QUOTE = re.compile(r"https?://|[\"“][^\"”]{12,2000}+[\"”]")
_SUMMARISES_TEXT = re.compile(
    r"\b(?:text|context|passages?|paper|article|study|authors?|excerpts?|snippets?|information)\b.{0,40}?"
    r"\b(?:focus|discuss|describ|is about|deals? with|mention|talk|outlin|provid|present|highlight|cover)",
    re.IGNORECASE | re.DOTALL,
)
_MIN_POINTS = 3
"""From here on, what follows a denial counts as an answer."""
_MANY_DENIALS = 3
_MIN_OVERLAP = 0.25
"""The minimum share of an answer's words that must occur in the passages for it to be about them."""


def is_silent(text: str, *, question: str = "", context: Sequence[str] = ()) -> bool:
    """`context` holds the passages that the reader was given; without it only the wording of the answer counts.

    >>> is_silent("The hardware is not mentioned, but it was probably a GPU.")
    True
    >>> is_silent("Two Titan RTX cards were used. No mention of other hardware such as TPUs was made.")
    False
    """
    sentences = classify_sentences(text)
    if all(sentence.kind is SentenceKind.DENIAL for sentence in sentences):
        return True
    overlap = _overlap(context, sentences, question) if context else None
    if _opens_with_denial(sentences):
        return _points(sentences, overlap) < _MIN_POINTS
    return _is_textbook(sentences, overlap)


def _opens_with_denial(sentences: Sequence[AnswerSentence]) -> bool:
    """Includes "The text is about lichens. It does not mention ..."."""
    if sentences[0].kind is SentenceKind.DENIAL:
        return True
    second = sentences[1].kind if len(sentences) > 1 else None
    return second is SentenceKind.DENIAL and bool(_SUMMARISES_TEXT.search(sentences[0].text))


def _points(sentences: Sequence[AnswerSentence], overlap: float | None) -> int:
    """Points for and against what follows a denial."""
    denials = [sentence.text for sentence in sentences if sentence.kind is SentenceKind.DENIAL]
    others = [sentence for sentence in sentences if sentence.kind is not SentenceKind.DENIAL]
    on_topic = [sentence for sentence in others if not _OFF_TOPIC.search(sentence.text)]
    return sum(
        [
            bool(_HEDGED.search(denials[0])),
            max((2 if s.kind is SentenceKind.FACT else 1 for s in on_topic if _turns_to_the_text(s.text)), default=0),
            any(_CONTINUES.match(sentence.text) for sentence in sentences[1:]),
            min(2, sum(bool(_INFERS.search(sentence.text)) for sentence in others)),
            any(_LINK_OR_QUOTE.search(sentence.text) for sentence in others),
            len(others) > 1,
            -2 * bool(_GIVES_UP.match(sentences[0].text)),
            -min(2, max(0, sum(sentence.kind is SentenceKind.GUESS for sentence in others) - 1)),
            -any(_OFF_TOPIC.search(sentence.text) for sentence in sentences),
            -bool(_CONCLUDES_WITH_DENIAL.search(sentences[-1].text)),
            -(len(denials) >= _MANY_DENIALS),
            -2 * (overlap is not None and overlap < _MIN_OVERLAP),
        ]
    )


def _turns_to_the_text(sentence: str) -> bool:
    """ "However, it does mention ..." """
    return bool(_CONTRAST.match(sentence) and _CITES_TEXT.search(sentence))


def _is_textbook(sentences: Sequence[AnswerSentence], overlap: float | None) -> bool:
    """ "Several steps can be taken. Common ones include ...": about the field, not about the paper."""
    if overlap is not None and overlap < _MIN_OVERLAP and any(s.kind is SentenceKind.GUESS for s in sentences):
        return True
    opening = sentences[:2]
    guessed = any(sentence.kind is SentenceKind.GUESS for sentence in opening)
    return guessed and not any(sentence.about_the_paper for sentence in opening)


def _overlap(context: Sequence[str], sentences: Sequence[AnswerSentence], question: str) -> float:
    """The share of the words outside denials, and not in the question, that occur in the context."""
    asked, in_context = set(words(question)), _words_of(tuple(context))
    stated = [word for s in sentences if s.kind is not SentenceKind.DENIAL for word in words(s.text) if word not in asked]
    return sum(word in in_context for word in stated) / max(1, len(stated))


@lru_cache(maxsize=64)  # several readers answer from the same passages
def _words_of(context: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for text in context for word in words(text))
