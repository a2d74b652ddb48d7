"""Which cells should people look at? A draw that is the same for the same seed, spread evenly over what matters."""

import bisect
import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from methodlens.ledger.overview import CellSummary


class By(StrEnum):
    """What a draw is spread over."""

    QUESTION = "question"
    VERDICT = "verdict"
    DISAGREEMENT = "disagreement"
    PAPER = "paper"


def draw(candidates: Iterable[CellSummary], n: int, *, by: Sequence[By], seed: int) -> list[CellSummary]:
    """`n` of them, one from each stratum in turn, so that rare kinds are seen as often as frequent ones.

    In whichever order they come, the same are drawn; and no more than `n` of a stratum are held, however many there are.
    """
    urn = Urn(n, by=by, seed=seed)
    for one in candidates:
        urn.add(one)
    return urn.drawn()


class Urn:
    """A draw into which candidates are put one by one, for who goes through them for other reasons too."""

    def __init__(self, n: int, *, by: Sequence[By], seed: int) -> None:
        self._n, self._by, self._seed = max(n, 0), by, seed
        self._strata: dict[tuple[str, ...], list[tuple[bytes, str, str, CellSummary]]] = {}

    def add(self, one: CellSummary) -> bool:
        """Whether it may still be drawn."""
        group = self._strata.setdefault(stratum(one, self._by), [])
        entry = (lot(one, self._seed), one.paper, one.question, one)
        if len(group) >= self._n and (not group or entry[:3] > group[-1][:3]):
            return False
        bisect.insort(group, entry, key=lambda held: held[:3])
        del group[self._n :]
        return True

    def drawn(self) -> list[CellSummary]:
        chance = random.Random(self._seed)  # noqa: S311  (a draw that can be repeated, no secret)
        waiting = [[one for *_, one in reversed(self._strata[key])] for key in sorted(self._strata)]
        drawn: list[CellSummary] = []
        while waiting and len(drawn) < self._n:
            chance.shuffle(waiting)
            drawn += [group.pop() for group in waiting[: self._n - len(drawn)]]
            waiting = [group for group in waiting if group]
        return drawn


def lot(one: CellSummary, seed: int) -> bytes:
    """A number that depends on nothing but the cell and the seed."""
    return hashlib.blake2b(f"{seed}\0{one.paper}\0{one.question}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def stratum(one: CellSummary, by: Sequence[By]) -> tuple[str, ...]:
    return tuple(_KINDS[key](one) for key in by)


_KINDS: Mapping[By, Callable[[CellSummary], str]] = {
    By.QUESTION: lambda one: one.question,
    By.VERDICT: lambda one: one.verdict.value,
    By.DISAGREEMENT: lambda one: "split" if one.split else "agreed",
    By.PAPER: lambda one: one.paper,
}


def most_doubtful_first(drawn: Sequence[CellSummary]) -> list[CellSummary]:
    """Active order: the cells on which readers contradict each other, then by doubt. A label there teaches most."""
    return sorted(drawn, key=doubtfulness)


def doubtfulness(one: CellSummary) -> tuple[bool, float, str, str]:
    """The smaller, the sooner a person should look."""
    return (not one.split, -one.doubt, one.paper, one.question)


def shuffled(drawn: Sequence[CellSummary], *, seed: int) -> list[CellSummary]:
    """For blind sheets: an order that gives nothing away."""
    order = sorted(drawn, key=lambda one: (one.paper, one.question))
    random.Random(seed).shuffle(order)  # noqa: S311
    return order
