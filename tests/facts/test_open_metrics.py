"""Metrics that no list has, and mentions that are not a metric or not a further one."""

import pytest

from methodlens.facts import extract
from methodlens.facts.open_metrics import costs, counted_over, cutoffs, errors


def _metrics(*quotes: str) -> list[str]:
    return list(extract(["metrics"], quotes).get("metrics", []))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We report Recall@20 and P@5 on the pond queries.", ["Recall@20", "Precision@5"]),
        ("The results are MAP@500 and nDCG@10.", ["MAP@500", "nDCG@10"]),
        ("We report the false positive rate at 95% recall (FPR@95).", ["false positive rate at 95% recall (FPR@95)"]),
        ("Frog songs are scored by word accuracy.", ["word accuracy"]),
        ("We report frame error rates for newts.", ["frame error rate"]),
        ("We report per-class recall and overall recall.", ["per-class recall", "overall recall"]),
        ("We report video-level mAPs on the toad films.", ["video-level mAP"]),
        ("Our model reduces the gaze estimation error of newts.", ["gaze estimation error"]),
        ("The rotation error is given in Table 2.", ["rotation error"]),
        (
            "We evaluate the pond chip in terms of energy consumption and area footprint.",
            ["energy consumption", "area footprint"],
        ),
        ("Table 3. NewtNet – Params: 5.3M; Top-1 err: 24.1", ["top-1 error", "number of parameters"]),
        ("Our model takes 12 ms per image.", ["inference time"]),
    ],
)
def test_metrics_are_recognised_by_their_form(text: str, expected: list[str]) -> None:
    assert _metrics(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We ran SPICE simulations of the pond circuit.",
        "The counter has a precision of 16 levels and is evaluated daily.",
        "We evaluate the sensitivity of FrogNet to different terms.",
        "Our frogs rank at the Top-1 among all ponds.",
        "The number of floating point operations to train a newt net was estimated.",
        "The distance is measured using the mean squared error (MSE) as: d",
        "AP and MP denote average pooling and max pooling in our evaluation.",
        "The reconstruction error is minimized during training.",
    ],
)
def test_other_senses_are_not_metrics(text: str) -> None:
    assert _metrics(text) == []


def test_a_general_name_gives_way_to_the_special_one() -> None:
    assert _metrics("We report the top-1 accuracy of newts.", "The accuracy was 81.2%.") == ["top-1 accuracy"]
    assert _metrics("We report mAP.", "A box counts if its IoU is measured as high.") == ["mean average precision (mAP)"]
    assert _metrics("We report mAP.", "The IoU of 0.71 was best.") == ["mean average precision (mAP)", "IoU"]


def test_precision_in_the_definition_of_another_metric_is_not_reported() -> None:
    definition = "F1 is the harmonic mean of precision and recall."
    assert _metrics("We report an F1 of 0.8.", definition) == ["F1"]
    assert _metrics("We report F1 and a precision of 0.8.", definition) == ["F1", "precision", "recall"]


def test_a_column_is_an_error_where_the_paper_reports_errors() -> None:
    assert _metrics("Table 1. FrogNet – top-1: 22.9; top-5: 6.5") == ["top-1 error", "top-5 error"]
    assert _metrics("Table 1. FrogNet – top-1: 77.1; top-5: 93.5") == ["top-1 accuracy", "top-5 accuracy"]
    assert _metrics("We report the top-1 error.", "Table 1. FrogNet – top-1: 22.9") == ["top-1 error"]


def test_one_metric_in_two_spellings_is_one_fact() -> None:
    quotes = "We evaluate by the Pond Depth Score (PDS).", "Our metric is the pond depth score (PDS)."
    assert _metrics(*quotes) == ["Pond Depth Score (PDS)"]


@pytest.mark.parametrize("piece", ["word ", "a-", "Recall @ ", "estimation ", "in terms of x, ", "takes 1 s ", "Table 1 params "])
def test_long_repetitions_take_no_longer(piece: str) -> None:
    text = piece * 4000
    for read in (cutoffs, counted_over, errors, costs):
        list(read(text))
