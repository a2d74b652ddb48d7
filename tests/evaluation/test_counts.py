"""The measures equal those of scikit-learn to 1e-9, or published examples if scikit-learn has none."""

import math
import random

import numpy as np
import pytest
from sklearn import metrics

from methodlens.evaluation.counts import MEASURES, ac1, balanced_accuracy, count, counts, kappa, precision

THEIRS = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "kappa": metrics.cohen_kappa_score,
}


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.parametrize("seed", range(20))
def test_each_measure_equals_that_of_scikit_learn(name: str, seed: int) -> None:
    chance = random.Random(seed)
    lean = chance.uniform(0.1, 0.9)
    truth = [True, False, *(chance.random() < lean for _ in range(chance.randint(3, 200)))]
    said = [True, False, *(t if chance.random() < 0.7 else not t for t in truth[2:])]
    ours = float(MEASURES[name](count(zip(truth, said, strict=True))))
    assert ours == pytest.approx(THEIRS[name](truth, said), abs=1e-9)


def test_ac1_is_that_of_gwets_worked_example() -> None:
    """Gwet (2002), "Kappa statistic is not satisfactory for assessing the extent of agreement between raters": two raters,
    125 subjects, 118 positive for both, 5 and 2 for one, none for neither. Kappa is -0.0234, AC1 is 0.9408."""
    table = counts(118, 5, 2, 0)
    assert float(kappa(table)) == pytest.approx(-0.0234, abs=5e-5)
    assert float(ac1(table)) == pytest.approx(0.9408, abs=5e-5)
    # the same by hand: agreement 118/125, mean share of positives (123 + 120) / 250
    share = 243 / 250
    chance = 2 * share * (1 - share)
    assert float(ac1(table)) == pytest.approx((118 / 125 - chance) / (1 - chance), abs=1e-12)


def test_kappa_is_that_of_cohens_textbook_table() -> None:
    """The 50 grant proposals of the usual example: 20 both yes, 5 and 10 one of the two, 15 both no; kappa 0.4."""
    assert float(kappa(counts(20, 5, 10, 15))) == pytest.approx(0.4, abs=1e-12)


def test_undefined_values_are_nan() -> None:
    only_yes = counts(5, 0, 0, 0)
    assert math.isnan(float(kappa(only_yes)))
    assert math.isnan(float(precision(counts(0, 0, 3, 4))))
    assert all(math.isnan(float(measure(counts(0, 0, 0, 0)))) for measure in MEASURES.values())


def test_balanced_accuracy_without_negatives_is_the_recall() -> None:
    assert float(balanced_accuracy(counts(3, 0, 1, 0))) == 0.75


def test_measures_accept_arrays_of_counts() -> None:
    many = counts([20, 118], [5, 5], [10, 2], [15, 0])
    assert np.allclose(kappa(many), [0.4, -0.0234], atol=5e-5)
