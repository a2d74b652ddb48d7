"""Does a probability mean what it says? Of the cells a reader gives 0.8, about 80% should be reported."""

from collections.abc import Sequence

from msgspec import Struct

BINS = 10


class Bin(Struct, frozen=True):
    n: int
    mean_p: float
    share_yes: float


class Calibration(Struct, frozen=True):
    """`brier` is the mean squared error; `ece` the mean distance of a bin from the diagonal, weighted by its cells."""

    reader: str
    n: int
    brier: float
    ece: float
    bins: tuple[Bin, ...]


def calibration(reader: str, pairs: Sequence[tuple[bool, float]], *, bins: int = BINS) -> Calibration:
    """From (truth, probability) pairs, one at least; empty bins are left out."""
    groups: dict[int, list[tuple[bool, float]]] = {}
    for truth, p in pairs:
        groups.setdefault(min(int(p * bins), bins - 1), []).append((truth, p))
    found = tuple(
        Bin(len(group), sum(p for _, p in group) / len(group), sum(truth for truth, _ in group) / len(group))
        for _, group in sorted(groups.items())
    )
    return Calibration(
        reader=reader,
        n=len(pairs),
        brier=sum((p - truth) ** 2 for truth, p in pairs) / len(pairs),
        ece=sum(one.n * abs(one.mean_p - one.share_yes) for one in found) / len(pairs),
        bins=found,
    )
