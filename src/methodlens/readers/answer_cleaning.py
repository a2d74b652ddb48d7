"""Removes what is not part of a model's answer: the prompt, thinking, invented references, repetition and excess length."""

import re
from typing import NamedTuple

from methodlens.text import sentences
from methodlens.transcripts.layout import OPENING, unix_newlines

WORD_LIMIT = 400
"""The prompt asks for less than 400 words."""
CHAR_LIMIT = 20 * WORD_LIMIT
"""For answers without spaces."""

_MAX_LOOP_WORDS = 12
_MIN_REPEATS = 3  # of a phrase in a row that count as a loop
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)|\A[^<]*</think>", re.DOTALL)
_HELPFUL = re.compile(r"^[^\S\n]*Helpful Answer:", re.MULTILINE)
_ECHO = re.compile(rf"\A\s*(?:{re.escape(OPENING[:37])}|Question:\s*%INSTRUCTIONS|%INSTRUCTIONS)")
_PLACEHOLDER = re.compile(r"\(provide your answer to query[^)]{0,400}+\)", re.IGNORECASE)
_PREFIX = re.compile(
    r"[\s*]*+(?:(?:Helpful )?Answer(?::::?|:)|(?:Question|Query):[^\n]*\n(?=\s*+(?:Helpful )?Answer:))", re.IGNORECASE
)
_BEFORE_WORDS = re.compile(r"^\W*+", re.MULTILINE)
_TRAILING_LINE = re.compile(
    r"(?:References?|Reference\(s\)|Bibliography|Sources?|Citations?)\W*(?::.*)?$|(?:Question|Query|Helpful Answer|Answer::):"
    r"|(?:word count\W*\d+|(?:less than )?\d+ words)\W*$",
    re.MULTILINE | re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^[^\S\n]*%(?:INSTRUCTIONS|Query)|(?<=[.!?])[^\S\n]+(?:References|Reference\(s\)):|\A\W*no response(?: found)?\W*\Z"
    rf"|^{re.escape(OPENING[:37])}",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("```", "```"))


class CleanAnswer(NamedTuple):
    text: str
    removed: tuple[str, ...] = ()
    truncated: bool = False
    """It was longer than WORD_LIMIT."""
    repetitive: bool = False
    """Most of it was repetition."""
    echoes_prompt: bool = False


def clean_answer(raw: str) -> CleanAnswer:
    """
    >>> clean_answer("Helpful Answer: Answer: Two GPUs were used.\\n\\nReferences\\n[1] An invented paper.").text
    'Two GPUs were used.'
    """
    text = unix_newlines(raw).replace("\x00", "")
    removed = [match[0].strip() for match in _THINKING.finditer(text)]
    text = _THINKING.sub("", text)
    echoes_prompt = bool(_ECHO.match(text))
    text = _without_prefixes(_PLACEHOLDER.sub("", _without_echo(text, removed) if echoes_prompt else text))
    end = _trailer_start(text)
    removed.append(text[end:].strip())
    text = _unquoted(text[:end].strip())
    length = len(text)
    text = _without_repeated_sentences(_without_loops(text, removed), removed)
    repetitive = length > 2 * len(text)
    text, truncated = _within_limit(text, removed)
    return CleanAnswer(text.strip(), tuple(piece for piece in removed if piece), truncated, repetitive, echoes_prompt)


def _without_echo(text: str, removed: list[str]) -> str:
    """The text after "Helpful Answer:", the last words of the prompt."""
    mark = _HELPFUL.search(text)
    end = mark.end() if mark else len(text)
    removed.append(text[:end].strip())
    return text[end:]


def _without_prefixes(text: str) -> str:
    at = 0
    while match := _PREFIX.match(text, at):
        at = match.end()
    return text[at:].strip()


def _trailer_start(text: str) -> int:
    """Where what follows the answer starts, such as references. Signs before a word may span lines: each is read once."""
    lines = (match.start() for match in _BEFORE_WORDS.finditer(text) if _TRAILING_LINE.match(text, match.end()))
    trailer = _TRAILER.search(text)
    return min(next(lines, len(text)), trailer.start() if trailer else len(text))


def _unquoted(text: str) -> str:
    for opening, closing in _QUOTES:
        inner = text[len(opening) : -len(closing)]
        if len(text) > len(opening + closing) and text.startswith(opening) and text.endswith(closing) and opening not in inner:
            return inner.strip()
    return text


def _without_loops(text: str, removed: list[str]) -> str:
    """Keep a repeated phrase once: "the the the the model" -> "the model"."""
    tokens = re.findall(r"\s*\S+", text)
    plain = [token.strip().lower() for token in tokens]
    kept: list[str] = []
    at = 0
    while at < len(tokens):
        size, end = _loop_at(plain, at)
        kept += tokens[at : at + size]
        if end > at + size:
            removed.append("".join(tokens[at + size : end]).strip())
        at = end
    return "".join(kept)


def _loop_at(words: list[str], at: int) -> tuple[int, int]:
    """The number of words in the phrase at this position, and the end of its repetitions."""
    for size in range(1, _MAX_LOOP_WORDS + 1):
        phrase = words[at : at + size]
        end = at + size
        while words[end : end + size] == phrase:
            end += size
        if end - at >= size * _MIN_REPEATS:
            return size, end
    return 1, at + 1


def _without_repeated_sentences(text: str, removed: list[str]) -> str:
    seen: set[str] = set()
    kept: list[str] = []
    spans = sentences(text)
    for index, (start, end) in enumerate(spans):
        until = spans[index + 1][0] if index + 1 < len(spans) else len(text)
        plain = " ".join(text[start:end].lower().split())
        if plain in seen and len(plain.split()) > 3:  # short ones ("1. Yes.") may occur twice
            removed.append(text[start:end])
        else:
            kept.append(text[start:until])
        seen.add(plain)
    return "".join(kept).strip()


def _within_limit(text: str, removed: list[str]) -> tuple[str, bool]:
    words = list(re.finditer(r"\S+", text))
    if len(words) <= WORD_LIMIT and len(text) <= CHAR_LIMIT:
        return text, False
    limit = min(words[:WORD_LIMIT][-1].end(), CHAR_LIMIT)
    ends = [end for _, end in sentences(text) if end <= limit]
    at = ends[-1] if ends else limit
    removed.append(text[at:].strip())
    return text[:at], True
