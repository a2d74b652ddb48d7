"""Speculation is removed from the answer, and kept apart from it."""

import pytest

from methodlens.records import Answer
from methodlens.verdicts import separate_speculation

DENIAL = "The hardware is not mentioned."


@pytest.mark.parametrize(
    ("text", "speculation"),
    [
        ("The hardware is not mentioned, but it was probably a GPU.", "it was probably a GPU."),
        (f"{DENIAL} However, it was most likely a workstation.", "However, it was most likely a workstation."),
        (
            f"{DENIAL} Common choices are:\n\n1. Graphics cards of two makers\n2. TPUs",
            "Common choices are:\n\n1. Graphics cards of two makers\n2. TPUs",
        ),
    ],
    ids=["in the same sentence", "in the next", "as a list"],
)
def test_speculation_after_a_denial_is_moved_out_of_the_answer(text: str, speculation: str) -> None:
    cut = separate_speculation(Answer(text, raw=text))
    assert (cut.text, cut.speculation, cut.raw) == (DENIAL, speculation, text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.",
        DENIAL,
        "The text is about lichens, but it does not mention any hardware.",
        f"{DENIAL} The text describes how lichens were mapped.",
        "- ",
    ],
)
def test_a_plain_denial_and_statements_about_the_paper_are_unchanged(text: str) -> None:
    answer = Answer(text)
    assert separate_speculation(answer) is answer


def test_an_answer_that_is_only_speculation_is_unchanged() -> None:
    answer = Answer("Graphics cards are commonly used.")
    assert separate_speculation(answer) is answer


def test_a_statement_about_the_paper_after_speculation_is_kept() -> None:
    cut = separate_speculation(Answer(f"{DENIAL} It could be a GPU. The authors thank a computing centre."))
    assert cut.text == f"{DENIAL} The authors thank a computing centre."
