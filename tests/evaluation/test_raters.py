"""Agreement of several raters: Fleiss and Krippendorff, against statsmodels and the worked examples of the authors."""

import math
import random
from collections import Counter

import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import fleiss_kappa as their_fleiss

from methodlens.evaluation.mcnemar import exact_p
from methodlens.evaluation.raters import fleiss_kappa, group, group_counted, krippendorff_alpha, pair, pairs, pairs_counted


@pytest.mark.parametrize("seed", range(10))
def test_fleiss_kappa_equals_that_of_statsmodels(seed: int) -> None:
    chance = random.Random(seed)
    raters = chance.randint(2, 8)
    units = [[chance.choice("abc") for _ in range(raters)] for _ in range(30)]
    table = [[unit.count(label) for label in "abc"] for unit in units]
    assert fleiss_kappa(units) == pytest.approx(their_fleiss(table), abs=1e-9)


def test_fleiss_kappa_refuses_units_of_different_size() -> None:
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa([["a", "b"], ["a"]])


def test_alpha_is_that_of_krippendorffs_binary_example() -> None:
    """Krippendorff (2011), "Computing Krippendorff's alpha-reliability", A: binary data, two observers, no missing data:
    4 mismatches in 10 units, 14 zeros and 6 ones; alpha = 1 - 19 * 4 / (14 * 6) = 0.095."""
    first, second = "0100000010", "1110010000"
    units = list(zip(first, second, strict=True))
    assert krippendorff_alpha(units) == pytest.approx(1 - 19 * 4 / (14 * 6), abs=1e-12)
    assert round(krippendorff_alpha(units), 3) == 0.095


def test_alpha_with_missing_labels_is_that_of_the_worked_example() -> None:
    """The three coders of https://en.wikipedia.org/wiki/Krippendorff%27s_alpha#A_computational_example: 26 pairable values,
    nominal alpha 0.691."""
    coders = ("*****34121133*3", "1*213343*******", "**21344*21133*4")
    units = [[label for label in unit if label != "*"] for unit in zip(*coders, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(1 - 25 * 3 / 243, abs=1e-12)
    assert round(krippendorff_alpha(units), 3) == 0.691


def test_with_one_label_all_over_there_is_nothing_to_agree_on() -> None:
    assert math.isnan(krippendorff_alpha([["a", "a"], ["a", "a"]]))
    assert math.isnan(fleiss_kappa([["a", "a"], ["a", "a"]]))
    assert math.isnan(krippendorff_alpha([]))


@pytest.mark.parametrize(("b", "c"), [(1, 9), (0, 5), (12, 12), (0, 0), (300, 340), (3, 1)])
def test_mcnemar_equals_the_exact_test_of_statsmodels(b: int, c: int) -> None:
    if b + c:
        assert exact_p(b, c) == pytest.approx(mcnemar([[7, b], [c, 9]], exact=True).pvalue, abs=1e-9)
    else:
        assert exact_p(b, c) == 1.0


def test_two_raters_are_compared_on_the_cells_both_decided() -> None:
    first = {("a", "Q1"): True, ("a", "Q2"): False, ("b", "Q1"): True}
    second = {("a", "Q1"): True, ("a", "Q2"): True, ("b", "Q9"): True}
    found = pair({"ann": first, "bob": second}, "ann", "bob")
    assert (found.n, found.agreed, found.agreement) == (2, 1, 0.5)
    together = group({"ann": first, "bob": second})
    assert (together.complete, together.pairable) == (2, 2)


@pytest.mark.parametrize("seed", range(5))
def test_the_figures_follow_from_how_often_each_pattern_occurs(seed: int) -> None:
    """Cell by cell, or counted while the cells go by: the same, and as their definitions have it."""
    chance = random.Random(seed)
    cells = [(f"{paper}.pdf", f"Q{question}") for paper in range(20) for question in range(3)]
    ratings = {name: {cell: chance.random() < 0.6 for cell in cells if chance.random() < 0.8} for name in ("ann", "bob", "cy")}
    counted = Counter(tuple(rated.get(cell) for rated in ratings.values()) for cell in cells)
    units = [[rated[cell] for rated in ratings.values() if cell in rated] for cell in cells]
    found = group_counted(tuple(ratings), counted)
    assert found == group(ratings)
    assert (found.complete, found.pairable) == (sum(len(unit) == 3 for unit in units), sum(len(unit) > 1 for unit in units))
    table = [[unit.count(label) for label in (True, False)] for unit in units if len(unit) == 3]
    assert found.fleiss_kappa == pytest.approx(their_fleiss(table), abs=1e-9)
    assert found.alpha == pytest.approx(krippendorff_alpha(units), abs=1e-12)
    assert pairs_counted(tuple(ratings), counted) == pairs(ratings)
    shared = [cell for cell in ratings["ann"] if cell in ratings["cy"]]
    agreed = sum(ratings["ann"][cell] == ratings["cy"][cell] for cell in shared)
    assert (pairs(ratings)[1].n, pairs(ratings)[1].agreed) == (len(shared), agreed)
