"""Whether the text layer of a PDF is readable language, or shifted glyphs and broken character maps."""

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
STRANGE_CHAR = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd-\uffff]")
"""Codes of glyphs that no map names."""
_MIN_FUNCTION_WORDS = 0.04  # share of tokens: prose has ten times as many, shifted glyphs almost none
_MIN_TOKENS = 40  # too few to judge
_MIN_SIMILARITY = 0.75  # of the letter frequencies to those of European languages
_MAX_STRANGE = 0.1  # share of characters that no font should map to
_MAX_CONTROL = 0.002  # share of control characters: a broken digit map gives more, a valid text none
_LETTERS_PER_PAGE = 20

_SCRIPTS = (  # letters of a script, its commonest ones, and the least share that these have in any prose
    (re.compile("[\uac00-\ud7a3]"), frozenset("이다의는에을를가하고은로도지사기어나아서한인대시자"), 0.15),
    (re.compile("[\u0400-\u04ff]"), frozenset("оеаинтОЕАИНТ"), 0.3),
    (re.compile("[\u4e00-\u9fff]"), frozenset("的一是在不了有和人这中大为上个国以要時时出用分对會会可子日年本生者的學学"), 0.03),
)
_KANA = re.compile("[\u3040-\u30ff]")
_MIN_SCRIPT = 200  # letters of a script: too few to judge below

NO_TEXT = "its pages contain no text to read; run OCR on it first, or install the extra: pip install 'methodlens[ocr]'"
ONLY_HEADS = NO_TEXT.replace("contain no text to read", "contain no text but running heads or stamps")
GARBLED = "its text layer is not readable characters; run OCR on it first, or install the extra: pip install 'methodlens[ocr]'"


def check_text(text: str, *, pages: int) -> tuple[PaperStatus, str]:
    """`ok`, `no_text` or `garbled`, with a reason. `text` is raw, with control characters."""
    if is_garbled(text):
        return PaperStatus.GARBLED, GARBLED
    return (PaperStatus.OK, "") if has_text(text, pages=pages) else (PaperStatus.NO_TEXT, NO_TEXT)


def has_text(text: str, *, pages: int) -> bool:
    """Whether there are enough letters for this many pages."""
    least = _LETTERS_PER_PAGE * max(1, min(pages, 10))
    return sum(1 for _ in islice(_LETTER.finditer(text), least)) == least


def is_garbled(text: str) -> bool:
    """Whether there is a text layer that is not language."""
    visible = len("".join(text.split()))
    if visible < _LETTERS_PER_PAGE:
        return False
    strange = len(STRANGE_CHAR.findall(text))
    control = len(_CONTROL_CHAR.findall(text))
    if strange > _MAX_STRANGE * visible or (control > max(5, _MAX_CONTROL * visible) and control > len(_DIGIT.findall(text))):
        return True
    return _is_not_language(text) or _has_improbable_script(text)


def _has_improbable_script(text: str) -> bool:
    """Whether many letters belong to a script whose commonest letters are missing: a broken map reads Cyrillic as Hangul."""
    if text.isascii():
        return False
    for script, common, least in _SCRIPTS:
        written = script.findall(text)
        if len(written) < _MIN_SCRIPT or (least < 0.1 and _KANA.search(text)) or len(written) < 0.2 * len(_LETTER.findall(text)):
            continue
        if sum(char in common for char in written) < least * len(written):
            return True
    return False


def _is_not_language(text: str) -> bool:
    """Only for Latin letters: in other scripts, shifted glyphs give strange characters."""
    tokens = _TOKEN.findall(text.lower())
    if len(tokens) < _MIN_TOKENS:
        return False
    latin = sum("LATIN" in unicodedata.name(token[0], "") for token in tokens[:2000])
    if latin < 0.5 * len(tokens[:2000]):
        return False
    known = _function_words()
    if sum(token in known for token in tokens) >= _MIN_FUNCTION_WORDS * len(tokens):
        return False
    return _letter_similarity(Counter("".join(tokens))) < _MIN_SIMILARITY  # lists of names or references lack function words too


def _letter_similarity(letters: Counter[str]) -> float:
    """The cosine of these counts and the usual ones. Shifted glyphs move the counts to other letters."""
    usual = _usual_letters()
    norm = math.sqrt(sum(count * count for count in letters.values()) * sum(share * share for share in usual.values()))
    return sum(letters[letter] * share for letter, share in usual.items()) / norm if norm else 0.0


@cache
def _usual_letters() -> dict[str, int]:
    """Per mille, about the mean of the European languages in Latin script."""
    shares = "e140 a95 i75 n75 r68 t68 s66 o62 l47 d40 u40 c30 m29 h25 p24 g17 k15 v14 b13 f12 z10 y8 w8 j5 q5 x2"
    return {share[0]: int(share[1:]) for share in shares.split()}


@cache
def _function_words() -> frozenset[str]:
    lines = files("methodlens.papers.pdf").joinpath("function_words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.partition(":")[2].split())
