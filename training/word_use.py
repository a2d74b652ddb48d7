"""Learn which words of a quoted clause people use in their answer, from the short answers that people wrote for the gold papers.

One logistic regression for all questions together (shared_weights.py). How often people use a word, in general and for a
question, is counted in papers other than the word's own, or each answer would vouch for its own words. Only words that the quotes
of at least five papers have are shipped.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from methodlens.readers.embedded.draft import Draft
from methodlens.readers.embedded.word_use import FEATURES, LearnedWordUse, WordUse, stems, word_tables
from methodlens.records import Paper
from methodlens.text.vectors import load_vectors
from training.answer_words import AnswerWords
from training.cells import FOLDS, GoldCell, fold_of, questions
from training.layout import layout
from training.shared_weights import Array, Block, Pull, fit

IN_PAPERS = 5
"""A word's use is learned only if the quotes of this many papers have it."""
_PULL, _PULL_OWN, _PULL_START = 3.0, 100.0, 1.0
_PULL_VECTOR, _PULL_VECTOR_OWN = 20.0, 100.0
_VECTOR_SCALE = 4.0  # brings the vectors, of length 1, near the scale of the features
_WIDEST = 127
_STEPS = 80
_PRIOR, _PRIOR_HERE = 8.0, 4.0  # cells by which the use of a word is held at that of all words, and at its use in general
_PRIOR_LENGTH = 4.0  # answers by which a question's length of answers is held at that of all
_FACT_WORDS, _FACT_WORDS_USED = 10.0, 4.0  # by which the share of used fact words is held at 0.4
_MOST_EXPECTED = 0.9  # of the use of a word for a question, from its use in general
_SIZE, _WIDTH = len(FEATURES), len(FEATURES) + load_vectors().encode([]).shape[1]
_USUAL, _USUAL_HERE = FEATURES.index("usual"), FEATURES.index("usual_here")


class AnswerExample(Struct, frozen=True):
    """A gold cell that both people and the reader can answer: the words of our quotes, and those of people's answer."""

    paper: str
    cq: int
    words: Sequence[str]
    rows: Array
    """One per word of a clause: features, with empty columns for the word's usual use, then its static vector."""
    fact_words: frozenset[str]
    people: frozenset[str]

    @property
    def used(self) -> Array:
        return np.array([float(word in self.people) for word in self.words])


def examples(
    cells: Iterable[GoldCell], papers: Mapping[str, Paper], words_without: Callable[[str], AnswerWords]
) -> list[AnswerExample]:
    """The cells' sentences are scored by what was learned without their paper, and so are the words."""
    asked = questions()
    made: list[AnswerExample] = []
    for cell in cells:
        if not cell.reported or not cell.own:
            continue
        learned = words_without(cell.paper)[cell.cq]
        draft = Draft(asked[cell.cq], papers[cell.paper], cell.hits[: cell.shown], cell.own, learned)
        fact_words = stems(draft.facts_text)
        pairs = [
            (word, np.concatenate([features, vector]))
            for table in word_tables(draft.clauses, draft.topic, {}, {})
            for word, features, vector in zip(table.words, table.features, table.vectors, strict=True)
            if word not in fact_words  # they are said already
        ]
        rows = np.array([row for _, row in pairs], np.float64).reshape(len(pairs), _WIDTH)
        made.append(AnswerExample(cell.paper, cell.cq, [word for word, _ in pairs], rows, fact_words, stems(cell.answer)))
    return made


def learn(some: Sequence[AnswerExample], *, without: Collection[str] = ()) -> LearnedWordUse:
    """From all papers but these."""
    used = [one for one in some if one.paper not in without]
    usage = _Usage(used)
    of_paper = {paper: [one for one in used if one.paper == paper] for paper in {one.paper for one in used}}
    elsewhere = {paper: usage.counts - _count(cells) for paper, cells in of_paper.items()}
    by_question = {cq: [one for one in used if one.cq == cq] for cq in sorted({one.cq for one in used})}
    tables = [np.vstack([usage.fill(one, elsewhere[one.paper]) for one in cells]) for cells in by_question.values()]
    middle, spread = np.vstack(tables).mean(axis=0), np.vstack(tables).std(axis=0) + 1e-6
    middle[_SIZE:], spread[_SIZE:] = 0.0, 1 / _VECTOR_SCALE
    blocks = [
        Block((table - middle) / spread, np.concatenate([one.used for one in cells]))
        for table, cells in zip(tables, by_question.values(), strict=True)
    ]
    fitted = fit(blocks, Pull(_pulls(_PULL, _PULL_VECTOR), _pulls(_PULL_OWN, _PULL_VECTOR_OWN), _PULL_START), steps=_STEPS)
    length = float(np.mean([len(one.people) for one in used]))
    asked = questions()

    def model(weights: Array, start: float, cells: Sequence[AnswerExample], words: Mapping[str, float]) -> WordUse:
        plain = weights / spread
        vector = plain[_SIZE:]
        scale = float(f"{np.abs(vector).max() / _WIDEST:.4g}")
        lengths = [len(one.people) for one in cells]
        said = sum(len(one.fact_words) for one in cells)
        shared = sum(len(one.fact_words & one.people) for one in cells)
        return WordUse(
            start=round(start - float(plain @ middle), 3),
            features={name: round(weight, 3) for name, weight in zip(FEATURES, plain[:_SIZE].tolist(), strict=True)},
            words=words,
            answer_words=round((sum(lengths) + _PRIOR_LENGTH * length) / (len(lengths) + _PRIOR_LENGTH), 1),
            fact_share=round((shared + _FACT_WORDS_USED) / (said + _FACT_WORDS), 2),
            scale=scale,
            vector=tuple(np.clip(np.round(vector / scale), -_WIDEST, _WIDEST).astype(int).tolist()),
        )

    return LearnedWordUse(
        note="made by training/word_use.py, a part of `make verdicts`, from the answers that people wrote for the gold papers",
        words=usage.usual(),
        any_question=model(fitted.shared, fitted.start, used, {}),
        questions={
            asked[cq].id: model(
                fitted.shared + fitted.own[at], fitted.start + float(fitted.starts[at]), cells, usage.usual_here(cq)
            )
            for at, (cq, cells) in enumerate(by_question.items())
        },
    )


