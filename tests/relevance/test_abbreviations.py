"""Abbreviations that a paper defines mean what they stand for."""

import pytest

from methodlens.relevance.abbreviations import abbreviations
from methodlens.relevance.sentence_table import Chunk, SentenceTable
from methodlens.text.vectors import load_vectors


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A newt call network (NCN) listens.", {"ncn": "newt call network"}),
        ("Newt-call networks (NCNs) listen.", {"ncn": "newt call networks"}),
        ("The survey of the ponds (SP) began.", {"sp": "survey of the ponds"}),
        ("The network listens (NCN).", {}),
        ("Ponds (Brook) froze.", {}),
    ],
)
def test_an_abbreviation_stands_for_the_words_before_it_with_its_letters(sentence: str, expected: dict[str, str]) -> None:
    assert abbreviations([sentence]) == expected


def test_a_sentence_says_what_its_abbreviations_stand_for_and_the_reverse() -> None:
    texts = ("We built a newt call network (NCN).", "The NCN sleeps.", "Each newt call network wakes up.", "Toads sleep.")
    table = SentenceTable([Chunk(0, "methods", " ".join(texts))], load_vectors())
    assert [row.text for row in table.rows] == list(texts)
    assert table.with_term(("network",)) == [0, 1, 2]
    assert table.with_term(("ncn",)) == [0, 1, 2]


def test_sentences_with_an_amount_of_a_thing_are_known() -> None:
    texts = ("We set 48 large nets.", "Nets were set in two ponds.", "They sang.")
    table = SentenceTable([Chunk(0, "methods", " ".join(texts))], load_vectors())
    assert table.with_amount(("net",)) == [0]
    assert table.with_amount(("pond", "net")) == [0, 1]
