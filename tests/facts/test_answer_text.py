"""Answers made of facts: nothing in them that their quotes lack."""

import pytest

from methodlens.facts import catalog, find, types_of
from methodlens.questions import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.readers.embedded.fact_sentences import fact_phrases
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
    ("question", "passage", "values"),
    [
        (
            "CQ4",
            "Data augmentation of the newt images used random horizontal flips, rotations and zooming.",
            ("horizontal flip", "rotation", "zoom"),
        ),
        ("CQ7", "We split the newt images into 80% for the training set and 20% for the test set.", ("80%", "20%")),
        ("CQ12", "The model architecture was a Res Net50, a convolutional neural network.", ("res net50",)),
        ("CQ13", "We used a learning rate of 0.001, a batch size of 32 and 100 epochs.", ("0.001", "32", "100 epochs")),
        ("CQ13", "We used learning rates of 10−3 and 10−4, and mini-batches of 16 images.", ("10−3", "10−4", "16")),
        ("CQ15", "The newt net was trained with the Adam optimizer.", ("adam",)),
        ("CQ17", "Dropout and weight decay regularised the net against overfitting.", ("dropout", "weight decay", "overfitting")),
        ("CQ19", "The net was implemented in Python with TensorFlow 2.4 and Keras.", ("tensorflow 2.4", "keras")),
        ("CQ22", "The newt net was evaluated by accuracy, recall and F1-score.", ("accuracy", "recall", "f1-score")),
    ],
)
def test_one_sentence_has_the_facts(question: str, passage: str, values: tuple[str, ...]) -> None:
    answer = _read(question, passage)
    assert [value for value in values if value not in answer.text.lower()] == []
    assert len(answer.text) <= len(passage) + len("The authors") + len(" (p. 6).")
    assert unsupported_claims(answer.text, answer.evidence, question=QUESTIONS[question].text) == ()


@pytest.mark.parametrize(
    ("quote", "phrase"),
    [
        ("We trained a ResNet-50.", "the model is ResNet-50"),
        ("We trained an autoencoder.", "the model is an autoencoder"),
        ("We trained convolutional neural networks.", "the models are convolutional neural networks"),
        ("We trained a deep neural network (NEW-T).", "the model is a deep neural network (NEW-T)"),
    ],
)
def test_architectures_are_put_into_words(quote: str, phrase: str) -> None:
    architectures = catalog()["architectures"]
    assert architectures.clause(find([architectures], [quote])) == phrase


def test_a_share_that_no_quote_prints_is_a_fact_but_not_in_the_answer() -> None:
    answer = _read("CQ7", "The newt images were split into training, validation and test sets at a ratio of 8:1:1.")
    assert answer.facts["split"] == {"train": 0.8, "validation": 0.1, "test": 0.1}
    assert "80%" not in answer.text


def test_hardware_is_named_without_the_settings_beside_it_but_with_the_time() -> None:
    question = QUESTIONS["CQ20"]
    findings = find(types_of(question), ["We trained the newt net on an NVIDIA V100 GPU."])
    (phrase,) = fact_phrases(question, findings)
    assert phrase.text == "Training used an NVIDIA V100 GPU"
    assert phrase.is_repeated_by("The newt net was trained on an NVIDIA V100 GPU with a batch size of 128")
    assert not phrase.is_repeated_by("Training the newt net took 3 days on an NVIDIA V100 GPU")


def test_two_splits_are_not_mixed() -> None:
    split = catalog()["split"]
    quotes = [
        "We split the newt images into 70% for training and 30% for testing.",
        "The frog images were split into 80% for training, 10% for validation and 10% for testing.",
    ]
    assert split.clause(find([split], quotes)) == "the split is 80% training, 10% validation and 10% test"


def test_a_name_broken_over_two_lines_is_printed_as_one() -> None:
    metrics = catalog()["metrics"]
    assert metrics.clause(find([metrics], ["We measured the F1-\nscore of the newt net."])) == "the authors report F1-score"


def test_a_name_is_said_with_the_abbreviation_that_its_quote_prints() -> None:
    metrics = catalog()["metrics"]
    quotes = ["We measured the root mean squared error (RMSE) of the newt net.", "We measured its accuracy (Fig. 2) too."]
    assert metrics.clause(find([metrics], quotes)) == "the authors report root mean squared error (RMSE) and accuracy"


def test_the_sizes_of_a_split_are_printed_as_in_the_quote() -> None:
    counts = catalog()["split_counts"]
    quotes = ["We used 12,000 newt images for training and 3,500 images for testing."]
    assert counts.clause(find([counts], quotes)) == "the split is 12,000 for training and 3,500 for test"


@pytest.mark.parametrize(
    ("quote", "phrase"),
    [
        ("We trained the newt net for one epoch.", "one epoch"),
        ("We trained the newt net for 1 epoch.", "1 epoch"),
        ("We trained the newt net for 40 epochs.", "40 epochs"),
    ],
)
def test_one_epoch_is_singular(quote: str, phrase: str) -> None:
    epochs = catalog()["epochs"]
    assert epochs.clause(find([epochs], [quote])) == phrase


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


def test_a_longer_name_is_not_said_by_a_shorter_one() -> None:
    question = QUESTIONS["CQ5"]
    (phrase,) = fact_phrases(question, find(types_of(question), ["We used the NewtX dataset."]))
    assert phrase.is_in("The NewtX images were used")
    assert not phrase.is_in("Images of newt were used")
