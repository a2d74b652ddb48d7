"""Does a paper use deep learning? One that does not keeps its verdicts and gets a flag."""

import re
import tomllib
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from methodlens.records import Paper, Section, SectionKind
from methodlens.text import sentences

NO_DL = "no_dl"
"""The flag of a paper that does not use deep learning itself."""


class DeepLearningSignals(Struct, frozen=True):
    """The distinct deep-learning terms in a paper, the number of sentences that contain one, and that of all its sentences."""

    signs: frozenset[str]
    sentences: int
    all_sentences: int

    @property
    def uses_deep_learning(self) -> bool:
        thresholds = _terms()
        least_sentences = min(thresholds.least_sentences, thresholds.least_share * self.all_sentences)
        return len(self.signs) >= thresholds.least_signs and self.sentences >= least_sentences


class _Terms(Struct, frozen=True, forbid_unknown_fields=True):
    least_signs: int
    least_sentences: int
    least_share: float
    signs: tuple[str, ...]


def deep_learning_signals(paper: Paper) -> DeepLearningSignals:
    """Skips the references: they describe the work of others."""
    signs: set[str] = set()
    count = total = 0
    for section in paper.sections or (Section(SectionKind.OTHER, "", 0, len(paper.text)),):
        if section.kind is not SectionKind.REFERENCES:
            for start, end in sentences(paper.text, section.start, section.end):
                matches = {_normalise(match[0]) for match in _pattern().finditer(paper.text, start, end)}
                signs |= matches
                count += bool(matches)
                total += 1
    return DeepLearningSignals(frozenset(signs), count, total)


def paper_flags(paper: Paper) -> tuple[str, ...]:
    """A paper without text gets no flag."""
    return () if not paper.text or deep_learning_signals(paper).uses_deep_learning else (NO_DL,)


def _normalise(sign: str) -> str:
    """ "Neural networks" and "neural-network" are the same term."""
    return re.sub(r"[\W_]+", "", sign.lower()).removesuffix("s")


@cache
def _terms() -> _Terms:
    text = (resources.files("methodlens.verdicts") / "data" / "deep-learning.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _Terms)


@cache
def _pattern() -> re.Pattern[str]:
    signs = (re.escape(sign).replace(r"\ ", r"[\s\-‐‑–]*").replace(r"\*", r"\w*") for sign in _terms().signs)
    return re.compile(rf"(?<!\w)(?:{'|'.join(signs)})(?!\w)", re.IGNORECASE)
