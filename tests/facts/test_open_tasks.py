"""Tasks by their head noun, and which of them are what the model is for."""

import pytest

from methodlens.facts import extract
from methodlens.facts.open_tasks import is_title, open_tasks


def _tasks(*quotes: str) -> list[str]:
    return list(extract(["tasks"], quotes).get("tasks", []))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gated Nets for Weakly Supervised Temporal Newt Localization", ["temporal newt localization"]),
        ("Scene Graph Generation by Iterative Frog Passing", ["scene graph generation"]),
        ("PondNet: Multi-Frog Question Answering", ["question answering"]),
        ("Revisiting Self-Supervised Newt Representation Learning", ["representation learning"]),
        ("Unsupervised Domain Adaptation for Semantic Segmentation of Ponds", ["domain adaptation", "semantic segmentation"]),
        ("QSAR Screening Data of Frogs", []),
        ("We propose a network for spatio-temporal newt grounding.", ["spatio-temporal newt grounding"]),
        ("In this paper, we investigate long-tailed recognition.", ["long-tailed recognition"]),
        ("We present a framework for camera relocalization in ponds.", ["camera relocalization"]),
        ("We train our newt net with beam search and feature extraction.", []),
    ],
)
def test_tasks_are_recognised_by_their_head_noun(text: str, expected: list[str]) -> None:
    assert _tasks(text) == expected


def test_examples_means_and_remarks_are_not_what_the_model_is_for() -> None:
    stated = "We propose a model for newt re-identification."
    assert _tasks(stated, "LSTMs are used in many fields, such as speech synthesis and language modeling.") == [
        "re-identification"
    ]
    assert _tasks(stated, "We optimize it using reinforcement learning.") == ["re-identification"]
    assert _tasks(stated, "We identify three major factors.") == ["re-identification"]


def test_a_task_gives_way_to_the_one_that_says_more() -> None:
    assert _tasks("We train a net for event detection.", "We propose a net for sound event detection.") == [
        "sound event detection"
    ]


def test_a_heading_is_not_the_title() -> None:
    assert is_title("Gated Nets for Newt Counting")
    assert not is_title("We count newts with gated nets.")
    quotes = "Object Detection in Ponds", "FrogFind: A Pond Agent for Academic Newt Search"
    assert _tasks(*quotes) == ["academic newt search"]


@pytest.mark.parametrize("piece", ["pose ", "a-", "estimation ", "for the ", "Newt Search by "])
def test_long_repetitions_take_no_longer(piece: str) -> None:
    list(open_tasks(piece * 4000, [], title=True))


def test_what_others_do_and_steps_of_a_method_are_no_tasks() -> None:
    stated = "We propose a network for newt re-identification."
    assert _tasks(stated, "Ours has a memory, while theirs has none as they focus on image retrieval tasks.") == [
        "re-identification"
    ]
    assert _tasks(stated, "Our network considers temporal modeling for newts.") == ["re-identification"]
    assert _tasks(stated, "Our method detects dead neurons.") == ["re-identification"]
