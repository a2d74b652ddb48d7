"""Whether quotes say what an answer says. Names, numbers and links are checked in grounding.py; this compares the other words.

A model that obeys a sentence hidden in the paper can quote a real sentence and claim something else. The words of its answer
then have no counterpart in its quotes. `python -m benchmarks.injection` measures what is caught and which true answers are lost.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from methodlens.records import Question
from methodlens.text import sentences, words
from methodlens.text.instructions import is_addressed_to_reader
from methodlens.text.stems import stem
from methodlens.text.vectors import Matrix, load_vectors

MIN_COVERED = 0.28
"""The share of an answer's content words that its quotes must express."""
MIN_RELEVANCE = 0.3
"""The similarity to the question that at least one quote must have."""
_UNRELATED, _SAME = 0.35, 0.7  # similarity of two words, from "says nothing" to "says the same"
_MAX_WORDS = 400  # of an answer, and of its quotes
_AFTER_NEGATION = 2  # words that a negation applies to
_LONGEST_CLAIM = 90

_CLAUSE_END = re.compile(r"[;:]\s|,\s(?=(?:and|but|while|which|where|with|without|using|including)\b)|\n")
_NEGATION = re.compile(r"\b(?:no|not|without|never|none|neither|nor)\b|n['’]t\b", re.IGNORECASE)
_NEGATIVE = re.compile(
    rf"{_NEGATION.pattern}|\b(?:fail|stop|ceas|lack|absen|avoid|exclud|remov|unless|until|only)", re.IGNORECASE
)
_ABOUT_REPORTING = re.compile(  # "does not specify the version" denies no fact
    r"mention|specif|provid|stat(?:e|ing)|describ|detail|inform|indicat|clear|know|discuss|given|report|contain|answer|determin"
    r"|explicit|only|limited|necessar",
    re.IGNORECASE,
)
# words that answers share whatever they say
_GENERAL = """paper study author text context provided mention state describe research model use data method approach
process include specific various information based answer question deep learning network pipeline involve work result
also can may which such different document passage section following additionally furthermore however therefore overall
explicitly directly indicate suggest imply employ utilize perform using used order example well one two first second
several multiple detail mentioned according given available type kind technique system task part provide present show"""


_GENERAL_STEMS = frozenset(map(stem, _GENERAL.split()))


def unsupported_statements(answer_text: str, quotes: Sequence[str], question: Question) -> tuple[str, ...]:
    """The statements of an answer that its quotes do not express; empty if they express enough of it."""
    quoted = _Quoted(quotes)
    asked = frozenset(map(stem, words(question.text)))
    clauses = [(clause, _content(clause, asked)) for clause in _clauses(answer_text)]
    covered = [(clause, quoted.covers(content)) for clause, content in clauses if content]
    denied = [clause for clause, _ in clauses if quoted.is_denied_by(clause)]
    size = sum(len(shares) for _, shares in covered)
    if size and sum(sum(shares) for _, shares in covered) < MIN_COVERED * size:
        worst, _ = min(covered, key=lambda each: sum(each[1]) / len(each[1]))
        denied.append(worst)
    elif size and not quoted.is_relevant(question):
        denied.append(covered[0][0])
    return tuple(dict.fromkeys(_shortened(clause) for clause in denied))


class _Quoted:
    def __init__(self, quotes: Sequence[str]) -> None:
        self._quotes = [quote for quote in quotes if not is_addressed_to_reader(quote)]
        found = dict.fromkeys(word for quote in self._quotes for word in words(quote) if len(word) > 2)
        self._words = list(found)[:_MAX_WORDS]
        self._stems = frozenset(map(stem, self._words))
        self._vectors = _encoded(self._words)

    def covers(self, content: Sequence[str]) -> list[float]:
        """For each word, from 0 to 1: to what degree the quotes have it or a similar one."""
        if not self._words:
            return [0.0] * len(content)
        nearest = (_encoded(content) @ self._vectors.T).max(axis=1)
        similar = np.clip((nearest - _UNRELATED) / (_SAME - _UNRELATED), 0, 1)
        return [1.0 if stem(word) in self._stems else float(share) for word, share in zip(content, similar, strict=True)]

    def is_relevant(self, question: Question) -> bool:
        about = _encoded([f"{question.text} {question.query}"])
        return bool((_encoded(self._quotes) @ about.T).max(initial=0.0) >= MIN_RELEVANCE)

    def is_denied_by(self, clause: str) -> bool:
        """ "Without augmentation" denies a quote on augmentation that has no negation itself."""
        for match in _NEGATION.finditer(clause):
            after = clause[match.end() : match.end() + 60]
            if _ABOUT_REPORTING.search(after):
                continue
            denied = {stem(word) for word in words(after)[:_AFTER_NEGATION] if len(word) > 3} - _GENERAL_STEMS
            affirmed = [quote for quote in self._quotes if not _NEGATIVE.search(quote)]
            if denied and any(denied <= set(map(stem, words(quote))) for quote in affirmed):
                return True
        return False


def _clauses(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        yield from (clause for clause in _CLAUSE_END.split(text[start:end]) if clause.strip())


def _content(clause: str, asked: frozenset[str]) -> list[str]:
    """Without numbers, which grounding.py compares by value, and the words of the question."""
    found = [word for word in words(clause) if len(word) > 2 and not word.isdigit()]
    return [word for word in found if stem(word) not in _GENERAL_STEMS | asked][:_MAX_WORDS]


def _encoded(texts: Sequence[str]) -> Matrix:
    return load_vectors().encode(texts) if texts else np.zeros((0, 1), np.float32)


def _shortened(clause: str) -> str:
    plain = " ".join(clause.split()).strip(" .,")
    return plain if len(plain) <= _LONGEST_CLAIM else plain[:_LONGEST_CLAIM].rsplit(" ", 1)[0] + " ..."
