"""How alike are texts in their words? TF-IDF and cosine, as the published study measured it between models' answers."""

import math
import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"\b\w\w+\b")


def cosines(texts: Sequence[str]) -> list[list[float]]:
    """The cosine of each text with each, over the vocabulary of these texts alone (smoothed IDF, as scikit-learn's default).

    A text without words is like none, itself included.
    """
    vectors = _vectors([Counter(_WORD.findall(text.lower())) for text in texts])
    return [[_dot(a, b) for b in vectors] for a in vectors]


def _vectors(tables: Sequence[Counter[str]]) -> list[dict[str, float]]:
    found_in = Counter(word for table in tables for word in table)
    weight = {word: math.log((1 + len(tables)) / (1 + n)) + 1 for word, n in found_in.items()}
    return [_unit({word: n * weight[word] for word, n in table.items()}) for table in tables]


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else {}


def _dot(a: dict[str, float], b: dict[str, float]) -> float:
    shorter, longer = (a, b) if len(a) <= len(b) else (b, a)
    return sum(value * longer.get(word, 0.0) for word, value in shorter.items())
