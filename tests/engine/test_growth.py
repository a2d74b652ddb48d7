"""Projections of the scale benchmark follow from what was measured, and are left out where they cannot."""

from benchmarks.growth import Measured, Sample, between_runs, projected, ratios, slope


def measured(engine: str, papers: int, *, driver_s: float, seconds: float = 100.0) -> Measured:
    """A driver of 100 MB that grows by 512 bytes per paper; a paper takes half a CPU second, after a startup of two."""
    samples = [
        Sample(count, 100_000 + count // 2, 50_000, 2.0 + 0.5 * count, 1.0 + driver_s * count)
        for count in range(papers // 20, papers + 1, papers // 20)
    ]
    return Measured(engine, papers, seconds, 1.0, None, samples, 120_000 + papers, 90_000, ledger_mb=papers / 20, html_mb=1.0)


def test_a_slope_needs_three_points() -> None:
    assert slope([(1, 3.0), (2, 5.0), (4, 9.0)]) == 2.0
    assert slope([(1, 3.0), (2, 5.0)]) is None


def test_growth_is_fitted_after_the_first_thousand_papers_and_unknown_for_fewer() -> None:
    many, few = measured("local:2", 10_000, driver_s=0.005), measured("local:2", 100, driver_s=0.005)
    assert many.growth is not None
    assert round(many.growth) == 512
    assert few.growth is None
    (line,) = between_runs([few, many])
    assert "512 bytes per paper until the last was stored, by 1,024 at its peak" in line


def test_more_workers_are_compared_with_fewer_of_the_same_engine() -> None:
    one, two = measured("ray:1", 100, driver_s=0.01), measured("ray:2", 100, driver_s=0.01, seconds=50.0)
    assert list(ratios([two, one, measured("local:1", 100, driver_s=0.4)])) == [
        "100 papers, ray: 2 over 1: 2.00 times the papers per second, 1.00 times the CPU seconds"
    ]


def test_a_projection_excludes_startup_and_is_not_made_for_a_single_core_engine() -> None:
    found = [measured("local:1", 10_000, driver_s=0.45), measured("ray:2", 10_000, driver_s=0.009)]
    alone, _, one, six = projected(found)
    assert "more cores would not help" in alone
    assert "2.2 hours on the cores (0.500 CPU s per paper), 2.5 hours of one driver (0.0090), 0.6 GB for it" in one
    assert "a ledger of 300 GB" in six
