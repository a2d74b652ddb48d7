"""Only the answer itself is left of a model's reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.readers.answer_cleaning import WORD_LIMIT, clean_answer
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
def test_everything_but_the_answer_is_removed(raw: str) -> None:
    assert clean_answer(raw).text == FACT


def test_removed_text_is_returned() -> None:
    assert clean_answer(f"{FACT}\n\nReferences\n1. Invented.").removed == ("References\n1. Invented.",)


@pytest.mark.parametrize(
    "raw", ["", "  ", "Answer:::", ASKED, "<think>still thinking", "(less than 400 words)", "187 words.", "No response found"]
)
def test_a_reply_without_an_answer_becomes_empty(raw: str) -> None:
    assert clean_answer(raw).text == ""


def test_an_echo_of_the_prompt_is_recognised() -> None:
    assert clean_answer(ASKED).echoes_prompt
    assert not clean_answer(FACT).echoes_prompt


def test_repetition_is_recognised() -> None:
    assert clean_answer("the cards of the ferns of " * 200).repetitive
    assert not clean_answer(FACT).repetitive


def test_an_answer_over_400_words_is_truncated_at_the_end_of_a_sentence_and_marked() -> None:
    long = " ".join(f"Fern number {n} grew near plot {n}." for n in range(100))
    cleaned = clean_answer(long)
    assert cleaned.truncated
    assert cleaned.text.endswith(".")
    assert WORD_LIMIT - 7 < len(cleaned.text.split()) <= WORD_LIMIT
    assert f"{cleaned.text} {cleaned.removed[-1]}" == long


@pytest.mark.parametrize(
    "answer",
    [
        "The sources were:\n- GBIF\n- a survey",
        'They call it "Fern Net" and "Moss Net"',
        "Sources of the data are surveys. Questions were asked in person.",
        "1. Yes.\n2. Yes.",
    ],
)
def test_a_normal_answer_is_not_changed(answer: str) -> None:
    assert clean_answer(answer).text == answer


@given(st.text())
def test_cleaning_never_fails_and_never_adds_text(raw: str) -> None:
    assert len(clean_answer(raw).text) <= len(raw)
