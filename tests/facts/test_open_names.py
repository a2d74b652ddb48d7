"""Names that no list has, and strings that look like names and are none."""

import pytest

from methodlens.facts import extract
from methodlens.facts.open_names import is_name, spelled_out


@pytest.mark.parametrize("text", ["FrogNet", "GFN", "Pond-2", "NewtSong"])
def test_a_name_has_a_capital_and_no_function_word(text: str) -> None:
    assert is_name(text)


@pytest.mark.parametrize("text", ["Details of", "The", "GB", "A. B.", "Table", "We", "frogs", "GPUs"])
def test_headings_units_initials_and_function_words_are_no_names(text: str) -> None:
    assert not is_name(text)


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("We use the gated frog network", "GFN", "gated frog network"),
        ("a signal-to-interference ratio", "SIR", "signal-to-interference ratio"),
        ("the pond was measured", "GFN", ""),
    ],
)
def test_an_abbreviation_stands_for_the_words_before_it(text: str, short: str, long: str) -> None:
    assert spelled_out(text, short) == long


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We propose PondSeg, a network for reed beds.", ["PondSeg"]),
        ("We present a model called NewtLM.", ["NewtLM"]),
        ("It is a gated frog network (GFN) with two layers.", ["gated frog network (GFN)"]),
        ("Our FrogNet has ten layers.", ["FrogNet"]),
        ("We trained the model with the Sparse ResNet-50.", ["ResNet-50"]),
        ("Our Sparse FrogNet has two layers.", ["FrogNet"]),
        ("A convolutional network, our FrogNet, was trained.", ["CNN", "FrogNet"]),
        ("We fine-tune Char-BiLSTM models.", ["BiLSTM"]),
        ("We used a deep neural network (NEW-T).", ["deep neural network (NEW-T)"]),
        ("We used a deep neural network (DNN).", ["DNN"]),
        ("This work presents an IoT-based model.", None),
        ("We present Tadpole et al. (2019) as an example of a model.", None),
        ("We present Table 2 of the model.", None),
        ("We trained our model on the PondNet dataset.", None),
        ("Results of FrogNet are in the appendix.", None),
    ],
)
def test_architectures_are_recognised_by_how_they_are_introduced(text: str, expected: list[str] | None) -> None:
    assert extract(["architectures"], [text]).get("architectures") == expected


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("regularization", "We add path regularization to the loss.", ["path regularization"]),
        ("regularization", "We add no other regularization.", None),
        ("augmentations", "We used stain augmentation.", ["stain augmentation"]),
        ("augmentations", "We used data augmentation.", None),
        ("augmentations", "The outcome augmentations are similar.", None),
        ("augmentations", "For augmentation we used random channel swapping.", ["random channel swapping"]),
        ("augmentations", "Random sampling gave the plots.", None),
        ("metrics", "The model had a certainty rate of 84%.", ["certainty rate"]),
        ("metrics", "The model had a learning rate of 0.1.", None),
        ("metrics", "The model makes 900 samples per second.", ["samples per second"]),
        ("frameworks", "The network was implemented with the NewtTorch toolkit.", ["NewtTorch"]),
        ("frameworks", "Ponds were mapped with the PondMapper toolkit.", None),
        ("optimizers", "We used the AdaNewt optimizer.", ["AdaNewt"]),
        ("optimizers", "We used the same optimizer.", None),
        ("tasks", "We evaluate on visual odour matching tasks.", ["visual odour matching"]),
    ],
)
def test_head_nouns_make_names(key: str, text: str, expected: list[str] | None) -> None:
    found = extract([key], [text]).get(key)
    names = [each["name"] if isinstance(each, dict) else each for each in found] if found else found
    assert names == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We trained on the NewtSong dataset.", ["NewtSong"]),
        ("The POND and REED datasets were used.", ["POND", "REED"]),
        ("A corpus called Toad-7 was collected.", ["Toad-7"]),
        ("While Pond100 benchmark results differ, ours agree.", ["Pond100"]),
        ("Details of the dataset are given in Table 2.", None),
        ("Our X-ray dataset is large.", None),
        ("Biological datasets have few labels.", None),
        ("Labels are few. Complete datasets are rare.", None),
        ("Table 2. Newts – Ponds: 90; Small dataset: 12; Whole dataset: 140", None),
        ("We trained on the Reedbed dataset.", ["Reedbed"]),
        ("We used Google’s Firebase database.", None),
        ("Marsh et al. [3] used the NewtSong dataset.", None),
    ],
)
def test_data_sets_are_recognised_by_their_noun(text: str, expected: list[str] | None) -> None:
    assert extract(["datasets"], [text]).get("datasets") == expected
