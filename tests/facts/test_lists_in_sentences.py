"""Data sets, augmentations, regularisers, optimisers and toolkits in the words of sentences that no paper has."""

from typing import Any

import pytest

from methodlens.facts import extract


def names(key: str, *quotes: str) -> list[Any] | None:
    values = extract([key], quotes).get(key)
    return [value["name"] if isinstance(value, dict) else value for value in values] if values else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We report results on CIFAR-10 [4], NewtSong [5] and PondBench.", ["CIFAR-10", "NewtSong", "PondBench"]),
        ("We used three datasets, namely NewtSong (Frog et al., 2019), Pond2Reed and MNIST.", ["MNIST", "NewtSong", "Pond2Reed"]),
        ("Questions come from HotpotQA/NewtQA/PondQA.", ["HotpotQA", "NewtQA", "PondQA"]),
        ("NewtSong [3] contains 900 recordings of newts.", ["NewtSong"]),
        ("NewtSong is a large-scale benchmark for ponds.", ["NewtSong"]),
        ("We tested on the validation split of NewtSong.", ["NewtSong"]),
        ("Scores on the NewtSong test set are in the appendix.", ["NewtSong"]),
        ("The third is the Otters with Attributes (OWA) dataset.", ["Otters with Attributes"]),
        ("We built NewtSong, a corpus of calls.", ["NewtSong"]),
        ("The model was trained on NewtSong2.", ["NewtSong2"]),
        ("It was trained on the text collection OpenWebText44.", ["OpenWebText"]),
    ],
)
def test_data_sets_are_recognised_by_how_papers_speak_of_them(text: str, expected: list[str]) -> None:
    assert sorted(names("datasets", text) or []) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "We used five QA datasets.",
        "The network was trained on NVIDIA V100 GPUs.",
        "It was trained on MFCC features.",
        "FrogNet consists of three layers and two blocks.",
        "We trained ResNet-50 and VGG16 for ten epochs.",
        "We split the 100khr and 1Mhr datasets.",
    ],
)
def test_kinds_of_data_machines_and_models_are_no_data_sets(text: str) -> None:
    assert names("datasets", text) is None


def test_an_abbreviation_defined_in_another_quote_is_no_further_data_set() -> None:
    assert names("datasets", "We use the PondSong (PS) dataset.", "The PS dataset has 40 calls.") == ["PondSong"]


def test_a_family_of_data_sets_is_not_named_next_to_its_members() -> None:
    assert names("datasets", "We use CIFAR-10.", "The CIFAR dataset has small images.") == ["CIFAR-10"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Data augmentation involves scale, color and flip jittering.", ["scale jittering", "color jitter", "flip", "jittering"]),
        ("During training we take a random 24 × 24 crop of each pond.", ["random crop"]),
        ("As augmentation, each frog image is padded and its aspect ratio is randomly changed.", ["padding"]),
        ("The augmented labels have some noise.", None),
        ("The affine transformation is limited to rotation, scaling and translation.", None),
        ("The probability of label flips is estimated for each pond.", None),
    ],
)
def test_augmentations_in_other_words(text: str, expected: list[str] | None) -> None:
    assert sorted(names("augmentations", text) or []) == sorted(expected or [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We set the weight decay (L2 penalty) to 0.01.", ["weight decay"]),
        ("Training used at most 90 epochs with a patience of 7 epochs.", ["early stopping"]),
        ("The learning rate is halved with a patience of 7 epochs.", None),
        ("We use newt counting as a regularizer.", ["newt counting"]),
        ("To avoid overfitting, we apply pond mixing to the inputs.", ["pond mixing"]),
        ("To avoid overfitting, we use several techniques.", None),
        ("DropNewt [8] extends dropout.", ["dropout"]),
        ("DropBlock [8] extends the idea to ponds.", None),
        ("It is possible that dropout has the same effect.", None),
        ("Our process offers some useful regularization.", None),
        ("Each convolution is followed by batch normalization.", None),
        ("Each convolution is followed by batch normalization, and dropout is applied.", ["dropout", "batch normalization"]),
    ],
)
def test_regularisers_as_authors_call_them(text: str, expected: list[str] | None) -> None:
    assert sorted(names("regularization", text) or []) == sorted(expected or [])


def test_batch_normalization_as_a_layer_counts_next_to_other_regularisers_only() -> None:
    layer = "Batch normalization is applied after each convolution."
    assert names("regularization", layer) is None
    assert names("regularization", "We used dropout.", layer) == ["dropout", "batch normalization"]
    assert names("regularization", "We used dropout.", "Batch normalization statistics are folded into each layer.") == [
        "dropout"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We sampled with stochastic gradient Langevin dynamics.", ["SGLD"]),
        ("We used the Adam variant of DP-SGD.", ["Adam", "DP-SGD"]),
        ("The constraints are optimised with ADMM.", ["ADMM"]),
        ("The agent is trained with PPO.", ["PPO"]),
        ("The agent is trained with PPO and the Adam optimizer.", ["Adam"]),
        ("We compared it with stochastic gradient boosting.", None),
    ],
)
def test_optimisers_are_what_trains_the_network(text: str, expected: list[str] | None) -> None:
    assert names("optimizers", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Our model was evaluated using the Pond Evaluation Harness toolkit.", ["Pond Evaluation Harness"]),
        ("We used the library NewtTorch for training.", ["NewtTorch"]),
        ("We used Kaldi [3] and NewtFlow [4] to train the networks.", ["Kaldi", "NewtFlow"]),
        ("The agent is implemented within NewtGym, a toolkit for agents.", ["NewtGym"]),
        ("Our FROG framework is implemented using PyTorch.", ["PyTorch"]),
        ("We train on data from the Hugging Face Hub.", None),
        ("We trained the model on PyTorch and NVIDIA GPUs.", ["PyTorch"]),
        ("The network was built using PyTorch and NumPy.", ["PyTorch"]),
    ],
)
def test_toolkits_are_what_authors_build_on(text: str, expected: list[str] | None) -> None:
    assert names("frameworks", text) == expected
