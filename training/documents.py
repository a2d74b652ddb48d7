"""What the ranking learns from: papers as sentences, and which of them answer which question."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from methodlens.text import words

_NUMBER = re.compile(r"CQ(\d+)")


class Document(Struct, frozen=True):
    paper: str
    """The gold papers that the study has too carry the same name, so that a fold leaves both out together."""
    sentences: Sequence[str]
    tokens: Sequence[frozenset[str]]
    answers: Mapping[int, Sequence[int]]
    """By question: the sentences that answer it."""


def document(paper: str, sentences: Sequence[str], answers: Mapping[int, Sequence[int]]) -> Document:
    return Document(paper, sentences, [frozenset(words(sentence)) for sentence in sentences], answers)


def number_of(question: str) -> int:
    match = _NUMBER.fullmatch(question)
    if not match:
        raise ValueError(f"{question!r} is not a question of the study")
    return int(match[1])
