"""Counts the signs of a question in each passage, by an index of word positions."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from methodlens.text.vectors import Matrix

_PIECE = re.compile(r"[^\W_]+")


class SignIndex:
    """Word positions. A gap after each passage keeps signs of several words from matching across passages."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._at: dict[str, list[int]] = {}
        self._owner: list[int] = []
        for number, text in enumerate(texts):
            for piece in _PIECE.findall(text.lower()):
                self._at.setdefault(piece, []).append(len(self._owner))
                self._owner.append(number)
            self._owner.append(-1)
        self._sorted = sorted(self._at)

    def count(self, signs: Sequence[str], size: int) -> Matrix:
        """For each of `size` passages, how many different signs it contains."""
        counts = np.zeros(size, np.float32)
        for sign in signs:
            for number in {self._owner[place] for place in self._places(sign)}:
                counts[number] += 1
        return counts

    def _places(self, sign: str) -> set[int]:
        parts = _parts(sign)
        if not parts:
            return set()
        places = set(self._of(parts[0]))
        for step, part in enumerate(parts[1:], 1):
            places &= {place - step for place in self._of(part)}
        if len(parts) > 1:  # "pre process*" is also "preprocessing"
            places |= set(self._of("".join(part.rstrip("*") for part in parts) + ("*" if parts[-1].endswith("*") else "")))
        return places

    def _of(self, part: str) -> Iterator[int]:
        if not part.endswith("*"):
            yield from self._at.get(part, ())
            return
        prefix = part[:-1]
        for word in self._sorted[bisect_left(self._sorted, prefix) :]:
            if not word.startswith(prefix):
                break
            yield from self._at[word]


@lru_cache(maxsize=4096)
def _parts(sign: str) -> tuple[str, ...]:
    return tuple(
        match[0] + ("*" if sign[match.end() : match.end() + 1] == "*" else "") for match in _PIECE.finditer(sign.lower())
    )
