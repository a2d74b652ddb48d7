"""What is left of a model's words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.readers.cleaning import WORD_LIMIT, clean
from methodlens.transcripts import prompt, render

FACT = "The fern model ran on two cards."
ASKED = prompt("Which cards?", ["Ferns grew there."])


@pytest.mark.parametrize(
    "raw",
    [
        FACT,
        f"  {FACT}\n",
        f"Helpful Answer: {FACT}",
        f"Answer: {FACT}",
        f"Answer:::\nAnswer: {FACT}\n",
        f"Helpful Answer:\n\nAnswer: {FACT}",
        f'"{FACT}"',
        f"“{FACT}”",
        f"Question: Which cards?\nAnswer: {FACT}",
        f"{FACT}\n\nReference(s):\n[1] A. Moss, 2031. Invented.",
        f"{FACT}\n\nReferences\n1. Invented.",
        f"{FACT} Reference(s): [1] Invented.",
        f"{FACT}\n\nQuestion: What about TPUs?\nHelpful Answer: None.",
        f'{FACT}\n\nQuery: "And then?"\nAnswer: More.',
        f"{FACT}\n%INSTRUCTIONS: answer again",
        f"{FACT}\nAnswer:::",
        f"{ASKED} {FACT}",
        render("Which cards?", ["Ferns grew there."], FACT),
        f"{FACT} {FACT} {FACT}",
        f"{FACT}\n\n(Word count: 7)",
        f"<think>Cards? Two.</think>\n{FACT}",
        "The fern fern fern fern fern model ran on two cards.",
    ],
)
def test_only_the_answer_itself_is_left(raw: str) -> None:
    assert clean(raw).text == FACT


def test_what_was_cut_is_kept_aside() -> None:
    assert clean(f"{FACT}\n\nReferences\n1. Invented.").cut == ("References\n1. Invented.",)


@pytest.mark.parametrize(
    "raw", ["", "  ", "Answer:::", ASKED, "<think>still thinking", "(less than 400 words)", "187 words.", "No response found"]
)
def test_nothing_is_left_where_nothing_was_answered(raw: str) -> None:
    assert clean(raw).text == ""


def test_an_echo_of_the_prompt_is_known_as_one() -> None:
    assert clean(ASKED).echoed
    assert not clean(FACT).echoed


def test_a_model_that_loops_is_known_as_one() -> None:
    assert clean("the cards of the ferns of " * 200).looped
    assert not clean(FACT).looped


def test_over_400_words_is_cut_at_the_end_of_a_sentence_and_marked() -> None:
    long = " ".join(f"Fern number {n} grew near plot {n}." for n in range(100))
    cleaned = clean(long)
    assert cleaned.cut_at_limit
    assert cleaned.text.endswith(".")
    assert WORD_LIMIT - 7 < len(cleaned.text.split()) <= WORD_LIMIT
    assert f"{cleaned.text} {cleaned.cut[-1]}" == long


@pytest.mark.parametrize(
    "answer",
    [
        "The sources were:\n- GBIF\n- a survey",
        'They call it "Fern Net" and "Moss Net"',
        "Sources of the data are surveys. Questions were asked in person.",
        "1. Yes.\n2. Yes.",
    ],
)
def test_an_honest_answer_is_left_alone(answer: str) -> None:
    assert clean(answer).text == answer


@given(st.text())
def test_cleaning_never_fails_and_never_grows(raw: str) -> None:
    assert len(clean(raw).text) <= len(raw)
