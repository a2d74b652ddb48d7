"""A value, not a keyword: words that are also ordinary ones, and mentions that are not the authors' choice."""

import pytest

from methodlens.facts import extract


def _names(key: str, *quotes: str) -> list[str]:
    return [each["name"] if isinstance(each, dict) else each for each in extract([key], quotes).get(key, [])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Images were augmented by rotation and translation.", ["rotation", "translation"]),
        ("We augmented the calls with added noise.", ["noise"]),
        ("Images were randomly flipped horizontally and vertically.", ["horizontal flip", "vertical flip"]),
        ("The rotation of crops keeps the soil healthy.", []),
        ("The test BLEU of the translation rose.", []),
        ("We recorded frogs with a Zoom H2n.", []),
        ("Newts were seen under a zoom microscope.", []),
        ("Data augmentation helps at a low signal-to-noise ratio.", []),
        ("The night shift counted toads.", []),
        ("Rotations and flips are not permissible for frog calls.", []),
        ("Random crops could change the label.", []),
    ],
)
def test_augmentations_need_an_act_or_a_topic(text: str, expected: list[str]) -> None:
    assert _names("augmentations", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The network reached an accuracy of 94%.", ["accuracy"]),
        ("We evaluated precision and recall.", ["precision", "recall"]),
        ("F(1, 33) = 4.1 was significant.", []),
        ("An F1 of 0.9 was reached.", ["F1"]),
        ("Precision agriculture needs drones.", []),
        ("We trained in mixed precision.", []),
        ("Chlorophyll was measured with a precision of 0.1 mg.", []),
        ("We use mean per joint position error (MPJPE).", ["mean per joint position error (MPJPE)"]),
        ("Recall that ponds are wet.", []),
        ("A match needs an intersection over union (IoU) of at least 0.5.", []),
        ("We report an IoU of 0.85.", ["IoU"]),
        ("The loss is the mean squared error.", []),
        ("The mean squared error on the test set was 3.1.", ["mean squared error (MSE)"]),
        ("We report the area under the curve (AUC) of the receiver operating characteristic.", ["AUC"]),
        ("Top-1 and top-5 error are given.", ["top-1 error", "top-5 error"]),
    ],
)
def test_metrics_are_measured(text: str, expected: list[str]) -> None:
    assert _names("metrics", text) == expected


def test_adam_is_a_person_with_a_surname() -> None:
    assert _names("optimizers", "Adam Newton collected the samples.") == []
    assert _names("optimizers", "We used the Adam Optimizer.") == ["Adam"]


def test_an_unclear_metric_counts_only_where_no_clear_one_is_named() -> None:
    vague = "We wanted to know the accuracy of frog experts."
    assert _names("metrics", vague) == ["accuracy"]
    assert _names("metrics", "We measured the Dice coefficient.", vague) == ["Dice coefficient"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We fine-tuned ResNet-50, which outperforms VGG-16.", ["ResNet-50"]),
        ("The baselines are LSTM and GRU networks.", []),
        ("A power transformer was near the pond.", []),
        ("Since the inception of the project, frogs were counted.", []),
        ("We trained a transformer model.", ["Transformer"]),
        ("LSTMs are not well suited to long calls, so we trained a GRU.", ["GRU"]),
        ("We used deep feed-forward networks (DNNs).", ["feed-forward neural network"]),
        ("A BiLSTM with LSTM cells was trained.", ["BiLSTM"]),
        ("We trained YOLOv5 in its variant YOLOv5s.", ["YOLOv5s"]),
    ],
)
def test_architectures_are_the_authors_own(text: str, expected: list[str]) -> None:
    assert _names("architectures", text) == expected


def test_an_example_of_an_architecture_counts_only_if_nothing_better_is_known() -> None:
    example = "The images are used with networks such as AlexNet."
    assert _names("architectures", example) == ["AlexNet"]
    assert _names("architectures", example, "We trained a U-Net.") == ["U-Net"]
    assert _names("architectures", "Networks such as AlexNet extract features.") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The network was built in Keras (https://www.tensorflow.org).", ["Keras"]),
        ("The network was trained in MATLAB.", ["MATLAB"]),
        ("Spectrograms were drawn in MATLAB.", []),
        ("Figures of the models were made; statistical tests were run in MATLAB.", []),
        ("Handwritten DIGITS were scanned.", []),
    ],
)
def test_frameworks_are_what_the_model_was_built_with(text: str, expected: list[str]) -> None:
    assert _names("frameworks", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Batch normalization was used to prevent overfitting.", ["batch normalization"]),
        ("Each block has a convolution and a batch normalization layer.", []),
        ("Data augmentation reduced overfitting.", ["data augmentation"]),
        ("Data augmentation gave more images.", []),
    ],
)
def test_regularisation_needs_its_purpose_where_it_is_also_something_else(text: str, expected: list[str]) -> None:
    assert _names("regularization", text) == expected


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        (["We propose a network for lesion segmentation."], ["lesion segmentation"]),
        (["We train a model for emotion recognition."], ["emotion recognition"]),
        (["We present a model to classify newts.", "Toads were detected at night."], ["classification"]),
        (["A toad was detected."], []),
        (["We use linear regression for the trend."], []),
        (["We estimate the depth by hand and classify newts with a CNN."], ["classification"]),
        (["We use subword segmentation for machine translation."], ["machine translation"]),
        (["The model predicts the weight of newts."], ["prediction"]),
    ],
)
def test_tasks_are_what_the_model_is_for(quotes: list[str], expected: list[str]) -> None:
    assert _names("tasks", *quotes) == expected
