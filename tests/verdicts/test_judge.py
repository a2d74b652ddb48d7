"""From an answer to a verdict."""

import pytest

from methodlens.records import Answer, Evidence, Match, Status
from methodlens.verdicts import is_silent, judge

FOUND = Evidence("We trained on two lichen-grade cards.", Match.EXACT, 0, 37)
LOST = Evidence("We trained on nine cards.", Match.ABSENT)


@pytest.mark.parametrize(
    ("p", "status"),
    [(1.0, "reported"), (0.65, "reported"), (0.64, "withheld"), (0.21, "withheld"), (0.2, "not_reported"), (0.0, "not_reported")],
)
def test_the_probability_of_the_reader_decides_and_uncertain_ones_are_withheld(p: float, status: str) -> None:
    assert judge(Answer("Two cards.", evidence=(FOUND,), p_reported=p)).status == status


def test_the_reason_of_an_uncertain_verdict_is_its_probability() -> None:
    assert judge(Answer("Two cards.", evidence=(FOUND,), p_reported=0.52)).reason == "the reader is not sure (p = 0.52)"


@pytest.mark.parametrize("p", [None, 0.99])
def test_a_reported_answer_without_a_located_quote_is_withheld(p: float | None) -> None:
    assert judge(Answer("Two cards were used.", p_reported=p)).status is Status.WITHHELD
    assert judge(Answer("Two cards were used.", evidence=(LOST,), p_reported=p)).status is Status.WITHHELD
    assert judge(Answer("Two cards were used.", evidence=(LOST, FOUND), p_reported=p)).status is Status.REPORTED


@pytest.mark.parametrize("p", [None, 0.99])
def test_a_claim_without_support_in_the_quotes_is_withheld_and_named(p: float | None) -> None:
    verdict = judge(Answer("Eight A100 were used.", evidence=(FOUND,), unsupported=("Eight", "A100"), p_reported=p))
    assert verdict.status is Status.WITHHELD
    assert "A100" in verdict.reason


@pytest.mark.parametrize("text", ["", " \n "])
def test_an_empty_answer_is_failed_and_never_a_no(text: str) -> None:
    assert judge(Answer(text)).status is Status.FAILED
    assert judge(Answer(text, p_reported=0.1)).status is Status.FAILED


def test_a_silent_answer_needs_no_quote() -> None:
    assert judge(Answer("I don't know.", unsupported=("GPU",))).status is Status.NOT_REPORTED


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.",
        "I do not know the answer to this.",
        "Unfortunately, I cannot answer the query from these passages.",
        "The context does not provide any information on the sampling of fungi.",
        "The provided text doesn’t explicitly mention which cards were used.",
        "The optimiser is not specified.",
        "There is no mention of a repository in the given context.",
        "It is not possible to determine the batch size from the text.",
        "Not mentioned in the context.",
        "No response found",
        "None",
        "The hardware is not mentioned, but it was probably a GPU.",
        "The hardware is not mentioned. However, it was most likely a GPU.",
        "The text describes lichens on old walls. However, it doesn't mention any split of the data.",
        "The split is not stated. Typically, data is split into 80% for training and 20% for testing.",
        "The seed is not stated. However, common practice is to fix a seed such as 42.",
        "Several steps can be taken before training. Common ones include scaling and cleaning.",
        "There isn't enough information to say which framework was used.",
        "No specific datasets are mentioned.",
    ],
)
def test_an_answer_that_says_the_paper_is_silent_is_silent(text: str) -> None:
    assert is_silent(text)


@pytest.mark.parametrize(
    "text",
    [
        "Two Titan RTX cards were used.",
        "Keras.",
        "Adam",
        "The model was trained on two cards. No mention of other hardware such as TPUs was made.",
        "The metrics are recall and precision. Accuracy is not mentioned in the context.",
        "The framework is not explicitly stated. However, the text mentions that the models were built in Keras.",
        "Yes, the code is on the authors' page. The licence is not specified.",
        "Training stopped after 40 epochs, since the loss did not improve any more.",
        "The authors did not use dropout; they used weight decay of 0.01.",
    ],
)
def test_an_answer_that_opens_with_a_fact_is_not_silent(text: str) -> None:
    assert not is_silent(text)


PASSAGES = (
    "Lichens were mapped on old walls. The mosses were counted twice a year by hand, and the counts were kept in tables.",
)


@pytest.mark.parametrize(
    "text",
    [
        # points against: gives up, is about something else, guesses at length, ends in a denial
        "Unfortunately, the optimiser is not mentioned. However, the text mentions a batch size of 8.",
        "The optimiser is not explicitly mentioned. The text focuses on lichens instead.",
        "The seed is not stated. In general, seeds can be fixed. They may be chosen at random. They could also be averaged over.",
        "The split is not explicitly given. It describes lichens on walls. Therefore, it is not possible to determine the split.",
    ],
)
def test_a_denial_followed_by_unrelated_statements_stays_a_denial(text: str) -> None:
    assert is_silent(text)


@pytest.mark.parametrize(
    "text",
    [
        "The split is not explicitly given. However, the text states that one plot in five was kept for tests.",
        "The optimiser is not specifically named. It does mention gradient descent. Additionally, a momentum of 0.9 is given.",
        'The repository is not directly named. The text only says "our maps are kept at the herbarium". This suggests a visit.',
    ],
)
def test_a_hedged_denial_that_then_answers_the_question_is_an_answer(text: str) -> None:
    assert not is_silent(text)


def test_a_textbook_answer_without_overlap_with_the_passages_is_silent() -> None:
    textbook = "Deep networks were regularised with dropout. Weight decay is typically used to shrink large coefficients."
    assert not is_silent(textbook)
    assert is_silent(textbook, context=PASSAGES)
    assert judge(Answer(textbook, evidence=(FOUND,)), context=PASSAGES).status is Status.NOT_REPORTED


def test_an_invented_value_is_unsupported_not_silent() -> None:
    invented = Answer("Eight A100 were rented.", evidence=(FOUND,), unsupported=("Eight", "A100"))
    assert judge(invented, context=PASSAGES).status is Status.WITHHELD
