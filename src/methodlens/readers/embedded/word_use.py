"""How likely people are to use a word of a quoted clause in their answer, by a small model learned from people's answers.

The model is linear: the features below, how often people use the word at all and in answers to this question, and the word's
static vector, which stands in for the use of words that no annotated paper has. training/word_use.py learns it.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.clauses import Clause, Role
from methodlens.readers.embedded.sentence_scores import question_vector, sentence_vectors
from methodlens.readers.embedded.sign_matching import matching_signs
from methodlens.readers.embedded.weights import LearnedQuestion
from methodlens.records import Question
from methodlens.text import words
from methodlens.text.vectors import Matrix, load_vectors

FEATURES = (
    # of the word
    "in_question",
    "in_query",
    "in_signs",
    "in_title",
    "in_fact",
    "number",
    "name",
    "frequency",
    "paper_frequency",
    "several_quotes",
    "ing",
    "ed",
    "place",
    "usual",
    "usual_here",
    # of its clause
    "leading",
    "trailing",
    "bracketed",
    "length",
    "long",
    "meaning",
    "clause_words",
    "clause_sign",
    "clause_number",
    "clause_fact",
    # of its quote
    "score",
    "behind",
    "first_quote",
    "late_quote",
    "position",
    "has_fact",
)
MOST_BEHIND = 4.0
_MOST = 4.0  # of scores, in either direction
_LONG_CLAUSE = 25  # words
_MOST_CACHED = 8192  # vectors of words
_TOKEN = re.compile(r"[^\W\d_]{3,}|\d[\d.,]*\d|\d")
_COMMON = frozenset(
    """the and for with was were are that this from which has have been their they its not but also into our than then using
    used use per each all any both paper author authors model models data deep learning""".split()
)


class WordUse(Struct, frozen=True, forbid_unknown_fields=True):
    """What was learned from people's answers to one question."""

    start: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)
    """By stem, how much more often than its use in general suggests people use it here: the logarithm of the ratio."""
    answer_words: float = 15.0
    """The content words of people's answers, on average."""
    fact_share: float = 0.5
    """The share of the words of our facts that people use too."""
    scale: float = 0.0
    vector: tuple[int, ...] = ()
    """Weights of a word's static vector, in whole numbers."""


class LearnedWordUse(Struct, frozen=True, forbid_unknown_fields=True):
    note: str
    words: Mapping[str, float]
    """By stem, how much more often than other words people use it in answers: the logarithm of the ratio."""
    any_question: WordUse
    questions: Mapping[str, WordUse]

    def of(self, question: Question) -> WordUse:
        return self.questions.get(question.like or question.id, self.any_question)


class QuotedClause(Struct, frozen=True):
    """A clause and the index of its quote."""

    clause: Clause
    quote: int
    opens: bool = True
    """It may open a sentence of the answer."""
    continues: bool = False
    """Else it may follow the clause before, which is the one it refers to."""
    last_resort: bool = False
    """Only for an answer without any other clause."""


class WordTable(Struct, frozen=True):
    """The content words of a clause, each once: their stems, features and static vectors, one row per word."""

    words: Sequence[str]
    features: npt.NDArray[np.float64]
    vectors: Matrix


class Topic(Struct, frozen=True):
    """What the words of a clause are compared with."""

    question: Question
    quotes: Sequence[CandidateSentence]
    facts: frozenset[str]
    title: frozenset[str]
    frequency: Counter[str]
    """Sentences of the context by word."""
    sentences: int
    paper_frequency: Mapping[str, int]
    """How often the paper has a word."""
    quotes_with: Counter[str]
    """Quotes by word."""
    learned: LearnedQuestion
    """The words of sentences that answer the question."""


@lru_cache(maxsize=4096)  # consecutive questions see the same sentences
def stems(text: str) -> frozenset[str]:
    """The content words of a text, cut to six letters so that "annotated" matches "annotation"; numbers are whole."""
    return frozenset(stem for token in _TOKEN.findall(text) if (stem := _stem(token)))


def _stem(token: str) -> str:
    """Empty for common words."""
    lower = token.lower()
    return "" if lower in _COMMON else lower[:6] if lower[0].isalpha() else lower


def topic(
    question: Question,
    quotes: Sequence[CandidateSentence],
    *,
    title: str,
    text: str,
    context: Sequence[str],
    facts: str,
    learned: LearnedQuestion,
) -> Topic:
    """`text` is the whole paper's, `context` the sentences of the passages."""
    frequency = Counter(word for sentence in context for word in stems(sentence))
    quotes_with = Counter(word for quote in quotes for word in stems(quote.text))
    return Topic(question, quotes, stems(facts), stems(title), frequency, len(context), _counts(text), quotes_with, learned)


