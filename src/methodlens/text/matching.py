"""Find a quote in a text even if spaces, hyphens, case and look-alike characters differ."""

import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from methodlens.records import Match

_WINDOW = 12  # characters that must be equal for a window to vote on the start of a quote
_MIN_ALIGNED = 0.85  # share of a quote that must align for a fuzzy match
_SKIP = frozenset("-‐‑‒–—−\u00ad\ufffe\x02\u200b™®©^")
_FOLD = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "′": "'", "×": "x", "∗": "*", "·": ".", "˜": "~", "∼": "~"})


class Located(NamedTuple):
    match: Match
    start: int
    end: int


class Squeezed(NamedTuple):
    text: str
    origin: tuple[int, ...]
    """For each character, its index in the original text."""


@lru_cache(maxsize=8)
def squeeze(text: str) -> Squeezed:
    """Lower case without spaces and hyphens, ligatures and quotes folded: two extractions of a page agree on this."""
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
    """The position of `quote` in `text`: exact (apart from spacing and the like), fuzzy, or absent."""
    needle = squeeze(quote).text
    hay = squeeze(text)
    if not needle:
        return Located(Match.ABSENT, 0, 0)
    at = hay.text.find(needle)
    if at >= 0:
        return Located(Match.EXACT, hay.origin[at], hay.origin[at + len(needle) - 1] + 1)
    return _locate_fuzzy(needle, hay)


def _locate_fuzzy(needle: str, hay: Squeezed) -> Located:
    """Windows of the quote vote on where it starts. A candidate is accepted if enough of the quote aligns."""
    absent = Located(Match.ABSENT, 0, 0)
    if len(needle) < 2 * _WINDOW:
        return absent
    votes: Counter[int] = Counter()
    for offset in range(0, len(needle) - _WINDOW + 1, _WINDOW // 2):
        window = needle[offset : offset + _WINDOW]
        at = hay.text.find(window)
        while at >= 0:
            votes[(at - offset) // _WINDOW] += 1
            at = hay.text.find(window, at + 1)
    best = absent
    best_share = _MIN_ALIGNED
    for bucket, _ in votes.most_common(3):
        low = max(0, (bucket - 1) * _WINDOW)
        region = hay.text[low : low + len(needle) + 4 * _WINDOW]
        blocks = SequenceMatcher(None, needle, region, autojunk=False).get_matching_blocks()
        solid = [block for block in blocks if block.size >= 3]
        share = sum(block.size for block in solid) / len(needle)
        if solid and share >= best_share:
            first, last = solid[0], solid[-1]
            best_share = share
            best = Located(Match.FUZZY, hay.origin[low + first.b], hay.origin[low + last.b + last.size - 1] + 1)
    return best
