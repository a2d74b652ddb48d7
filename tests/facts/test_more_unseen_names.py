"""Names in forms that were missed on papers nobody had looked at: numbers that stick to them, kinds of SGD, costs, ratios."""

import pytest

from methodlens.facts import extract
from methodlens.facts.paper_metrics import metrics_of
from methodlens.records import Paper, Section, SectionKind


def _names(key: str, *quotes: str) -> list[object]:
    return [row["name"] if isinstance(row, dict) else row for row in extract([key], quotes).get(key, [])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We count false positives per image (FPPI) in the pond.", ["false positives per image (FPPI)"]),
        ("We report the number of missed detections per hour of croaking.", ["missed detections per hour"]),
        ("The results are rank-1 newt identification rates.", ["rank-1 identification rate"]),
        ("Table 3 shows the verification accuracy of our frog models.", ["verification accuracy"]),
        ("We compare frog nets in terms of accuracy and number of parameters.", ["accuracy", "number of parameters"]),
        ("We report the multiply-add operations of each newt net.", ["multiply-adds"]),
        ("For toads of both ponds, equality of opportunity is our criterion of fairness.", ["equality of opportunity"]),
    ],
)
def test_ratios_ranks_and_costs_are_metrics(text: str, expected: list[str]) -> None:
    assert _names("metrics", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We lowered the rate tenfold once accuracy on the validation ponds no longer rose.",
        "Training ends once the accuracy on the pond set no longer rises.",
        "We use a number of croaks that is closely related to precision.",
        "Our PQ codes split each newt vector.",
    ],
)
def test_what_steers_training_or_is_only_alike_is_no_metric(text: str) -> None:
    assert not _names("metrics", text)


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        (["We minimise the loss by stochastic gradient descent using Adam."], ["Adam"]),
        (["We use minibatch SGD and apply the Adam solver to the newts."], ["Adam"]),
        (["We train by stochastic gradient descent with Adam.", "All frogs are trained with SGD."], ["Adam"]),
        (["We used SGD for the encoder and Adam for the decoder."], ["SGD", "Adam"]),
        (["The newt net was trained with SGD.", "The frog net was trained using A-SGD."], ["SGD", "ASGD"]),
    ],
)
def test_sgd_that_adam_performs_is_adam(quotes: list[str], expected: list[str]) -> None:
    assert _names("optimizers", *quotes) == expected


@pytest.mark.parametrize("text", ["Our frog nets are implemented in Tensorflow2 .", "Newts were trained using TensorFlow3."])
def test_a_footnote_number_may_stick_to_a_framework(text: str) -> None:
    assert _names("frameworks", text) == ["TensorFlow"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We simply apply Gaussian noise over the 39 frog features.", ["Gaussian noise"]),
        ("This is training set augmentation by scale jittering.", ["scale jittering"]),
        ("In the testing process, we join the features of the frog image and the flipped image.", []),
        ("The diffusion model adds Gaussian noise to the images.", []),
    ],
)
def test_augmentations_are_what_is_done_to_training_data(text: str, expected: list[str]) -> None:
    assert _names("augmentations", text) == expected


def test_an_abbreviated_regularizer_is_spelled_out_by_another_quote() -> None:
    used = "The frog features are used for classification and PND regularization."
    assert _names("regularization", used, "We design a term, namely Pooled Newt Dropping (PND).") == [
        "Pooled Newt Dropping (PND)"
    ]
    assert _names("regularization", used) == ["PND regularization"]


def test_a_total_variation_penalty_is_a_regularizer() -> None:
    assert _names("regularization", "We add the total variation (TV) penalty to the pond loss.") == [
        "total variation regularization"
    ]


def test_captions_and_sentences_on_evaluation_are_places_of_metrics() -> None:
    told = "Recognition of newts is measured using mean average precision."
    text = f"Frogs croak at night. {told} Table 2. Accuracy of toads. We like the mean average precision of ponds."
    paper = Paper("", "test", text=text, sections=(Section(SectionKind.RESULTS, "", 0, len(text)),))
    assert [text[start:end] for start, end, _ in metrics_of(paper).places] == [told]
