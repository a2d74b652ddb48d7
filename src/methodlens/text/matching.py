"""Locate a quote in a text even if spaces, hyphens, case and look-alike characters differ."""

import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from methodlens.records import Match

WINDOW = 12  # characters that must agree for a window to vote on where a quote starts
MIN_SHARE = 0.85  # of a quote's characters that must align for a fuzzy match
_LONGEST_FUZZY = 5000  # characters of a quote: difflib takes quadratic time, and more where a few characters repeat
_SHORT = 400
_MAX_OCCURRENCES = 5000  # of a window
_SKIP = frozenset("-‐‑‒–—−\u00ad\ufffe\x02\u200b™®©^")
_FOLD = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "′": "'", "×": "x", "∗": "*", "·": ".", "˜": "~", "∼": "~"})


class Located(NamedTuple):
    match: Match
    start: int
    end: int


class Squeezed(NamedTuple):
    text: str
    origin: tuple[int, ...]
    """The index of each character in the original text."""


@lru_cache(maxsize=8)
def squeeze(text: str) -> Squeezed:
    """Lower case without spaces and hyphens, ligatures and quotation marks folded: the same for two extractions of a page."""
    folded: list[str] = []
    origin: list[int] = []
    for index, char in enumerate(text):
        if char.isspace() or char in _SKIP:
            continue
        plain = char if char.isascii() else unicodedata.normalize("NFKC", char).translate(_FOLD)
        for part in plain.lower():
            if not part.isspace():
                folded.append(part)
                origin.append(index)
    return Squeezed("".join(folded), tuple(origin))


def locate(quote: str, text: str) -> Located:
    """Where `quote` is in `text`: exact (apart from spacing and the like), fuzzy, or absent."""
    needle = squeeze(quote).text
    hay = squeeze(text)
    at = hay.text.find(needle) if needle else -1
    return _span(hay, Match.EXACT, at, at + len(needle)) if at >= 0 else _locate_fuzzy(needle, hay)


def candidate_regions(needle: str, hay: str) -> list[tuple[int, str]]:
    """Up to three parts of `hay`, each with its start, where most windows of `needle` occur at the right distance."""
    votes: Counter[int] = Counter()
    for offset in range(0, len(needle) - WINDOW + 1, WINDOW // 2):
        window, at = needle[offset : offset + WINDOW], -1
        for _ in range(_MAX_OCCURRENCES):
            at = hay.find(window, at + 1)
            if at < 0:
                break
            votes[(at - offset) // WINDOW] += 1
    starts = [max(0, (bucket - 1) * WINDOW) for bucket, _ in votes.most_common(3)]
    return [(start, hay[start : start + len(needle) + 4 * WINDOW]) for start in starts]


def _locate_fuzzy(needle: str, hay: Squeezed) -> Located:
    """difflib aligns better here than rapidfuzz, which is faster: see benchmarks/fuzzy_quotes.py."""
    best, best_share = Located(Match.ABSENT, 0, 0), MIN_SHARE
    if not 2 * WINDOW <= len(needle) <= _LONGEST_FUZZY or _is_repetitive(needle):
        return best
    for start, region in candidate_regions(needle, hay.text):
        blocks = SequenceMatcher(None, needle, region, autojunk=False).get_matching_blocks()
        solid = [block for block in blocks if block.size >= 3]
        share = sum(block.size for block in solid) / len(needle)
        if solid and share >= best_share:
            best_share = share
            best = _span(hay, Match.FUZZY, start + solid[0].b, start + solid[-1].b + solid[-1].size)
    return best


def _is_repetitive(text: str) -> bool:
    """A long text of a few characters, such as a DNA sequence, or of a few phrases. Two characters of English prose are the
    same in 7% of cases, and hardly any window of it occurs twice."""
    if len(text) <= _SHORT:
        return False
    windows = {text[at : at + WINDOW] for at in range(len(text))}
    return len(windows) < len(text) / 2 or sum(count**2 for count in Counter(text).values()) > 0.2 * len(text) ** 2


def _span(hay: Squeezed, match: Match, start: int, end: int) -> Located:
    return Located(match, hay.origin[start], hay.origin[end - 1] + 1)
