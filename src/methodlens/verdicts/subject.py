"""Is it a deep-learning paper at all? One without a pipeline of its own keeps its verdicts and carries a flag."""

import re
import tomllib
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from methodlens.records import Paper, Section, SectionKind
from methodlens.text import sentences

NO_DL = "no_dl"
"""The flag of a paper without deep learning of its own."""


class Subject(Struct, frozen=True):
    """How much of a paper speaks of deep learning: different signs, and the sentences they stand in."""

    signs: frozenset[str]
    sentences: int

    @property
    def deep_learning(self) -> bool:
        known = _known()
        return len(self.signs) >= known.least_signs and self.sentences >= known.least_sentences


class _Known(Struct, frozen=True, forbid_unknown_fields=True):
    least_signs: int
    least_sentences: int
    signs: tuple[str, ...]


def subject(paper: Paper) -> Subject:
    """From everything but the references: what others do is no pipeline of one's own."""
    signs: set[str] = set()
    found = 0
    whole = Section(SectionKind.OTHER, "", 0, len(paper.text))
    for section in paper.sections or (whole,):
        if section.kind is not SectionKind.REFERENCES:
            for start, end in sentences(paper.text, section.start, section.end):
                here = {_folded(match[0]) for match in _pattern().finditer(paper.text, start, end)}
                signs |= here
                found += bool(here)
    return Subject(frozenset(signs), found)


def flags(paper: Paper) -> tuple[str, ...]:
    """A paper without a text says nothing either way."""
    return () if not paper.text or subject(paper).deep_learning else (NO_DL,)


def _folded(sign: str) -> str:
    """ "Neural networks" and "neural-network" are one."""
    return re.sub(r"[\W_]+", "", sign.lower()).removesuffix("s")


@cache
def _known() -> _Known:
    text = (resources.files("methodlens.verdicts") / "data" / "deep-learning.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _Known)


@cache
def _pattern() -> re.Pattern[str]:
    signs = (re.escape(sign).replace(r"\ ", r"[\s\-‐‑–]*").replace(r"\*", r"\w*") for sign in _known().signs)
    return re.compile(rf"(?<!\w)(?:{'|'.join(signs)})(?!\w)", re.IGNORECASE)
