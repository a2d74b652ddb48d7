"""Which clauses of the quotes an answer is made of: those whose words people would use to answer the question.

An answer is good if it has the words of people's answers and few others, measured by F1: twice the words in common, divided by
the words of both. It opens with a clause of the best quote. Others are added one by one, each time the one that raises the
expected F1 most.
"""

from collections.abc import Iterable, Mapping, Sequence

from methodlens.readers.embedded.clauses import Role
from methodlens.readers.embedded.empty_clauses import says_nothing
from methodlens.readers.embedded.word_use import QuotedClause, WordUse, stems

MOST_WORDS = 70
"""Of an answer, facts included, before a clause is added."""
_FEWEST_NEW = 2  # words; a clause with fewer repeats what is said
_LEAST_NEW = 0.4  # of the words of a clause, next to other clauses; the same
_COST = 2.5  # words that a clause costs in addition to its own: its page, and the reader's patience


def choose_clauses(
    candidates: Sequence[QuotedClause], probabilities: Sequence[Mapping[str, float]], said: str, learned: WordUse
) -> list[int]:
    """The indices of the clauses to keep, in order, at least one unless something is `said` already. `probabilities` has for
    each clause those of its words."""
    empty = frozenset(index for index, each in enumerate(candidates) if says_nothing(each.clause.text))
    later = frozenset(index for index, each in enumerate(candidates) if each.last_resort)
    for left_out in (empty | later,) if said else (empty | later, empty):
        answer = _Answer(said, learned)
        chosen: set[int] = set()
        while (index := _next(candidates, probabilities, answer, chosen, left_out)) is not None:
            chosen.add(index)
            answer.add(candidates[index].clause.text, probabilities[index])
        if chosen:
            break
    return sorted(chosen)


class _Answer:
    """The answer so far: its words, and how many of them people are expected to use."""

    def __init__(self, said: str, learned: WordUse) -> None:
        self.known = set(stems(said))
        self._quoted: set[str] = set()
        self.size = len(said.split())
        self._expected = learned.fact_share * len(self.known)
        self._theirs = learned.answer_words

    def new(self, words: Mapping[str, float]) -> list[float]:
        return [p for word, p in words.items() if word not in self.known]

    def repeats(self, words: Mapping[str, float]) -> bool:
        """Whether most of a clause is in those chosen. One that repeats the facts may say them better."""
        return len(self._quoted.intersection(words)) > (1 - _LEAST_NEW) * len(words)

    def expected_f1(self, new: Sequence[float] = ()) -> float:
        """With the new words of a clause, given by their probabilities."""
        cost = _COST if new else 0
        return 2 * (self._expected + sum(new)) / (len(self.known) + len(new) + cost + self._theirs)

    def add(self, text: str, words: Mapping[str, float]) -> None:
        self._expected += sum(self.new(words))
        self.known |= set(words)
        self._quoted |= set(words)
        self.size += len(text.split())


def _next(
    candidates: Sequence[QuotedClause],
    probabilities: Sequence[Mapping[str, float]],
    answer: _Answer,
    chosen: set[int],
    empty: frozenset[int],
) -> int | None:
    """The clause that raises the expected F1 most, or None if none does."""
    if not answer.size:
        mains = [index for index, each in enumerate(candidates) if each.clause.role is Role.MAIN and index not in empty]
        opening = [index for index in mains if candidates[index].opens] or mains
        opening = [index for index in opening if candidates[index].quote == 0] or opening
        return max(opening, key=lambda index: answer.expected_f1(answer.new(probabilities[index])), default=None)
    best, most = None, answer.expected_f1()
    for index, each in enumerate(candidates):
        fits = answer.size + len(each.clause.text.split()) <= MOST_WORDS
        if index in chosen or index in empty or not fits or not _attaches(index, candidates, chosen):
            continue
        new = answer.new(probabilities[index])
        if len(new) >= _FEWEST_NEW and not answer.repeats(probabilities[index]) and (f1 := answer.expected_f1(new)) > most:
            best, most = index, f1
    return best


def _attaches(index: int, candidates: Sequence[QuotedClause], chosen: Iterable[int]) -> bool:
    """A main clause can always be added; one that opens a sentence with it, and one that follows only after its own."""
    each = candidates[index]
    if each.clause.role is Role.MAIN:
        before = candidates[index - 1].quote
        return each.opens or (each.continues and any(candidates[other].quote == before for other in chosen))
    if each.clause.role is Role.ITEM:
        return any(candidates[other].quote == each.quote and candidates[other].clause.role is Role.MAIN for other in chosen)
    neighbour = index + 1 if each.clause.role is Role.LEADING else index - 1
    return neighbour in chosen and candidates[neighbour].quote == each.quote
