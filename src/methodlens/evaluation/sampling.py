"""Select cells for people to annotate: a stratified sample that depends only on the cells and the seed."""

import bisect
import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from methodlens.ledger.overview import CellSummary


class StratifyBy(StrEnum):
    QUESTION = "question"
    VERDICT = "verdict"
    DISAGREEMENT = "disagreement"
    PAPER = "paper"


def stratified_sample(cells: Iterable[CellSummary], n: int, *, by: Sequence[StratifyBy], seed: int) -> list[CellSummary]:
    """Draw `n` cells, one per stratum in turn, so that rare strata are not drowned out by frequent ones.

    The order of `cells` does not matter. At most `n` cells per stratum are held in memory.
    """
    sample = StratifiedSample(n, by=by, seed=seed)
    for cell in cells:
        sample.add(cell)
    return sample.draw()


class StratifiedSample:
    """The incremental form of `stratified_sample`."""

    def __init__(self, n: int, *, by: Sequence[StratifyBy], seed: int) -> None:
        self._n, self._by, self._seed = max(n, 0), by, seed
        self._strata: dict[tuple[str, ...], list[tuple[bytes, str, str, CellSummary]]] = {}

    def add(self, cell: CellSummary) -> bool:
        """Returns False if the cell can no longer be drawn."""
        group = self._strata.setdefault(stratum(cell, self._by), [])
        entry = (sampling_key(cell, self._seed), cell.paper, cell.question, cell)
        if len(group) >= self._n and (not group or entry[:3] > group[-1][:3]):
            return False
        bisect.insort(group, entry, key=lambda held: held[:3])
        del group[self._n :]
        return True

    def draw(self) -> list[CellSummary]:
        generator = random.Random(self._seed)  # noqa: S311  (reproducible sampling, not security)
        remaining = [[cell for *_, cell in reversed(self._strata[key])] for key in sorted(self._strata)]
        drawn: list[CellSummary] = []
        while remaining and len(drawn) < self._n:
            generator.shuffle(remaining)
            drawn += [group.pop() for group in remaining[: self._n - len(drawn)]]
            remaining = [group for group in remaining if group]
        return drawn


def sampling_key(cell: CellSummary, seed: int) -> bytes:
    """A pseudo-random key that depends only on the cell and the seed."""
    return hashlib.blake2b(f"{seed}\0{cell.paper}\0{cell.question}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def stratum(cell: CellSummary, by: Sequence[StratifyBy]) -> tuple[str, ...]:
    return tuple(_STRATUM_OF[key](cell) for key in by)


_STRATUM_OF: Mapping[StratifyBy, Callable[[CellSummary], str]] = {
    StratifyBy.QUESTION: lambda cell: cell.question,
    StratifyBy.VERDICT: lambda cell: cell.verdict.value,
    StratifyBy.DISAGREEMENT: lambda cell: "split" if cell.split else "agreed",
    StratifyBy.PAPER: lambda cell: cell.paper,
}


def most_uncertain_first(cells: Sequence[CellSummary]) -> list[CellSummary]:
    """Active-learning order: cells on which readers contradict each other, then by uncertainty."""
    return sorted(cells, key=review_priority)


def review_priority(cell: CellSummary) -> tuple[bool, float, str, str]:
    """A sort key; the smallest should be reviewed first."""
    return (not cell.split, -cell.uncertainty, cell.paper, cell.question)


def shuffled(cells: Sequence[CellSummary], *, seed: int) -> list[CellSummary]:
    """For blind sheets: an order that reveals nothing about the verdicts."""
    order = sorted(cells, key=lambda cell: (cell.paper, cell.question))
    random.Random(seed).shuffle(order)  # noqa: S311
    return order
