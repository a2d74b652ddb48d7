"""Agreement of several raters, checked against statsmodels and the published worked examples."""

import math
import random
from collections import Counter
from collections.abc import Hashable

import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import fleiss_kappa as their_fleiss

from methodlens.evaluation.raters import (
    fleiss_kappa,
    group_agreement,
    group_from_counts,
    krippendorff_alpha,
    mcnemar_p,
    pair_agreement,
    pairwise_agreement,
    pairwise_from_counts,
)


@pytest.mark.parametrize("seed", range(10))
def test_fleiss_kappa_equals_that_of_statsmodels(seed: int) -> None:
    chance = random.Random(seed)
    raters = chance.randint(2, 8)
    units = [[chance.choice("abc") for _ in range(raters)] for _ in range(30)]
    table = [[unit.count(label) for label in "abc"] for unit in units]
    assert fleiss_kappa(Counter(map(tuple, units))) == pytest.approx(their_fleiss(table), abs=1e-9)


def test_fleiss_kappa_refuses_units_of_different_size() -> None:
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa(Counter([("a", "b"), ("a",)]))


def test_alpha_is_that_of_krippendorffs_binary_example() -> None:
    """Krippendorff (2011), "Computing Krippendorff's alpha-reliability", A: binary data, two observers, no missing data:
    4 mismatches in 10 units, 14 zeros and 6 ones; alpha = 1 - 19 * 4 / (14 * 6) = 0.095."""
    first, second = "0100000010", "1110010000"
    units: Counter[tuple[Hashable, ...]] = Counter(zip(first, second, strict=True))
    assert krippendorff_alpha(units) == pytest.approx(1 - 19 * 4 / (14 * 6), abs=1e-12)
    assert round(krippendorff_alpha(units), 3) == 0.095


def test_alpha_with_missing_labels_is_that_of_the_worked_example() -> None:
    """The three coders of https://en.wikipedia.org/wiki/Krippendorff%27s_alpha#A_computational_example: 26 pairable values,
    nominal alpha 0.691."""
    coders = ("*****34121133*3", "1*213343*******", "**21344*21133*4")
    rated = (tuple(label for label in unit if label != "*") for unit in zip(*coders, strict=True))
    units: Counter[tuple[Hashable, ...]] = Counter(unit for unit in rated if len(unit) > 1)
    assert krippendorff_alpha(units) == pytest.approx(1 - 25 * 3 / 243, abs=1e-12)
    assert round(krippendorff_alpha(units), 3) == 0.691


def test_agreement_is_undefined_if_all_labels_are_the_same() -> None:
    assert math.isnan(krippendorff_alpha(Counter({("a", "a"): 2})))
    assert math.isnan(fleiss_kappa(Counter({("a", "a"): 2})))
    assert math.isnan(krippendorff_alpha(Counter()))


@pytest.mark.parametrize(("b", "c"), [(1, 9), (0, 5), (12, 12), (0, 0), (300, 340), (3, 1)])
def test_mcnemar_equals_the_exact_test_of_statsmodels(b: int, c: int) -> None:
    if b + c:
        assert mcnemar_p(b, c) == pytest.approx(mcnemar([[7, b], [c, 9]], exact=True).pvalue, abs=1e-9)
    else:
        assert mcnemar_p(b, c) == 1.0


def test_two_raters_are_compared_on_the_cells_that_both_decided() -> None:
    first = {("a", "Q1"): True, ("a", "Q2"): False, ("b", "Q1"): True}
    second = {("a", "Q1"): True, ("a", "Q2"): True, ("b", "Q9"): True}
    result = pair_agreement({"ann": first, "bob": second}, "ann", "bob")
    assert (result.n, result.agreed, result.agreement) == (2, 1, 0.5)
    together = group_agreement({"ann": first, "bob": second})
    assert (together.complete, together.pairable) == (2, 2)


@pytest.mark.parametrize("seed", range(5))
def test_statistics_from_pattern_counts_equal_those_from_cells(seed: int) -> None:
    """And both match their definitions."""
    chance = random.Random(seed)
    cells = [(f"{paper}.pdf", f"Q{question}") for paper in range(20) for question in range(3)]
    ratings = {name: {cell: chance.random() < 0.6 for cell in cells if chance.random() < 0.8} for name in ("ann", "bob", "cy")}
    counted = Counter(tuple(rated.get(cell) for rated in ratings.values()) for cell in cells)
    units = [[rated[cell] for rated in ratings.values() if cell in rated] for cell in cells]
    result = group_from_counts(tuple(ratings), counted)
    assert result == group_agreement(ratings)
    assert (result.complete, result.pairable) == (sum(len(unit) == 3 for unit in units), sum(len(unit) > 1 for unit in units))
    table = [[unit.count(label) for label in (True, False)] for unit in units if len(unit) == 3]
    assert result.fleiss_kappa == pytest.approx(their_fleiss(table), abs=1e-9)
    assert result.alpha == pytest.approx(krippendorff_alpha(Counter(tuple(unit) for unit in units if len(unit) > 1)), abs=1e-12)
    assert pairwise_from_counts(tuple(ratings), counted) == pairwise_agreement(ratings)
    shared = [cell for cell in ratings["ann"] if cell in ratings["cy"]]
    agreed = sum(ratings["ann"][cell] == ratings["cy"][cell] for cell in shared)
    assert (pairwise_agreement(ratings)[1].n, pairwise_agreement(ratings)[1].agreed) == (len(shared), agreed)
