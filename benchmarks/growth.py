"""Projections from small corpora to large ones: growth, ratios, and estimates for millions of papers."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

_WARM = 1000  # papers until caches and arenas have reached their size
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
    """None without a browser."""
    samples: Sequence[Sample]
    peak_kb: int
    most_workers_kb: int
    ledger_mb: float
    html_mb: float

    @property
    def last(self) -> Sample:
        """When the last paper was stored, before the report is written."""
        return self.samples[-1] if self.samples else Sample(0, 0, 0)

    @property
    def growth(self) -> float | None:
        """Bytes by which the driver grows per paper after the first thousand; None for smaller corpora."""
        if self.papers < 2 * _WARM:
            return None
        points = [(sample.papers, sample.driver_kb * 1024.0) for sample in self.samples if sample.papers >= _WARM]
        return slope(points)

    @property
    def cpu_per_paper(self) -> tuple[float, float]:
        """CPU seconds per paper, of all processes and of the driver: fitted, so that startup is excluded."""
        late = [sample for sample in self.samples if sample.papers >= self.papers // 10]
        all_s, driver_s = (
            slope([(sample.papers, getattr(sample, column)) for sample in late])
            or getattr(self.last, column) / max(1, self.papers)
            for column in ("cpu_s", "driver_cpu_s")
        )
        return all_s, driver_s


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Least squares; None for fewer than three different x."""
    if len({x for x, _ in points}) < 3:
        return None
    mean_x, mean_y = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) * (x - mean_x) for x, _ in points)


def ratios(runs: Iterable[Measured]) -> Iterator[str]:
    """More workers compared with fewer, for the same papers and kind of engine."""
    ordered = sorted(runs, key=lambda run: (run.papers, _kind(run), _many(run)))
    for (papers, kind), same in groupby(ordered, key=lambda run: (run.papers, _kind(run))):
        first, *others = same
        for more in others:
            faster = (more.papers / more.seconds) / (first.papers / first.seconds)
            dearer = more.last.cpu_s / first.last.cpu_s
            yield (
                f"{papers:,} papers, {kind}: {_many(more)} over {_many(first)}: "
                f"{faster:.2f} times the papers per second, {dearer:.2f} times the CPU seconds"
            )


def between_runs(runs: Iterable[Measured]) -> Iterator[str]:
    """The memory of the driver for a larger corpus compared with a smaller one, for the same engine."""
    ordered = sorted(runs, key=lambda run: (run.engine, run.papers))
    for engine, same in groupby(ordered, key=lambda run: run.engine):
        few, *others = same
        for many in others:
            more = many.papers - few.papers
            if more:
                ends, peaks = (
                    (b - a) * 1024 / more for a, b in ((few.last.driver_kb, many.last.driver_kb), (few.peak_kb, many.peak_kb))
                )
                yield (
                    f"{engine}: from {few.papers:,} to {many.papers:,} papers the driver grew by {ends:,.0f} bytes per paper"
                    f" until the last was stored, by {peaks:,.0f} at its peak (the report)"
                )


def projected(runs: Iterable[Measured]) -> Iterator[str]:
    """From the largest run of each engine, assuming similar papers and sufficient storage."""
    largest = {run.engine: run for run in sorted(runs, key=lambda run: run.papers)}
    for run in largest.values():
        each, driver = run.cpu_per_paper
        if driver > each / 2:
            yield f"{run.engine}: the driver did the papers itself; more cores would not help"
            continue
        yield f"{run.engine}: if papers are like these {run.papers:,}, on {_CORES} idle cores"
        for papers in _MILLIONS:
            growth = run.growth
            memory = "" if growth is None else f", {(run.last.driver_kb * 1024 + max(growth, 0.0) * papers) / 1e9:.1f} GB for it"
            yield (
                f"  {papers / 1e6:.0f} million: {papers * each / _CORES / 3600:,.1f} hours on the cores"
                f" ({each:.3f} CPU s per paper), {papers * driver / 3600:,.1f} hours of one driver ({driver:.4f}){memory},"
                f" a ledger of {run.ledger_mb / run.papers * papers / 1000:,.0f} GB"
            )


def _kind(run: Measured) -> str:
    return run.engine.partition(":")[0]


def _many(run: Measured) -> int:
    return int(run.engine.partition(":")[2] or 1)
