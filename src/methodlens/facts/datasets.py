"""Data sets: listed ones, and others by their noun: "the NewtSong dataset", "the POND and REED corpora"."""

import re
from collections.abc import Iterator, Sequence

from methodlens.facts.gazetteer import Mention
from methodlens.facts.gazetteer import mentions as listed
from methodlens.facts.open_names import is_function_word, is_name

_CONFIDENCE = 0.7
_WORD = r"[A-Z0-9][\w’'+-]{0,24}"
_NAME = rf"{_WORD}(?:\s(?:of\s(?:the\s)?|and\s)?{_WORD}){{0,3}}"
_NOUN = r"(?:data\s?sets?|corpus|corpora|databases?|data\s?bases?|benchmarks?)"
_HEADED = re.compile(rf"(?<![\w’'-])(?P<names>{_NAME}(?:,\s{_NAME}){{0,4}})(?:\s\((?P<short>[A-Z][\w-]{{1,10}})\))?\s{_NOUN}\b")
_CALLED = re.compile(rf"\b{_NOUN}(?:,|\s\()?\s(?:called|named|known\sas|dubbed|termed)\s[“\"‘']?(?P<names>{_NAME})")
_JOINED = re.compile(r",\s|\sand\s(?=[A-Z])")
_COUNTED = re.compile(r"\d+(?:[.,]\d+)*")
_ORDINARY = re.compile(r"[A-Z][a-z]+")  # "Biological datasets": a first word, of a sentence or of a cell, has a capital anyway
# kinds of data, makers of software and languages are not names of data sets
_NO_DATA = frozenset(
    """x-ray mri ct rgb eeg ecg lidar uav gps hd 3d 2d sar gpu cpu api url ai ml dl nlp cv english french german spanish chinese
    japanese swedish dutch italian arabic google microsoft amazon sql mysql postgresql sqlite firebase r python matlab iot web
    internet covid-19 twitter deep machine learning imaging""".split()
)


def datasets(text: str) -> list[Mention]:
    names = [*listed("datasets", text)]
    return [*names, *_open(text, names)]


def _open(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    seen: set[str] = set()
    for pattern in (_HEADED, _CALLED):
        for match in pattern.finditer(text):
            overlaps = any(mention.start < match.end() and match.start() < mention.end for mention in taken)
            for name in [] if overlaps else _names(match["names"]):
                if name not in seen and not (_ORDINARY.fullmatch(name) and _opens_sentence(text, match.start("names"))):
                    seen.add(name)
                    start = text.index(name, match.start("names"))
                    yield Mention(name, "named", start, start + len(name), confidence=_CONFIDENCE)


def _opens_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 3) : at].rstrip()
    return not before or before[-1] in ".!?:;–•"


def _names(printed: str) -> Iterator[str]:
    for part in _JOINED.split(printed):
        words = part.split()
        while words and (is_function_word(words[0]) or _COUNTED.fullmatch(words[0])):
            words = words[1:]
        name = " ".join(words)
        possessive = any(mark in name for mark in ("’s", "'s"))
        if is_name(name) and not possessive and not {word.lower() for word in words} <= _NO_DATA:
            yield name