def _pulls(features: float, vector: float) -> Array:
    return np.concatenate([np.full(_SIZE, features), np.full(_WIDTH - _SIZE, vector)])


def unseen(some: Sequence[AnswerExample], papers: Iterable[str]) -> Callable[[str], LearnedWordUse]:
    """For any of the papers, what is learned without its fold."""
    number = fold_of(papers)
    learned = [learn(some, without=[paper for paper, at in number.items() if at == fold]) for fold in range(FOLDS)]
    return lambda paper: learned[number[paper]]


class _Counts(Struct, frozen=True):
    """In how many cells our quotes have a word, and in how many of those people use it: by question, and 0 for all questions."""

    had: Counter[tuple[int, str]]
    used: Counter[tuple[int, str]]

    def rate(self, cq: int) -> float:
        """How often people use a word of our quotes."""
        had, used = (sum(count for key, count in counts.items() if key[0] == cq) for counts in (self.had, self.used))
        return used / max(1, had)

    def __sub__(self, other: "_Counts") -> "_Counts":
        return _Counts(self.had - other.had, self.used - other.used)


def _count(some: Iterable[AnswerExample]) -> _Counts:
    had = [(key, word in one.people) for one in some for word in set(one.words) for key in ((one.cq, word), (0, word))]
    return _Counts(Counter(key for key, _ in had), Counter(key for key, used in had if used))


class _Usage:
    """How much more often people use a word than others: the logarithm of the ratio, 0 for words of few papers."""

    def __init__(self, some: Sequence[AnswerExample]) -> None:
        self.counts = _count(some)
        papers: dict[tuple[int, str], set[str]] = {}
        for one in some:
            for word in one.words:
                papers.setdefault((one.cq, word), set()).add(one.paper)
                papers.setdefault((0, word), set()).add(one.paper)
        self._known = sorted(key for key, names in papers.items() if len(names) >= IN_PAPERS and key[1][0].isalpha())
        self._is_known = frozenset(self._known)
        self._rates = {cq: self.counts.rate(cq) for cq in {0, *(one.cq for one in some)}}

    def fill(self, one: AnswerExample, counts: _Counts) -> Array:
        """The example's rows with the use of their words by these counts."""
        rows = one.rows.copy()
        rows[:, _USUAL] = [self._log_usual(word, counts) for word in one.words]
        rows[:, _USUAL_HERE] = [self._log_usual_here(one.cq, word, counts) for word in one.words]
        return rows

    def usual(self) -> dict[str, float]:
        return {word: round(self._log_usual(word, self.counts), 2) for cq, word in self._known if not cq}

    def usual_here(self, cq: int) -> dict[str, float]:
        return {word: round(self._log_usual_here(cq, word, self.counts), 2) for at, word in self._known if at == cq}

    def _in_general(self, word: str, counts: _Counts) -> float:
        return (counts.used[0, word] + _PRIOR * self._rates[0]) / (counts.had[0, word] + _PRIOR)

    def _log_usual(self, word: str, counts: _Counts) -> float:
        return math.log(self._in_general(word, counts) / self._rates[0]) if (0, word) in self._is_known else 0.0

    def _log_usual_here(self, cq: int, word: str, counts: _Counts) -> float:
        if (cq, word) not in self._is_known:
            return 0.0
        expected = min(_MOST_EXPECTED, self._in_general(word, counts) * self._rates[cq] / self._rates[0])
        used = (counts.used[cq, word] + _PRIOR_HERE * expected) / (counts.had[cq, word] + _PRIOR_HERE)
        return math.log(used / expected)


def as_file(learned: LearnedWordUse) -> str:
    plain = msgspec.to_builtins(learned)
    return layout(plain, plain.pop("questions"))
