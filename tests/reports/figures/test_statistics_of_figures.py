"""Intervals, tests for trend and agreement, against published or independently computed values."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest

from methodlens.evaluation.bootstrap import figures as bootstrap_figures
from methodlens.evaluation.counts import count
from methodlens.reports.figures.periods import LEAST_PAPERS, MOST_PERIODS, periods
from methodlens.reports.figures.proportions import PairCounts, Share, holm, trend_p
from methodlens.reports.figures.rater_pairs import PERSON, READER, Rater, RaterPairs


@pytest.mark.parametrize(
    ("yes", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (29, 29, 0.8830, 1.0)],
)
def test_wilson_intervals_are_those_that_newcombe_published(yes: int, n: int, low: float, high: float) -> None:
    """Newcombe (1998), Table I, method 3; the first with its complement."""
    assert Share(yes, n).interval == pytest.approx((low, high), abs=6e-5)


def test_a_share_of_nothing_is_undefined_and_says_nothing() -> None:
    assert math.isnan(Share(0, 0).value)
    assert Share(0, 0).interval == (0.0, 1.0)


def test_with_two_years_the_trend_test_is_the_test_of_two_proportions() -> None:
    first, second = Share(3, 40), Share(15, 50)
    pooled = 18 / 90
    z = (second.value - first.value) / math.sqrt(pooled * (1 - pooled) * (1 / 40 + 1 / 50))
    assert trend_p([(2018, first), (2021, second)]) == pytest.approx(math.erfc(z / math.sqrt(2)))


def test_no_trend_can_be_tested_where_everything_is_the_same() -> None:
    assert math.isnan(trend_p([(2018, Share(5, 5)), (2019, Share(9, 9))]))
    assert math.isnan(trend_p([(2018, Share(3, 5))]))


def test_holm_never_makes_a_p_value_smaller_or_changes_their_order() -> None:
    p_values = [0.04, 0.001, 0.03, 0.9]
    assert holm(p_values) == pytest.approx([0.09, 0.004, 0.09, 0.9])


def test_phi_is_the_correlation_of_the_two_questions() -> None:
    pair = PairCounts(12, 5, 3, 20)
    first = np.repeat([1, 1, 0, 0], pair)
    second = np.repeat([1, 0, 1, 0], pair)
    assert pair.phi == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert math.isnan(PairCounts(5, 0, 5, 0).phi)


def test_periods_cover_all_years_once_and_have_enough_papers() -> None:
    papers = {year: count for count, year in enumerate(range(1990, 2025), 1)}
    spans = periods(papers)
    assert [spans[0].first, spans[-1].last] == [1990, 2024]
    assert all(before.last < after.first for before, after in pairwise(spans))
    assert all(sum(papers.get(year, 0) for year in range(span.first, span.last + 1)) >= LEAST_PAPERS for span in spans)
    assert len(spans) <= MOST_PERIODS


def test_too_few_papers_are_one_period() -> None:
    assert [span.label for span in periods({2019: 1, 2023: 2})] == ["2019–23"]
    assert periods({}) == ()


def test_the_interval_of_kappa_is_close_to_a_bootstrap_over_papers() -> None:
    draw = random.Random(1)
    pairs = RaterPairs()
    by_paper = []
    for _ in range(150):
        likely = draw.random()  # the cells of a paper are alike
        cells = [(truth := draw.random() < likely, truth if draw.random() < 0.8 else not truth) for _ in range(10)]
        pairs.add(
            {
                Rater(READER, "a"): {str(question): first for question, (first, _) in enumerate(cells)},
                Rater(PERSON, "a"): {str(question): second for question, (_, second) in enumerate(cells)},
            }
        )
        by_paper.append(count(cells))
    (pair,) = pairs.kappas()
    expected = bootstrap_figures(by_paper, resamples=1000, seed=1)["kappa"]
    assert pair.kappa == pytest.approx(expected.value)
    assert pair.interval == pytest.approx((expected.low, expected.high), abs=0.015)
    assert (pair.papers, pair.n) == (150, 1500)


def test_raters_that_share_no_cell_are_no_pair_and_perfect_agreement_has_no_interval() -> None:
    pairs = RaterPairs()
    for _ in range(3):
        pairs.add(
            {
                Rater(READER, "a"): {"1": True, "2": False},
                Rater(READER, "b"): {"1": True, "2": False},
                Rater(PERSON, "c"): {"3": True},
            }
        )
    (pair,) = pairs.kappas()
    assert (pair.first.name, pair.second.name, pair.kappa, pair.interval) == ("a", "b", 1.0, None)
