"""Splits of the data as papers word them, and percentages, counts and folds that are none."""

from typing import Any

import pytest

from methodlens.facts import extract

KEYS = ["split", "split_counts", "cross_validation_folds"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The newts were split 70/10/20 for training, validation and testing.",
            {"split": {"train": 0.7, "validation": 0.1, "test": 0.2}},
        ),
        ("The accuracy was 95% on the training set and 80% on the test set.", {}),
        (
            "To cross-validate and test the nets we held data out: training (≈ 70%), validation (≈ 20%) and test (≈ 10%) sets.",
            {"split": {"train": 0.7, "validation": 0.2, "test": 0.1}},
        ),
        (
            "The pond corpus has 21,400, 1,500, and 1,500 clips in the training, development, and test splits, respectively.",
            {"split_counts": {"train": 21400, "validation": 1500, "test": 1500}},
        ),
        (
            "We kept 400 and 60 photos for training and testing.",
            {"split_counts": {"train": 400, "test": 60}},
        ),
        ("The beam was chosen on the Section 12 development set.", {}),
        ("The mean ratio of wet newts on the test set is about 85%.", {}),
        ("Each class has 500 training photos and 100 test photos.", {}),
        ("Only 5% of the labels of the training set were used.", {}),
        ("We increased the validation percentage to 15%.", {"split": {"validation": 0.15}}),
        (
            "The ponds were split into 310 training, 40 validation, and 60 test photos.",
            {"split_counts": {"train": 310, "validation": 40, "test": 60}},
        ),
        ("Toads of 2008 and 2009 were used for training and those of 2010 for testing.", {}),
        ("Of the 25 species in the test data, two were new.", {}),
        (
            "We used 1,200 (80 %) training and 300 (20 %) testing clips.",
            {"split_counts": {"train": 1200, "test": 300}, "split": {"train": 0.8, "test": 0.2}},
        ),
        (
            "We made training, validation and test sets of 4,000, 500 and 700 frogs, respectively.",
            {"split_counts": {"train": 4000, "validation": 500, "test": 700}},
        ),
        (
            "We trained on the full 21, 500 training images and the 3, 400 test images.",
            {"split_counts": {"train": 21500, "test": 3400}},
        ),
        ("We ran k-fold cross-validation with k = 7.", {"cross_validation_folds": 7}),
        ("We cross-validated by moving the validation set 6 times.", {"cross_validation_folds": 6}),
        ("Toad et al. (2015) used 10-fold cross-validation, but we used 5-fold cross-validation.", {"cross_validation_folds": 5}),
        ("The tadpoles grew 10-fold.", {}),
        ("The test set consisted of 272 calls.", {"split_counts": {"test": 272}}),
    ],
)
def test_shares_counts_and_folds_of_a_sentence(text: str, expected: dict[str, Any]) -> None:
    assert extract(KEYS, [text]) == expected


def test_two_splits_are_not_mixed() -> None:
    leaves = "The leaves were divided into 70% training and 30% testing."
    ponds = "The ponds were divided into 60% training, 20% validation and 20% testing."
    assert extract(["split"], [leaves, ponds]) == {"split": {"train": 0.6, "validation": 0.2, "test": 0.2}}


def test_parts_of_one_split_are_put_together() -> None:
    quotes = ["We reserved 10% of the newts for testing.", "Of the newts, 15% of the training part served for validation."]
    assert extract(["split"], quotes) == {"split": {"test": 0.1, "validation_fraction_of_train": 0.15}}


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        (["Scores are means over 10 replicate runs."], {"repeats": 10}),
        (["We averaged over 8 seeds.", "On the pond task we ran 24 random seeds."], {"repeats": [8, 24]}),
        (["Toad et al. (2018) repeated training 50 times."], {}),
        (["The frogs were fed ten times."], {}),
        (["Every pond had four repetitions of the training."], {"repeats": 4}),
        (["A newt net with k = 12 runs at twice the speed."], {}),
        (["A net of width 12 runs faster than one of width 24."], {}),
    ],
)
def test_every_number_of_repeats_is_given(quotes: list[str], expected: dict[str, Any]) -> None:
    assert extract(["repeats"], quotes) == expected
