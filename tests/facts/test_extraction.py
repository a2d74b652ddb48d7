from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.facts import catalog, extract, find
from methodlens.facts.derived import derived
from methodlens.questions import load

QUOTES = [
    "We trained a ResNet-50 with Adam (learning rate 1e-3, batch size 32) for 90 epochs on four NVIDIA V100 GPUs.",
    "Training took 12 hours; images were flipped horizontally and rotated, and dropout was set to 0.5.",
    "It was built with PyTorch 1.8 and Keras, and scored by accuracy, recall and the F1-score.",
    "We divided the Pondlife dataset into 80% for training, 10% for validation and 10% for testing.",
]


def test_every_fact_of_the_shipped_questions_has_a_type() -> None:
    assert {key for question in load("dl-methods").questions for key in question.facts} <= set(catalog())


def test_facts_come_in_the_shape_of_the_export() -> None:
    found = extract(["learning_rate", "epochs", "optimizer", "optimizers", "frameworks", "metrics", "split"], QUOTES)
    assert found == {
        "learning_rate": 0.001,
        "epochs": 90,
        "optimizer": "Adam",
        "optimizers": ["Adam"],
        "frameworks": [{"name": "PyTorch", "version": "1.8"}, {"name": "Keras", "version": None}],
        "metrics": ["accuracy", "recall", "F1"],
        "split": {"train": 0.8, "validation": 0.1, "test": 0.1},
    }


def test_several_values_are_a_list() -> None:
    assert extract(["batch_size"], ["A batch size of 8 was used.", "Later, a batch size of 16."]) == {"batch_size": [8, 16]}


def test_a_key_without_a_value_is_left_out() -> None:
    assert extract(["epochs", "loss", "metrics"], ["The ponds were cold."]) == {}


@pytest.mark.parametrize("key", sorted(catalog()))
def test_every_fact_points_to_a_quote_that_contains_it(key: str) -> None:
    for fact in catalog()[key].extract(QUOTES):
        assert 0 <= fact.quote < len(QUOTES)
        assert fact.printed in " ".join(QUOTES[fact.quote].split())


def test_a_fact_has_the_index_of_its_quote() -> None:
    facts = find(catalog().values(), QUOTES).facts
    places = {(key, str(fact.value)): fact.quote for key, found in facts.items() for fact in found}
    assert places["optimizers", "Adam"] == 0
    assert places["dropout", "0.5"] == 1
    assert places["metrics", "recall"] == 2
    assert places["training_time_h", "12.0"] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We split the data 80/20 into training and test sets.", {"split": {"train": 0.8, "test": 0.2}}),
        ("A 60-20-20 train/validate/test regime was used.", {"split": {"train": 0.6, "validation": 0.2, "test": 0.2}}),
        ("The ratio of training, validation and test data was 8:1:1.", {"split": {"train": 0.8, "validation": 0.1, "test": 0.1}}),
        (
            "Clips went to the training (70%), validation (10%) and test (20%) set.",
            {"split": {"train": 0.7, "validation": 0.1, "test": 0.2}},
        ),
        ("We kept 20% of the training set for validation.", {"split": {"validation_fraction_of_train": 0.2}}),
        ("We used 4,000 images for training and 500 images for testing.", {"split_counts": {"train": 4000, "test": 500}}),
        ("The test set contained 155 recordings.", {"split_counts": {"test": 155}}),
        ("We used five-fold cross-validation.", {"cross_validation_folds": 5}),
        ("A 10-fold cross validation was run.", {"cross_validation_folds": 10}),
        ("The training accuracy was 97%.", {}),
        ("The newts were divided by colour.", {}),
    ],
)
def test_splits_are_read_as_shares_counts_and_folds(text: str, expected: dict[str, Any]) -> None:
    found = extract(["split", "split_counts", "cross_validation_folds"], [text])
    assert {key: found.get(key) for key in expected} == expected
    if not expected:
        assert "split_counts" not in found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The random seed was set to 42.", {"seeds": [42]}),
        ("We trained with seeds 1, 2 and 3.", {"seeds": [1, 2, 3]}),
        ("Every model was trained with five different random seeds.", {"repeats": 5}),
        ("Training was repeated 10 times.", {"repeats": 10}),
        ("Scores are means over 30 random initialisations.", {"repeats": 30}),
        ("Seeds of 40 plants were sown.", {}),
    ],
)
def test_seeds_and_repeats_are_separate_facts(text: str, expected: dict[str, Any]) -> None:
    assert extract(["seeds", "repeats"], [text]) == expected


def test_gpu_hours_and_energy_are_marked_as_derived_with_their_assumption() -> None:
    found = extract(["hardware", "training_time_h", "derived"], QUOTES)["derived"]
    assert [(one["name"], one["value"], one["unit"]) for one in found] == [
        ("GPU-hours", 48, "h"),
        ("energy estimate", 14.4, "kWh"),
    ]
    assert all("4 x" in one["assumption"] for one in found)


@pytest.mark.parametrize(
    "quote",
    [
        "We trained on four NVIDIA V100 GPUs.",
        "Training on an NVIDIA V100 was fast.",
        "Training took 12 hours.",
        "Training took 12 hours on two V100 and two A100 GPUs.",
    ],
)
def test_nothing_is_derived_from_incomplete_figures(quote: str) -> None:
    assert "derived" not in extract(["hardware", "training_time_h", "derived"], [quote])


def test_an_unknown_card_gives_hours_but_no_energy() -> None:
    assert [one["name"] for one in derived([{"name": "Frogcard 9", "kind": "GPU", "count": 2}], 3)] == ["GPU-hours"]


def test_early_stopping_is_recognised_by_its_description() -> None:
    quote = "Training went on until no improvement of the validation loss was seen for 10 epochs."
    assert extract(["regularization"], [quote]) == {"regularization": ["early stopping"]}


def test_an_optimiser_that_another_extends_is_not_used() -> None:
    assert extract(["optimizers"], ["We used Adam, an extension of stochastic gradient descent."]) == {"optimizers": ["Adam"]}


def test_a_dataset_that_is_in_no_list_is_recognised_by_its_name() -> None:
    assert extract(["datasets"], ["We trained on the NewtSong dataset and on ImageNet."]) == {
        "datasets": ["ImageNet", "NewtSong"]
    }


@given(st.lists(st.text(), max_size=3))
def test_facts_can_be_extracted_from_any_text(quotes: list[str]) -> None:
    extract(catalog(), quotes)
