"""Ligatures that a font's map does not name, and spaces that the text layer has after them.

A glyph named T_h or f_f_i often has no character: PDFium returns a control code or one for private use. Which letters such a
code stands for is found from the words it occurs in: most of them must become words that the paper or the list knows.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from importlib.resources import files

from methodlens.papers.raw_page import UNMAPPED, RawLine, RawPage, RawWord

_LIGATURES = ("Th", "fi", "fl", "ff", "ffi", "ffl", "ft", "tt", "ti", "fj", "ct", "st")
_UNMAPPED = {UNMAPPED + code: code for code in range(0x100)}
_UNKNOWN = re.compile(
    f"[\x01\x03-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd{chr(UNMAPPED)}-{chr(UNMAPPED + 0xFF)}]"
)  # 2 is PDFium's hyphen
_WORD = re.compile(r"[^\W\d_]{2,}")
_MIN_KNOWN = 0.6  # share of the words with the code that become known
_ALONE = ("ffi", "ffl", "fi", "fl")  # no words
_SPLIT = re.compile(r"(?<!\S)\S{1,40} (?:ffi|ffl|fi|fl) \S{1,40}(?!\S)")
_ENDS = re.compile(r"(?:ffi|ffl|fi|fl|ff|(?<![^\W_])Th)$")
_SUSPECT = re.compile(f"{_UNKNOWN.pattern}|(?:f[il]|(?<! o)ff|\\bTh|[ﬀ-ﬄ]) [a-z]")
_LAST, _FIRST = re.compile(r"[^\W\d_]+$"), re.compile(r"[^\W\d_]+")
_PRESENTED = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})


def with_ligatures(pages: Sequence[RawPage]) -> list[RawPage]:
    """The same pages, with the letters of unknown ligatures, and without spaces inside words after a ligature."""
    texts = [word.text for page in pages for line in page.lines for word in line.words]
    if not _SUSPECT.search(" ".join(texts)):  # most papers
        return list(pages)
    vocabulary = _vocabulary(texts)
    letters = _UNMAPPED | _letters(texts, vocabulary)
    return [page._replace(lines=[_repaired(line, letters, vocabulary) for line in page.lines]) for page in pages]


def _vocabulary(texts: Sequence[str]) -> set[str]:
    """The words of the paper, without those that are parts of a word beside a ligature: 'speci' and 'c' in 'speci fi c'."""
    plain = " ".join(texts).translate(_PRESENTED)
    return {word.lower() for word in _WORD.findall(_SPLIT.sub(" ", plain))}


def _letters(texts: Sequence[str], vocabulary: AbstractSet[str]) -> dict[int, str | int]:
    """The letters that each unknown code stands for, where the words show it."""
    words: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        if not text.isascii() or not text.isprintable():
            for code in set(_UNKNOWN.findall(text)):
                words[code].add(text)
    meant: dict[int, str | int] = {}
    for code, written in words.items():
        shares = {ligature: _share(written, code, ligature, vocabulary) for ligature in _LIGATURES}
        best = max(_LIGATURES, key=lambda ligature: shares[ligature])
        if shares[best] >= _MIN_KNOWN:
            meant[ord(code)] = best
    return meant


def _share(written: set[str], code: str, ligature: str, vocabulary: AbstractSet[str]) -> float:
    """The share of words that are known with these letters. Two words are needed: one may be known by chance."""
    known = total = 0
    for text in written:
        total += 1
        if len(_UNKNOWN.findall(text)) > 1:  # not one ligature in a word, but a font without a map
            continue
        word = next((part for part in _WORD.findall(text.replace(code, ligature)) if ligature in part), "").lower()
        known += len(word) > len(ligature) and (word in vocabulary or word in _common_words())
    return known / total if known > 1 else 0.0


def _repaired(line: RawLine, letters: Mapping[int, str | int], vocabulary: AbstractSet[str]) -> RawLine:
    words: list[RawWord] = []
    for word in line.words:
        text = word.text
        if not (text.isascii() and text.isprintable()):
            text = text.translate(letters)
        if (
            words
            and text[:1].islower()
            and _splits_word(words[-1].text.translate(_PRESENTED), text.translate(_PRESENTED), vocabulary)
        ):
            words[-1] = words[-1]._replace(text=words[-1].text + text, x1=word.x1)
        else:
            words.append(word if text is word.text else word._replace(text=text))
    if len(words) == len(line.words):
        return line._replace(words=tuple(words))
    return line._replace(words=tuple(words), lead=min(line.lead, len(words)))


def _splits_word(before: str, after: str, vocabulary: AbstractSet[str]) -> bool:
    """Whether a space is inside a word: after 'fi' in 'fi rst' and 'speci fi c', where the joined word is known."""
    if before in _ALONE:
        return True
    if after not in _ALONE and not _ENDS.search(before):
        return False
    left, right = _LAST.search(before[-40:]), _FIRST.match(after)
    if not left or not right:
        return False
    joined = (left[0] + right[0]).lower()
    return joined in vocabulary or joined in _common_words() or (after in _ALONE and left[0].lower() not in vocabulary)


@cache
def _common_words() -> frozenset[str]:
    text = files("methodlens.papers.layout").joinpath("ligature_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
