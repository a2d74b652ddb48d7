"""Whether a text layer is language: shifted glyphs, broken maps and control characters for digits are not."""

import math
import re
import unicodedata
from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import islice

from methodlens.records import PaperStatus

_TOKEN = re.compile(r"[^\W\d_]{2,}")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_CONTROL_CHAR = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_STRANGE_CHAR = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd-\uffff]")
_LANGUAGE = 0.04  # share of function words: prose has ten times as many, shifted glyphs next to none
_FEWEST_TOKENS = 40  # fewer prove nothing
_ALPHABET = 0.75
_STRANGE = 0.1  # share of characters that no font should map to
_CONTROL = 0.002  # share of control characters; a broken digit map gives more, a sound text none
_LETTERS_A_PAGE = 20

NO_TEXT = "its pages hold no text, only images; run OCR on it first, or install the extra: pip install 'methodlens[ocr]'"
GARBLED = "its text layer is not readable characters; run OCR on it first, or install the extra: pip install 'methodlens[ocr]'"


def legible(text: str, *, pages: int) -> tuple[PaperStatus, str]:
    """`ok`, `no_text` or `garbled`, with what to do. `text` is as the file has it, control characters included."""
    if garbled(text):
        return PaperStatus.GARBLED, GARBLED
    few = _LETTERS_A_PAGE * max(1, min(pages, 10))
    letters = sum(1 for _ in islice(_LETTER.finditer(text), few))
    return (PaperStatus.NO_TEXT, NO_TEXT) if letters < few else (PaperStatus.OK, "")


def garbled(text: str) -> bool:
    """A text layer that is there but is not language."""
    visible = len("".join(text.split()))
    if visible < _LETTERS_A_PAGE:
        return False
    strange = len(_STRANGE_CHAR.findall(text))
    control = len(_CONTROL_CHAR.findall(text))
    if strange > _STRANGE * visible or (control > max(5, _CONTROL * visible) and control > len(_DIGIT.findall(text))):
        return True
    return _is_no_language(text)


def _is_no_language(text: str) -> bool:
    """Only for Latin letters: other scripts shift into nonsense that the other tests see."""
    tokens = _TOKEN.findall(text.lower())
    if len(tokens) < _FEWEST_TOKENS:
        return False
    latin = sum("LATIN" in unicodedata.name(token[0], "") for token in tokens[:2000])
    if latin < 0.5 * len(tokens[:2000]):
        return False
    known = _function_words()
    if sum(token in known for token in tokens) >= _LANGUAGE * len(tokens):
        return False
    return _likeness(Counter("".join(tokens))) < _ALPHABET  # lists of names, species or references lack function words too


def _likeness(letters: Counter[str]) -> float:
    """The cosine between these counts and the usual ones. Shifting moves the counts to other letters."""
    usual = _usual_letters()
    norm = math.sqrt(sum(count * count for count in letters.values()) * sum(share * share for share in usual.values()))
    return sum(letters[letter] * share for letter, share in usual.items()) / norm if norm else 0.0


@cache
def _usual_letters() -> dict[str, int]:
    """Per mille, about the mean of the languages of Europe that are written in Latin letters."""
    shares = "e140 a95 i75 n75 r68 t68 s66 o62 l47 d40 u40 c30 m29 h25 p24 g17 k15 v14 b13 f12 z10 y8 w8 j5 q5 x2"
    return {share[0]: int(share[1:]) for share in shares.split()}


@cache
def _function_words() -> frozenset[str]:
    lines = files("methodlens.papers.pdf").joinpath("function_words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.partition(":")[2].split())
