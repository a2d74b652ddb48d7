"""McNemar's exact test: does one reader err on cells where another does not more often than chance would have it?"""

import math

from msgspec import Struct


class McNemar(Struct, frozen=True):
    """On how many cells only one of the two was right, and the two-sided probability of so uneven a split by chance.

    Cells of one paper are not independent, so a p near the border should not be leant on.
    """

    first: str
    second: str
    only_first: int
    only_second: int
    p: float


def exact_p(only_first: int, only_second: int) -> float:
    """
    >>> exact_p(1, 9)
    0.021484375
    """
    n, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    both: int = 2**n
    return min(1.0, 2 * tail / both)  # whole numbers until here, so that thousands of cells lose nothing
