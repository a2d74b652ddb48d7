"""The ranking signals of a paper's passages for a question: one row per passage, one column per signal."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from methodlens.records import Passage, SectionKind
from methodlens.retrieval.lexical import Bm25
from methodlens.retrieval.pattern_index import PatternIndex
from methodlens.retrieval.query import Query
from methodlens.retrieval.sign_index import SignIndex
from methodlens.text import sentences, words
from methodlens.text.vectors import Encoder, Matrix

SECTIONS = tuple(kind.value for kind in SectionKind if kind is not SectionKind.REFERENCES)
NAMES = (
    "words",
    "words_rank",
    "meaning",
    "meaning_rank",
    "sentence",
    "sentence_rank",
    "neighbour",
    "signs",
    "any_sign",
    "patterns",
    "terms",
    "position",
    *(f"section.{name}" for name in SECTIONS),
)
_RANK = 5.0  # a rank counts 1, 5/6, 5/7, ...
_RELATED = 0.3  # cosine from which a sentence is related to the question even without a shared word
_TYPICAL = 12  # words of a sentence: longer ones are scored down, shorter ones up


class Signals:
    """The passages of a paper, prepared for any question."""

    def __init__(self, passages: Sequence[Passage], encoder: Encoder) -> None:
        texts = [passage.text for passage in passages]
        parts = [[text[start:end] for start, end in sentences(text)] or [text] for text in texts]
        tokens = [[words(sentence) for sentence in row] for row in parts]
        self._firsts = np.cumsum([0, *map(len, parts)])[:-1]
        self._bm25 = Bm25([[word for sentence in passage for word in sentence] for passage in tokens])
        self._signs = SignIndex(texts)
        self._patterns = PatternIndex(texts)
        self.vectors, self._sentence_vectors = encoder.encode_parts(texts, parts)
        by_sentence = [sentence for passage in tokens for sentence in passage]
        self._holding = _holding(by_sentence)
        self._lengths = np.sqrt(np.array([max(6, len(set(row))) for row in by_sentence], np.float32) / _TYPICAL)
        self._fixed = _fixed(passages)
        self.size = len(texts)

    def of(self, query: Query) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """The signals, and which passages are related to the question at all."""
        lexical = self._bm25.scores(query.words)
        meaning = self.vectors @ query.vector
        sentence = self._best(self._sentence_vectors @ query.vector) if self._sentence_vectors is not None else meaning
        signs = self._signs.count(query.question.signs, self.size)
        patterns = self._patterns.count(query.question)
        terms = self._terms(query.terms)
        neighbours = np.maximum(np.append(lexical[1:], 0), np.append(0, lexical[:-1]))
        columns = [
            _standard(lexical),
            _by_rank(lexical),
            _standard(meaning),
            _by_rank(meaning),
            _standard(sentence),
            _by_rank(sentence),
            _standard(neighbours),
            np.sqrt(signs),
            np.minimum(signs, 1),
            np.sqrt(patterns),
            _standard(terms),
        ]
        related = (lexical > 0) | (signs > 0) | (patterns > 0) | (sentence >= _RELATED)
        return np.column_stack([*columns, self._fixed]).astype(np.float32), related

    def _terms(self, weights: Mapping[str, float]) -> Matrix:
        """The weight of the words in each passage's best sentence."""
        total = np.zeros(len(self._lengths), np.float32)
        for word, weight in weights.items():
            if (at := self._holding.get(word)) is not None:
                total[at] += weight
        return self._best((total / self._lengths).astype(np.float32))

    def _best(self, by_sentence: Matrix) -> Matrix:
        return np.asarray(np.maximum.reduceat(by_sentence, self._firsts), np.float32)


def _holding(tokens: Sequence[Sequence[str]]) -> dict[str, npt.NDArray[np.int64]]:
    at: dict[str, list[int]] = {}
    for number, row in enumerate(tokens):
        for word in set(row):
            at.setdefault(word, []).append(number)
    return {word: np.array(numbers) for word, numbers in at.items()}


def _fixed(passages: Sequence[Passage]) -> Matrix:
    position = np.arange(len(passages), dtype=np.float32) / max(1, len(passages))
    sections = np.array([[passage.section == name for name in SECTIONS] for passage in passages], np.float32)
    return np.column_stack([position, sections.reshape(len(passages), len(SECTIONS))])


def _standard(values: Matrix) -> Matrix:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros_like(values)


def _by_rank(values: Matrix) -> Matrix:
    """Ties share the better rank; values of 0 have no rank."""
    better = np.searchsorted(np.sort(-values), -values)
    return np.where(values > 0, _RANK / (_RANK + better), 0).astype(np.float32)
