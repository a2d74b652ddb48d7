"""Which clauses of the quotes an answer is made of: those whose words people would use to answer the question."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from methodlens.readers.embedded.clauses import Clause, Role
from methodlens.records import Question

MOST_WORDS = 90
"""Of an answer, facts included, before a clause is added."""
# The least mean probability of a clause's new words: F1 is highest at about half its own value. Facts say most of an answer;
# where there are none, the steps are wanted.
_ENOUGH, _ENOUGH_WITH_FACTS = 0.14, 0.18
_FEWEST_NEW = 3  # words; a clause with fewer repeats what is said
_TOKEN = re.compile(r"[^\W\d_]{3,}|\d[\d.,]*\d|\d")
_LONG_CLAUSE = 25  # words
_COMMON = frozenset(
    """the and for with was were are that this from which has have had been their they its not but also into our than then
    using used use per each all any both paper author authors model models data deep learning these
    those such other can may will""".split()
)


class WordWeights(Struct, frozen=True):
    """What speaks for a word as one of the answer, fitted by logistic regression to answers that people wrote."""

    start: float = -0.67
    in_question: float = 0.07
    in_query: float = 0.62
    in_signs: float = 0.83
    number: float = 0.70
    name: float = 0.64
    in_fact: float = 1.15
    frequency: float = 0.33
    """Times the logarithm of the share of the context's sentences that have it."""
    several_quotes: float = 0.94
    behind: float = -0.19
    """Times how far the quote's learned score is behind the best one's, at most `MOST_BEHIND`."""
    first_quote: float = 0.14
    late_quote: float = -0.33
    leading: float = -0.65
    trailing: float = -0.37
    bracketed: float = -0.11
    long_clause: float = -0.49
    ing: float = -0.28
    ed: float = -0.42


WEIGHTS = WordWeights()


MOST_BEHIND = 4.0


class QuotedClause(Struct, frozen=True):
    """A clause and the index of its quote."""

    clause: Clause
    quote: int
    behind: float = 0.0
    """How far the quote's learned score is behind the best one's."""
    opens: bool = True
    """It may open a sentence of the answer."""
    continues: bool = False
    """Else it may follow the clause before, which is the one it refers to."""


class Topic(Struct, frozen=True):
    """What the words of a clause are compared with."""

    question: frozenset[str]
    query: frozenset[str]
    signs: frozenset[str]
    facts: frozenset[str]
    frequency: Counter[str]
    """Sentences of the context by word."""
    sentences: int
    quotes: Counter[str]
    """Quotes by word."""


@lru_cache(maxsize=4096)  # consecutive questions see the same sentences
def stems(text: str) -> frozenset[str]:
    """The content words of a text, cut to six letters so that "annotated" matches "annotation"; numbers are whole."""
    return frozenset(token[:6] if token[0].isalpha() else token for token in _TOKEN.findall(text.lower()) if token not in _COMMON)


def topic(question: Question, quotes: Sequence[str], context: Sequence[str], facts: str) -> Topic:
    asked, query, signs = _asked(question)
    frequency = Counter(word for sentence in context for word in stems(sentence))
    return Topic(
        asked, query, signs, stems(facts), frequency, len(context), Counter(word for quote in quotes for word in stems(quote))
    )


@lru_cache(maxsize=512)
def _asked(question: Question) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return stems(f"{question.title} {question.text}"), stems(question.query), stems(" ".join(question.signs))


def choose_clauses(candidates: Sequence[QuotedClause], about: Topic, said: str) -> list[int]:
    """The indices of the clauses to keep, in order. `said` is what the answer says already; if that is nothing, the best quote
    is among them."""
    probabilities = [_probabilities(each, about) for each in candidates]
    known = set(stems(said))
    size = len(said.split())
    chosen: set[int] = set()
    enough = _ENOUGH_WITH_FACTS if said else _ENOUGH
    while (index := _next(candidates, probabilities, known, size, chosen, enough)) is not None:
        chosen.add(index)
        known |= set(probabilities[index])
        size += len(candidates[index].clause.text.split())
    return sorted(chosen)


def _next(
    candidates: Sequence[QuotedClause],
    probabilities: Sequence[dict[str, float]],
    known: set[str],
    size: int,
    chosen: set[int],
    enough: float,
) -> int | None:
    """The clause whose new words fit best, or None if none of those left fits well enough."""
    if not size:
        mains = [index for index, each in enumerate(candidates) if each.clause.role is Role.MAIN]
        opening = [index for index in mains if candidates[index].opens] or mains
        return min(opening, key=lambda index: (candidates[index].quote, -sum(probabilities[index].values())), default=None)
    best, most = None, enough
    for index, each in enumerate(candidates):
        new = [p for word, p in probabilities[index].items() if word not in known]
        fits = size + len(each.clause.text.split()) <= MOST_WORDS
        if index not in chosen and len(new) >= _FEWEST_NEW and fits and _attaches(index, candidates, chosen):
            mean = sum(new) / len(new)
            if mean > most:
                best, most = index, mean
    return best


def _attaches(index: int, candidates: Sequence[QuotedClause], chosen: Iterable[int]) -> bool:
    """A main clause can always be added; one that opens a sentence with it, and one that follows only after its own."""
    each = candidates[index]
    if each.clause.role is Role.MAIN:
        before = candidates[index - 1].quote
        return each.opens or (each.continues and any(candidates[other].quote == before for other in chosen))
    neighbour = index + 1 if each.clause.role is Role.LEADING else index - 1
    return neighbour in chosen and candidates[neighbour].quote == each.quote


def _probabilities(each: QuotedClause, about: Topic) -> dict[str, float]:
    """Each content word of the clause, with the probability that people would use it in their answer."""
    tokens = _TOKEN.findall(each.clause.text)
    base = (
        WEIGHTS.start
        + WEIGHTS.behind * min(MOST_BEHIND, each.behind)
        + WEIGHTS.first_quote * (each.quote == 0)
        + WEIGHTS.late_quote * (each.quote >= 2)
        + WEIGHTS.long_clause * (len(tokens) > _LONG_CLAUSE)
        + {Role.LEADING: WEIGHTS.leading, Role.TRAILING: WEIGHTS.trailing, Role.BRACKETED: WEIGHTS.bracketed}.get(
            each.clause.role, 0.0
        )
    )
    probabilities: dict[str, float] = {}
    for position, token in enumerate(tokens):
        lower = token.lower()
        word = lower[:6] if lower[0].isalpha() else lower
        if lower in _COMMON or word in probabilities:
            continue
        total = (
            base
            + WEIGHTS.in_question * (word in about.question)
            + WEIGHTS.in_query * (word in about.query)
            + WEIGHTS.in_signs * (word in about.signs)
            + WEIGHTS.number * token[0].isdigit()
            + WEIGHTS.name * (any(char.isupper() for char in token[1:]) or (position > 0 and token[0].isupper()))
            + WEIGHTS.in_fact * (word in about.facts)
            + WEIGHTS.frequency * math.log((about.frequency[word] + 0.5) / max(1, about.sentences))
            + WEIGHTS.several_quotes * (about.quotes[word] > 1)
            + WEIGHTS.ing * lower.endswith("ing")
            + WEIGHTS.ed * lower.endswith("ed")
        )
        probabilities[word] = 1 / (1 + math.exp(-total))
    return probabilities
