"""Are probabilities calibrated? Of the cells with p = 0.8, about 80% should be reported."""

from collections.abc import Sequence

from msgspec import Struct


class CalibrationBin(Struct, frozen=True):
    n: int
    mean_p: float
    share_yes: float


class Calibration(Struct, frozen=True):
    """`brier` is the mean squared error, `ece` the expected calibration error over the bins."""

    reader: str
    n: int
    brier: float
    ece: float
    bins: tuple[CalibrationBin, ...]


def calibration(reader: str, pairs: Sequence[tuple[bool, float]], *, bins: int = 10) -> Calibration:
    """From (truth, probability) pairs, at least one. Empty bins are omitted."""
    groups: dict[int, list[tuple[bool, float]]] = {}
    for truth, p in pairs:
        groups.setdefault(min(int(p * bins), bins - 1), []).append((truth, p))
    filled = tuple(
        CalibrationBin(len(group), sum(p for _, p in group) / len(group), sum(truth for truth, _ in group) / len(group))
        for _, group in sorted(groups.items())
    )
    return Calibration(
        reader=reader,
        n=len(pairs),
        brier=sum((p - truth) ** 2 for truth, p in pairs) / len(pairs),
        ece=sum(group.n * abs(group.mean_p - group.share_yes) for group in filled) / len(pairs),
        bins=filled,
    )
