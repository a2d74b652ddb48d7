"""The study's papers as documents. The answers of two models show which sentences of a context they used.

The passages its search retrieved for the 28 questions, taken together, are most of a paper. Where both Mixtral models say yes,
the words that both use point to sentences of the context; those that hold most of these words are the evidence. The labels are
noisy: the models did not quote. (The other three models of the study have terms of their own: docs/decisions/0012.)
"""

import json
import lzma
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from methodlens.text import sentences, words
from training.documents import Document, document, number_of

_ANSWER = 2500  # characters of an answer: one model repeats itself for 8,000 words
_MOST, _CLOSE = 3, 0.6  # sentences taken as evidence, and the share of the best one's score that each needs
_SHORTEST, _LONGEST = 30, 800


def read(path: Path) -> list[Document]:
    """`path` is the study's records.jsonl.xz."""
    return [_document(paper, records) for paper, records in _by_paper(path)]


def contexts(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each paper with every passage that was retrieved for any of its questions, once."""
    for paper, records in _by_paper(path):
        yield paper, list(dict.fromkeys(part for record in records for part in record["context"].split("\n\n")))


def _by_paper(path: Path) -> list[tuple[str, list[dict[str, Any]]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            found[record["paper"].removesuffix(".pdf")].append(record)
    return sorted(found.items())


def _document(paper: str, records: Sequence[dict[str, Any]]) -> Document:
    found: dict[str, str] = {}
    for record in records:
        for sentence in _sentences(record["context"]):
            found.setdefault(_bare(sentence), sentence)
    bare, texts = list(found), list(found.values())
    tokens = [frozenset(words(text)) for text in texts]
    spread = Counter(word for row in tokens for word in row)
    rarity = {word: math.log(1 + len(tokens) / count) for word, count in spread.items()}
    answers: dict[int, list[int]] = {}
    for record in records:
        weights = {word: rarity[word] for word in _agreed(record) if word in rarity}
        context = _bare(_clean(record["context"]))
        scores = [
            sum(weights.get(word, 0) for word in row) / math.sqrt(8 + len(row)) if key[:60] in context else 0.0
            for row, key in zip(tokens, bare, strict=True)
        ]
        best = sorted(range(len(scores)), key=lambda index: (-scores[index], index))[:_MOST]
        if best and scores[best[0]] > 0:
            close = _CLOSE * scores[best[0]]
            answers[number_of(record["question"])] = [index for index in best if scores[index] >= close]
    return document(paper, texts, answers)


def _agreed(record: Mapping[str, Any]) -> set[str]:
    """The words that both models use in their answers; none if one of them answers no."""
    free = [model for model in record["reported"] if is_free(model)]
    if not free or not all(record["reported"][model] is True and record["answers"].get(model, "").strip() for model in free):
        return set()
    return set.intersection(*(set(words(record["answers"][model][:_ANSWER])) for model in free))


def is_free(model: str) -> bool:
    """Whose outputs may be learned from without a thought: Mixtral's weights are under Apache-2.0."""
    return model.startswith("mixtral")


def _sentences(context: str) -> Iterator[str]:
    text = _clean(context)
    for start, end in sentences(text):
        if end - start >= _SHORTEST:
            yield text[start:end][:_LONGEST]


def _clean(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"(\w)-\s*\n\s*(\w)", r"\1\2", text))


def _bare(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())
