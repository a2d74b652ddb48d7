"""Years of publication, pooled until each period has enough papers."""

from collections.abc import Mapping
from typing import NamedTuple

LEAST_PAPERS = 5
"""A period with fewer papers is pooled with its neighbour: the interval of its shares would span most of the scale."""
MOST_PERIODS = 12


class Period(NamedTuple):
    first: int
    last: int

    @property
    def label(self) -> str:
        """
        >>> Period(2018, 2018).label, Period(2015, 2017).label, Period(1998, 2001).label
        ('2018', '2015–17', '1998–2001')
        """
        if self.first == self.last:
            return str(self.first)
        same_century = self.first // 100 == self.last // 100
        return f"{self.first}–{self.last % 100:02d}" if same_century else f"{self.first}–{self.last}"

    @property
    def middle(self) -> float:
        return (self.first + self.last) / 2


def periods(papers: Mapping[int, int]) -> tuple[Period, ...]:
    """From the number of papers per year: consecutive years, pooled from the oldest; a small remainder joins the last period.

    >>> [period.label for period in periods({2015: 2, 2017: 4, 2018: 9, 2019: 7, 2020: 1})]
    ['2015–17', '2018', '2019–20']
    """
    least = max(LEAST_PAPERS, -(-sum(papers.values()) // (4 * MOST_PERIODS)))
    pooled: list[Period] = []
    start: int | None = None
    count = 0
    for year in sorted(papers):
        start = year if start is None else start
        count += papers[year]
        if count >= least:
            pooled.append(Period(start, year))
            start, count = None, 0
    if start is not None:
        last = max(papers)
        pooled = [*pooled[:-1], Period(pooled[-1].first, last)] if pooled else [Period(start, last)]
    while len(pooled) > MOST_PERIODS:  # the oldest years have the fewest papers
        pooled = [Period(pooled[0].first, pooled[1].last), *pooled[2:]]
    return tuple(pooled)
