"""What a model really answered: without echoes, inventions after the answer, loops and surplus. What is cut is kept aside."""

import re
from typing import NamedTuple

from methodlens.text import sentences
from methodlens.transcripts.layout import OPENING, unix_newlines

WORD_LIMIT = 400
"""The layout asks for less than 400 words."""

_LONGEST_LOOP = 12  # words
_REPEATS = 3  # times a phrase stands in a row before it is a loop
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)|\A[^<]*</think>", re.DOTALL)
_HELPFUL = re.compile(r"^[^\S\n]*Helpful Answer:", re.MULTILINE)
_ECHO = re.compile(rf"\A\s*(?:{re.escape(OPENING[:37])}|Question:\s*%INSTRUCTIONS|%INSTRUCTIONS)")
_PLACEHOLDER = re.compile(r"\(provide your answer to query[^)]*\)", re.IGNORECASE)
_PREFIX = re.compile(
    r"\A(?:\s|\*)*(?:(?:Helpful )?Answer(?::::?|:)|(?:Question|Query):[^\n]*\n(?=\s*(?:Helpful )?Answer:))", re.IGNORECASE
)
_TRAILER = re.compile(
    r"^\W*(?:References?|Reference\(s\)|Bibliography|Sources?|Citations?)\W*(?::.*)?$"
    r"|^\W*(?:Question|Query|Helpful Answer|Answer::):"
    r"|^[^\S\n]*%(?:INSTRUCTIONS|Query)"
    r"|(?<=[.!?])[^\S\n]+(?:References|Reference\(s\)):"
    r"|^\W*(?:word count\W*\d+|(?:less than )?\d+ words)\W*$|\A\W*no response(?: found)?\W*\Z"
    rf"|^{re.escape(OPENING[:37])}",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("```", "```"))


class Cleaned(NamedTuple):
    """`cut` holds what was taken away; `looped` says that most of it was repetition, `echoed` that it held the prompt."""

    text: str
    cut: tuple[str, ...] = ()
    cut_at_limit: bool = False
    looped: bool = False
    echoed: bool = False


def clean(raw: str) -> Cleaned:
    """
    >>> clean("Helpful Answer: Answer: Two GPUs were used.\\n\\nReferences\\n[1] An invented paper.").text
    'Two GPUs were used.'
    """
    cut: list[str] = []
    text = _take(_THINKING, unix_newlines(raw).replace("\x00", ""), cut)
    echoed = bool(_ECHO.match(text))
    text = _without_prefixes(_PLACEHOLDER.sub("", _without_echo(text, cut) if echoed else text))
    trailer = _TRAILER.search(text)
    if trailer:
        cut.append(text[trailer.start() :].strip())
        text = text[: trailer.start()]
    text = _unquoted(text.strip())
    spoken = len(text)
    text = _without_repeated_sentences(_without_loops(text, cut), cut)
    looped = spoken > 2 * len(text)
    text, cut_at_limit = _within_limit(text, cut)
    return Cleaned(text.strip(), tuple(piece for piece in cut if piece), cut_at_limit, looped, echoed)


def _take(pattern: re.Pattern[str], text: str, cut: list[str]) -> str:
    cut.extend(match[0].strip() for match in pattern.finditer(text))
    return pattern.sub("", text)


def _without_echo(text: str, cut: list[str]) -> str:
    """A model that gives the prompt back answers after "Helpful Answer:", or not at all."""
    mark = _HELPFUL.search(text)
    end = mark.end() if mark else len(text)
    cut.append(text[:end].strip())
    return text[end:]


def _without_prefixes(text: str) -> str:
    while match := _PREFIX.match(text):
        text = text[match.end() :]
    return text.strip()


def _unquoted(text: str) -> str:
    for opening, closing in _QUOTES:
        inner = text[len(opening) : -len(closing)]
        if len(text) > len(opening + closing) and text.startswith(opening) and text.endswith(closing) and opening not in inner:
            return inner.strip()
    return text


def _without_loops(text: str, cut: list[str]) -> str:
    """ "the the the the model" -> "the model", for phrases of up to twelve words."""
    tokens = re.findall(r"\s*\S+", text)
    plain = [token.strip().lower() for token in tokens]
    kept: list[str] = []
    at = 0
    while at < len(tokens):
        size, end = _loop_at(plain, at)
        kept += tokens[at : at + size]
        if end > at + size:
            cut.append("".join(tokens[at + size : end]).strip())
        at = end
    return "".join(kept)


def _loop_at(words: list[str], at: int) -> tuple[int, int]:
    """How many words the phrase at this place has, and where its repetition ends."""
    for size in range(1, _LONGEST_LOOP + 1):
        phrase = words[at : at + size]
        end = at + size
        while words[end : end + size] == phrase:
            end += size
        if end - at >= size * _REPEATS:
            return size, end
    return 1, at + 1


def _without_repeated_sentences(text: str, cut: list[str]) -> str:
    seen: set[str] = set()
    kept: list[str] = []
    spans = sentences(text)
    for index, (start, end) in enumerate(spans):
        until = spans[index + 1][0] if index + 1 < len(spans) else len(text)
        plain = " ".join(text[start:end].lower().split())
        if plain in seen and len(plain.split()) > 3:  # short ones ("1. Yes.") may well come twice
            cut.append(text[start:end])
        else:
            kept.append(text[start:until])
        seen.add(plain)
    return "".join(kept).strip()


def _within_limit(text: str, cut: list[str]) -> tuple[str, bool]:
    found = list(re.finditer(r"\S+", text))
    if len(found) <= WORD_LIMIT:
        return text, False
    limit = found[WORD_LIMIT - 1].end()
    whole = [end for _, end in sentences(text) if end <= limit]
    at = whole[-1] if whole else limit
    cut.append(text[at:].strip())
    return text[:at], True
