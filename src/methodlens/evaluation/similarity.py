"""Lexical similarity of texts: TF-IDF and cosine, as the published study measured it between models' answers."""

import math
import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"\b\w\w+\b")


def cosines(texts: Sequence[str]) -> list[list[float]]:
    """The cosine of each pair of texts, with IDF over these texts (smoothed, scikit-learn's default).

    A text without words has similarity 0 to all texts, including itself.
    """
    vectors = _tf_idf([Counter(_WORD.findall(text.lower())) for text in texts])
    return [[_dot(a, b) for b in vectors] for a in vectors]


def _tf_idf(counters: Sequence[Counter[str]]) -> list[dict[str, float]]:
    document_frequency = Counter(word for counter in counters for word in counter)
    idf = {word: math.log((1 + len(counters)) / (1 + n)) + 1 for word, n in document_frequency.items()}
    return [_unit({word: n * idf[word] for word, n in counter.items()}) for counter in counters]


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else {}


def _dot(a: dict[str, float], b: dict[str, float]) -> float:
    shorter, longer = (a, b) if len(a) <= len(b) else (b, a)
    return sum(value * longer.get(word, 0.0) for word, value in shorter.items())
