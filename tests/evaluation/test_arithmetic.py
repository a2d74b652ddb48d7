"""Confidence intervals, calibration and text similarity."""

import random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import brier_score_loss

from methodlens.evaluation.bootstrap import figures, mean_figure
from methodlens.evaluation.calibration import calibration
from methodlens.evaluation.counts import counts
from methodlens.evaluation.similarity import cosines


def papers(n: int, seed: int = 1) -> list[tuple[int, int, int, int]]:
    chance = random.Random(seed)
    return [(chance.randint(0, 9), chance.randint(0, 3), chance.randint(0, 3), chance.randint(0, 9)) for _ in range(n)]


def test_intervals_depend_only_on_the_data_and_the_seed() -> None:
    table = [counts(*row) for row in papers(20)]
    first, again, other = (figures(table, resamples=500, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert first["kappa"] != other["kappa"]


def test_an_interval_contains_its_value_and_shrinks_with_more_papers() -> None:
    few, many = (figures([counts(*row) for row in papers(n)], resamples=500, seed=7) for n in (5, 200))
    for result in (few, many):
        low, value, high = result["accuracy"].low, result["accuracy"].value, result["accuracy"].high
        assert low is not None
        assert high is not None
        assert value is not None
        assert low <= value <= high
    widths = [(result["kappa"].high or 0) - (result["kappa"].low or 0) for result in (few, many)]
    assert widths[1] < widths[0]


def test_papers_are_resampled_not_cells() -> None:
    """Two papers, one all right and one all wrong: a resample has accuracy 0, 0.5 or 1 and nothing else."""
    result = figures([counts(50, 0, 0, 50), counts(0, 50, 50, 0)], resamples=1000, seed=7)["accuracy"]
    assert (result.low, result.value, result.high) == (0.0, 0.5, 1.0)


def test_a_single_paper_has_no_interval() -> None:
    result = figures([counts(5, 1, 1, 5)], resamples=1000, seed=7)["kappa"]
    assert result.low is None
    assert result.value is not None


def test_the_mean_over_questions_skips_questions_with_undefined_kappa() -> None:
    defined, undefined = [counts(2, 0, 0, 2), counts(1, 1, 1, 1)], [counts(3, 0, 0, 0), counts(2, 0, 0, 0)]
    alone = mean_figure([defined], "kappa", resamples=100, seed=7)
    assert mean_figure([defined, undefined], "kappa", resamples=100, seed=7).value == alone.value
    assert mean_figure([undefined], "kappa", resamples=100, seed=7).value is None
    assert mean_figure([], "kappa", resamples=100, seed=7).value is None


def test_the_brier_score_equals_that_of_scikit_learn_and_the_bins_hold_every_cell() -> None:
    chance = random.Random(3)
    pairs = [(chance.random() < 0.6, chance.random()) for _ in range(200)] + [(True, 1.0), (False, 0.0)]
    result = calibration("embedded", pairs)
    assert result.brier == pytest.approx(brier_score_loss([t for t, _ in pairs], [p for _, p in pairs]), abs=1e-9)
    assert sum(group.n for group in result.bins) == len(pairs)
    assert all(0 <= group.share_yes <= 1 for group in result.bins)


def test_perfect_probabilities_lie_on_the_diagonal() -> None:
    assert calibration("r", [(True, 1.0), (False, 0.0)]).ece == 0


def test_similarity_equals_the_tf_idf_cosine_of_scikit_learn() -> None:
    texts = [
        "The barge was trained on two engines, and the engines were loud.",
        "Two loud engines; the barge has a rudder.",
        "Nothing is said about rudders.",
    ]
    vectors = TfidfVectorizer().fit_transform(texts)
    assert np.allclose(cosines(texts), (vectors @ vectors.T).toarray(), atol=1e-9)


def test_an_empty_text_is_similar_to_nothing() -> None:
    assert cosines(["", "two engines"]) == [[0.0, 0.0], [0.0, pytest.approx(1.0)]]
