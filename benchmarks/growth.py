"""What figures of small corpora say about large ones: growth fitted, ratios, and a plan for millions with its assumptions."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

_WARM = 1000  # papers until caches and arenas have their size
_CORES = 64
_MILLIONS = (1_000_000, 6_000_000)


class Sample(NamedTuple):
    papers: int
    driver_kb: int
    workers_kb: int
    cpu_s: float = 0.0
    driver_cpu_s: float = 0.0


class Measured(NamedTuple):
    engine: str
    papers: int
    seconds: float
    report_s: float
    open_s: float | None
    """None where there is no browser."""
    samples: Sequence[Sample]
    peak_kb: int
    most_workers_kb: int
    ledger_mb: float
    html_mb: float

    @property
    def last(self) -> Sample:
        """When the last paper was kept; the report comes after it."""
        return self.samples[-1] if self.samples else Sample(0, 0, 0)

    @property
    def grown(self) -> float | None:
        """Bytes that the driver grows by a paper after the first thousand; None where there were not that many."""
        if self.papers < 2 * _WARM:
            return None
        points = [(one.papers, one.driver_kb * 1024.0) for one in self.samples if one.papers >= _WARM]
        return slope(points)

    @property
    def each(self) -> tuple[float, float]:
        """CPU seconds that another paper takes, of all and of the driver: fitted, so what it takes to start is left out."""
        late = [one for one in self.samples if one.papers >= self.papers // 10]
        all_s, driver_s = (
            slope([(one.papers, getattr(one, what)) for one in late]) or getattr(self.last, what) / max(1, self.papers)
            for what in ("cpu_s", "driver_cpu_s")
        )
        return all_s, driver_s


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Least squares; None for fewer than three different places."""
    if len({x for x, _ in points}) < 3:
        return None
    mean_x, mean_y = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) * (x - mean_x) for x, _ in points)


def ratios(found: Iterable[Measured]) -> Iterator[str]:
    """More workers against fewer, the same papers and kind of engine."""
    alike = sorted(found, key=lambda one: (one.papers, _kind(one), _many(one)))
    for (papers, kind), same in groupby(alike, key=lambda one: (one.papers, _kind(one))):
        first, *others = same
        for more in others:
            faster = (more.papers / more.seconds) / (first.papers / first.seconds)
            dearer = more.last.cpu_s / first.last.cpu_s
            yield (
                f"{papers:,} papers, {kind}: {_many(more)} over {_many(first)}: "
                f"{faster:.2f} times the papers a second, {dearer:.2f} times the CPU seconds"
            )


def between_runs(found: Iterable[Measured]) -> Iterator[str]:
    """What the driver takes for a larger corpus than for a smaller one, the same engine: growth as a user sees it."""
    alike = sorted(found, key=lambda one: (one.engine, one.papers))
    for engine, same in groupby(alike, key=lambda one: one.engine):
        few, *others = same
        for many in others:
            more = many.papers - few.papers
            if more:
                ends, peaks = (
                    (b - a) * 1024 / more for a, b in ((few.last.driver_kb, many.last.driver_kb), (few.peak_kb, many.peak_kb))
                )
                yield (
                    f"{engine}: from {few.papers:,} to {many.papers:,} papers the driver had {ends:,.0f} bytes a paper more"
                    f" when the last was kept, {peaks:,.0f} at its peak (the report)"
                )


def planned(found: Iterable[Measured]) -> Iterator[str]:
    """From each engine's largest run. Nothing of this is run: it holds if papers are like these, and storage delivers."""
    largest = {one.engine: one for one in sorted(found, key=lambda one: one.papers)}
    for one in largest.values():
        each, driver = one.each
        if driver > each / 2:
            yield f"{one.engine}: the driver itself did the papers; more cores would not help it"
            continue
        yield f"{one.engine}: if papers are like these {one.papers:,}, on {_CORES} cores that do nothing else"
        for papers in _MILLIONS:
            grown = one.grown
            memory = "" if grown is None else f", {(one.last.driver_kb * 1024 + max(grown, 0.0) * papers) / 1e9:.1f} GB for it"
            yield (
                f"  {papers / 1e6:.0f} million: {papers * each / _CORES / 3600:,.1f} hours on the cores"
                f" ({each:.3f} CPU s a paper), {papers * driver / 3600:,.1f} hours of one driver ({driver:.4f}){memory},"
                f" a ledger of {one.ledger_mb / one.papers * papers / 1000:,.0f} GB"
            )


def _kind(one: Measured) -> str:
    return one.engine.partition(":")[0]


def _many(one: Measured) -> int:
    return int(one.engine.partition(":")[2] or 1)
