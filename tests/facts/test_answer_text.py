"""Answers made of facts: nothing in them that their quotes lack."""

import pytest

from methodlens.questions import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.grounding import unsupported_claims
from methodlens.records import Answer, Hit, Line, Page, Paper, Passage, SectionKind, Word

QUESTIONS = {question.id: question for question in load("dl-methods").questions}


def _read(question: str, *passages: str) -> Answer:
    text = "\n".join(passages)
    paper = Paper(
        "", "test", text=text, pages=(Page(6, 600, 800),), lines=(Line(0, len(text), 6, 0, 9, (Word(0, len(text), 0, 9),)),)
    )
    hits, start = [], 0
    for passage in passages:
        hits.append(Hit(Passage(start, start + len(passage), 6, SectionKind.METHODS, passage), 1.0))
        start += len(passage) + 1
    return EmbeddedReader().read(QUESTIONS[question], paper, hits)


@pytest.mark.parametrize(
    ("question", "passage", "text"),
    [
        (
            "CQ4",
            "Data augmentation of the newt images used random horizontal flips, rotations and zooming.",
            "Data augmentation of the newt images used random horizontal flips, rotations and zooming (p. 6).",
        ),
        (
            "CQ7",
            "We split the newt images into 80% for the training set and 20% for the test set.",
            "The authors split the newt images into 80% for the training set and 20% for the test set (p. 6).",
        ),
        (
            "CQ12",
            "The model architecture was a Res Net50, a convolutional neural network.",
            "The model architecture was a Res Net50, a convolutional neural network (p. 6).",
        ),
        (
            "CQ13",
            "We used a learning rate of 0.001, a batch size of 32 and 100 epochs.",
            "The authors used a learning rate of 0.001, a batch size of 32 and 100 epochs (p. 6).",
        ),
        (
            "CQ13",
            "We used learning rates of 10−3 and 10−4, and mini-batches of 16 images.",
            "The authors used learning rates of 10−3 and 10−4, and mini-batches of 16 images (p. 6).",
        ),
        ("CQ15", "The newt net was trained with the Adam optimizer.", "The newt net was trained with the Adam optimizer (p. 6)."),
        (
            "CQ17",
            "Dropout and weight decay regularised the net against overfitting.",
            "The authors used dropout and weight decay against overfitting (p. 6).",
        ),
        (
            "CQ19",
            "The net was implemented in Python with TensorFlow 2.4 and Keras.",
            "The model was implemented with TensorFlow 2.4 and Keras (p. 6).",
        ),
        (
            "CQ22",
            "The newt net was evaluated by accuracy, recall and F1-score.",
            "The newt net was evaluated by accuracy, recall and F1-score (p. 6).",
        ),
    ],
)
def test_one_sentence_has_the_facts_and_its_page(question: str, passage: str, text: str) -> None:
    answer = _read(question, passage)
    assert answer.text == text
    assert unsupported_claims(answer.text, answer.evidence, question=QUESTIONS[question].text) == ()


def test_a_share_that_no_quote_prints_is_a_fact_but_not_in_the_answer() -> None:
    answer = _read("CQ7", "The newt images were split into training, validation and test sets at a ratio of 8:1:1.")
    assert answer.facts["split"] == {"train": 0.8, "validation": 0.1, "test": 0.1}
    assert "80%" not in answer.text


def test_further_quotes_are_chosen_for_the_facts_they_add() -> None:
    answer = _read(
        "CQ13",
        "We used a learning rate of 0.001 and a batch size of 32 for the newt net.",
        "A learning rate of 0.001 and a batch size of 32 were used in all runs of the newt net.",
        "The newt net was trained for 100 epochs.",
        "A momentum of 0.9 was used for the newt net.",
    )
    assert answer.facts["epochs"] == 100
    assert answer.facts["momentum"] == 0.9
    assert len(answer.evidence) <= 4
    assert sum(len(evidence.quote) for evidence in answer.evidence) <= 1400
