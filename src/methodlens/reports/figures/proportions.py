"""Statistics of proportions: Wilson intervals, the Cochran-Armitage test for trend, Holm's correction, and phi."""

import math
from collections.abc import Sequence
from typing import NamedTuple

Z_95 = 1.959963984540054
"""Standard errors to each side of a 95% interval."""


class Share(NamedTuple):
    """`yes` of `n`."""

    yes: int
    n: int

    @property
    def value(self) -> float:
        return self.yes / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% score interval (Wilson 1927), which stays within 0 and 1 and works for small n.

        >>> [round(bound, 3) for bound in Share(8, 10).interval]
        [0.49, 0.943]
        """
        if not self.n:
            return 0.0, 1.0
        centre = self.value + Z_95 * Z_95 / (2 * self.n)
        spread = Z_95 * math.sqrt(self.value * (1 - self.value) / self.n + Z_95 * Z_95 / (4 * self.n * self.n))
        scale = 1 + Z_95 * Z_95 / self.n
        return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def trend_p(shares: Sequence[tuple[float, Share]]) -> float:
    """The two-sided p-value of the Cochran-Armitage test, from shares with their scores (years). NaN without variation.

    >>> round(trend_p([(0, Share(1, 20)), (1, Share(10, 20))]), 4)
    0.0014
    """
    n = sum(share.n for _, share in shares)
    pooled = sum(share.yes for _, share in shares) / n if n else 0.0
    mean = sum(score * share.n for score, share in shares) / n if n else 0.0
    spread = sum(share.n * (score - mean) ** 2 for score, share in shares)
    variance = pooled * (1 - pooled) * spread
    if variance <= 0:
        return math.nan
    z = sum(share.yes * (score - mean) for score, share in shares) / math.sqrt(variance)
    return math.erfc(abs(z) / math.sqrt(2))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for the number of tests (Holm 1979). NaN stays NaN and does not count as a test.

    >>> holm([0.01, 0.04, math.nan])
    [0.02, 0.04, nan]
    """
    order = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    adjusted = [math.nan] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        adjusted[index] = highest
    return adjusted


class PairCounts(NamedTuple):
    """Papers by what is known of two questions: both reported, only the first, only the second, neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def n(self) -> int:
        return sum(self)

    @property
    def phi(self) -> float:
        """From -1 to 1; NaN if one of the questions has the same verdict everywhere."""
        yes_1, no_1 = self.both + self.first, self.second + self.neither
        yes_2, no_2 = self.both + self.second, self.first + self.neither
        product = yes_1 * no_1 * yes_2 * no_2
        return (self.both * self.neither - self.first * self.second) / math.sqrt(product) if product else math.nan