@lru_cache(maxsize=4)  # consecutive questions are about the same paper
def _counts(text: str) -> Mapping[str, int]:
    return Counter(map(_stem, _TOKEN.findall(text)))


@lru_cache(maxsize=512)
def _asked(question: Question) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return stems(f"{question.title} {question.text}"), stems(question.query), stems(" ".join(question.signs))


def probabilities(clauses: Sequence[QuotedClause], about: Topic, learned: LearnedWordUse) -> list[dict[str, float]]:
    """For each clause, its content words with the probability that people would use them in their answer."""
    model = learned.of(about.question)
    weights = np.array([model.features.get(name, 0.0) for name in FEATURES])
    vector = np.array(model.vector, np.float64) * model.scale
    given: list[dict[str, float]] = []
    for table in word_tables(clauses, about, learned.words, model.words):
        scores = table.features @ weights + model.start
        if model.vector:
            scores = scores + table.vectors @ vector
        given.append(dict(zip(table.words, (1 / (1 + np.exp(-scores))).tolist(), strict=True)))
    return given


def word_tables(
    clauses: Sequence[QuotedClause], about: Topic, usual: Mapping[str, float], usual_here: Mapping[str, float]
) -> list[WordTable]:
    """One per clause."""
    vectors = sentence_vectors([each.clause.text for each in clauses])
    meaning = (vectors @ question_vector(about.question)).tolist() if clauses else []
    asked, query, signs = _asked(about.question)
    best = max((quote.learned_score for quote in about.quotes), default=0.0)
    tables: list[WordTable] = []
    for each, near in zip(clauses, meaning, strict=True):
        tokens = _TOKEN.findall(each.clause.text)
        of_clause = _clause_features(each, about, tokens, near, best)
        rows: dict[str, list[float]] = {}
        printed: list[str] = []
        for place, token in enumerate(tokens):
            word = _stem(token)
            if not word or word in rows:
                continue
            printed.append(token.lower())
            rows[word] = [
                float(word in asked),
                float(word in query),
                float(word in signs),
                float(word in about.title),
                float(word in about.facts),
                float(token[0].isdigit()),
                float(any(char.isupper() for char in token[1:]) or (place > 0 and token[0].isupper())),
                math.log((about.frequency[word] + 0.5) / max(1, about.sentences)),
                math.log(1 + about.paper_frequency.get(word, 0)),
                float(about.quotes_with[word] > 1),
                float(token.lower().endswith("ing")),
                float(token.lower().endswith("ed")),
                place / len(tokens),
                usual.get(word, 0.0),
                usual_here.get(word, 0.0),
                *of_clause,
            ]
        features = np.array(list(rows.values()), np.float64).reshape(len(rows), len(FEATURES))
        tables.append(WordTable(list(rows), features, word_vectors(printed)))
    return tables


def _clause_features(each: QuotedClause, about: Topic, tokens: Sequence[str], meaning: float, best: float) -> list[float]:
    text, role, quote = each.clause.text, each.clause.role, about.quotes[each.quote]
    return [
        float(role is Role.LEADING),
        float(role is Role.TRAILING),
        float(role is Role.BRACKETED),
        math.log(1 + len(tokens)),
        float(len(tokens) > _LONG_CLAUSE),
        meaning,
        _clamped(about.learned.score(set(words(text)))),
        float(bool(matching_signs(text, about.question.signs))),
        float(any(token[0].isdigit() for token in tokens)),
        float(not about.facts.isdisjoint(stems(text))),
        _clamped(quote.learned_score),
        min(MOST_BEHIND, best - quote.learned_score),
        float(each.quote == 0),
        float(each.quote >= 2),
        quote.position,
        float(quote.has_fact),
    ]


_vectors: dict[str, Matrix] = {}


def word_vectors(tokens: Sequence[str]) -> Matrix:
    """Answers to a paper's questions share most of their words, so the vectors are kept."""
    if missing := [token for token in dict.fromkeys(tokens) if token not in _vectors]:
        if len(_vectors) > _MOST_CACHED:
            _vectors.clear()
            missing = list(dict.fromkeys(tokens))
        _vectors.update(zip(missing, load_vectors().encode(missing), strict=True))
    return np.array([_vectors[token] for token in tokens], np.float32) if tokens else load_vectors().encode([])


def _clamped(score: float) -> float:
    return max(-_MOST, min(_MOST, score))


@cache
def load_word_use() -> LearnedWordUse:
    return msgspec.json.decode(_data(), type=LearnedWordUse)


@cache
def data_sha256() -> str:
    """The checksum of the data file, for the reader's fingerprint."""
    return hashlib.sha256(_data()).hexdigest()


def _data() -> bytes:
    return (resources.files("methodlens.readers.embedded") / "data" / "word_use.json").read_bytes()
