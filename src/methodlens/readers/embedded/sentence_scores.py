"""How well each sentence answers the question, by a small model learned from sentences that people quoted.

The model is linear: the features below, and the sentence's static vector. training/sentence_scores.py learns it.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from methodlens.readers.embedded.attribution import authors_act, is_done
from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.weights import SentenceModel
from methodlens.records import Question, SectionKind
from methodlens.text.vectors import Matrix, load_vectors

SECTIONS = tuple(kind.value for kind in SectionKind if kind is not SectionKind.REFERENCES)
FEATURES = (
    "any_sign",
    "signs",
    "overlap",
    "first_passage",
    "rank",
    "number",
    "fact",
    "act",
    "done",
    "sign_and_act",
    "link",
    "meaning",
    "words",
    "length",
    "short",
    "position",
    "neighbour_sign",
    "neighbour_fact",
    "neighbour_overlap",
    *(f"section.{name}" for name in SECTIONS),
)
_LINK = re.compile(r"https?://|www\.|doi\.org|github|gitlab|zenodo|figshare", re.IGNORECASE)
_SHORT = 60  # characters: most of these are headings and captions
_TYPICAL_LENGTH = 100
_MAX_WORD_SCORE = 4.0
_MOST_CACHED = 8192


def with_learned_scores(
    question: Question, candidates: Sequence[CandidateSentence], model: SentenceModel
) -> list[CandidateSentence]:
    if not candidates:
        return []
    features, vectors = sentence_rows(question, candidates)
    scores = features @ np.array([model.features.get(name, 0.0) for name in FEATURES]) + model.start
    if model.vector:
        scores = scores + vectors @ (np.array(model.vector, np.float64) * model.scale)
    return [
        replace(candidate, learned_score=round(score, 4)) for candidate, score in zip(candidates, scores.tolist(), strict=True)
    ]


def sentence_rows(question: Question, candidates: Sequence[CandidateSentence]) -> tuple[npt.NDArray[np.float64], Matrix]:
    """The features and the vectors, one row per sentence."""
    vectors = sentence_vectors([candidate.text for candidate in candidates])
    meaning = vectors @ question_vector(question)
    rows = [_features(candidate, near) for candidate, near in zip(candidates, meaning.tolist(), strict=True)]
    return np.array(rows, np.float64).reshape(len(rows), len(FEATURES)), vectors


def _features(candidate: CandidateSentence, meaning: float) -> list[float]:
    size, act, done = len(candidate.text), authors_act(candidate.text), is_done(candidate.text)
    return [
        float(bool(candidate.signs)),
        math.sqrt(len(candidate.signs)),
        candidate.overlap,
        1 / (1 + candidate.rank),
        candidate.rank / 10,
        float(candidate.has_number),
        float(candidate.has_fact),
        float(act),
        float(done),
        float(bool(candidate.signs) and (act or done)),
        float(bool(_LINK.search(candidate.text))),
        meaning,
        min(_MAX_WORD_SCORE, max(-_MAX_WORD_SCORE, candidate.word_score)),
        math.log(max(1, size) / _TYPICAL_LENGTH),
        float(size < _SHORT),
        candidate.position,
        float(candidate.neighbour_sign),
        float(candidate.neighbour_fact),
        candidate.neighbour_overlap,
        *(float(candidate.section == name) for name in SECTIONS),
    ]


_cached: dict[str, Matrix] = {}


def sentence_vectors(texts: Sequence[str]) -> Matrix:
    """Consecutive questions see the same sentences, so their vectors are kept."""
    found = {text: _cached.get(text) for text in texts}
    missing = [text for text, vector in found.items() if vector is None]
    if missing:
        if len(_cached) > _MOST_CACHED:
            _cached.clear()
        new = dict(zip(missing, load_vectors().encode(missing), strict=True))
        _cached.update(new)
        found.update(new)
    return np.array([found[text] for text in texts], np.float32)


@lru_cache(maxsize=256)
def question_vector(question: Question) -> Matrix:
    return np.asarray(load_vectors().encode([question.query or question.text])[0], np.float32)
