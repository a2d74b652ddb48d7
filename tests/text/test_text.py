"""Words, sentences, and finding a quote even if the two texts differ in details."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.records import Match
from methodlens.text import locate, sentences, words

PARAGRAPH = (
    "Nets were mended on Mondays. The crew (Holm et al., 2014) used a single hook, i.e. no trawl, see Fig. 2. "
    "At 3.5 knots the catch fell by 1.2 kg vs. the year before! Was it the moon? We do not know."
)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def test_abbreviations_decimals_and_initials_do_not_end_a_sentence() -> None:
    assert cut(PARAGRAPH) == [
        "Nets were mended on Mondays.",
        "The crew (Holm et al., 2014) used a single hook, i.e. no trawl, see Fig. 2.",
        "At 3.5 knots the catch fell by 1.2 kg vs. the year before!",
        "Was it the moon?",
        "We do not know.",
    ]
    assert cut("It follows Holm et al. (2014). As J. R. Holm said, nets tear.") == [
        "It follows Holm et al. (2014).",
        "As J. R. Holm said, nets tear.",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "The nets of J. Holm and A. B. Kvist were torn.",
        "It took approx. 5 days vs. 3 before, resp. 4 and 2 nights.",
        "Eq. (2), Sect. 3, Sec. 4 and App. B give the knots (cf. Fig. 3 and Alg. 1).",
        "Net No. 4 hangs on p. 12 of Vol. 3, ref. 7, since Jan. 2020.",
        "Hooks were set by Holm et al. 2019 and Kvist et al. (2020), i.e. Two crews.",
        "Version 2.0.1 of example.org v. 3 ran at 0.5 knots in the U.S. Harbour.",
        "Table 3. Nets by colour and mesh.",
        "TABLE IV. NETS BY COLOUR",
        "Fig. 2b. A net on the pier.",
        "4.2. Nets and hooks of the harbour",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(sentence: str) -> None:
    assert cut(f"We saw it. {sentence}\nThe end came.") == ["We saw it.", sentence, "The end came."]


@pytest.mark.parametrize(
    "sentence",
    [
        "The answer was no.",
        "The catch was at its max.",
        "They brought nets, hooks, etc.",
        "The crew follows Holm et al.",
        "It hangs on pier B.",
        "The net was sold in the U.S.",
        "The log is public.2",
        "The log is public.[3, 4]",
        "It ran on version 20.04.",
    ],
)
def test_a_word_that_looks_like_an_abbreviation_ends_a_sentence_before_a_new_one(sentence: str) -> None:
    assert cut(f"{sentence} The crew left.") == [sentence, "The crew left."]


def test_a_sentence_may_begin_with_a_name_in_lower_case() -> None:
    assert cut("All came from there. iNets data were used at pH. 5 knots.")[0] == "All came from there."


def test_a_line_after_a_full_stop_is_another_sentence_even_in_lower_case() -> None:
    assert cut("The nets were dried.\nmesh 5 12 0.1") == ["The nets were dried.", "mesh 5 12 0.1"]


def test_a_heading_on_a_separate_line_is_not_part_of_the_next_sentence() -> None:
    assert cut("3.5. Hardware\nAll nets hang on one\npole. So it was.") == [
        "3.5. Hardware",
        "All nets hang on one\npole.",
        "So it was.",
    ]


@given(st.text(max_size=300))
def test_sentences_cover_every_character_except_spaces(text: str) -> None:
    spans = sentences(text)
    assert all(a < b for a, b in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    left = list(text)
    for start, end in spans:
        left[start:end] = " " * (end - start)
    assert not "".join(left).strip()


def test_model_names_are_words_as_a_whole_and_in_parts() -> None:
    assert {"resnet-50", "resnet", "50"} <= set(words("a ResNet-50"))
    assert words("The GPUs of studies") == ["gpu", "study"]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("used a single hook, i.e. no trawl", "used a single hook, i.e. no trawl"),
        ("Nets were men-\nded  on Mondays", "Nets were mended on Mondays"),
        ("THE CREW (Holm et al., 2014)", "The crew (Holm et al., 2014)"),
    ],
)
def test_a_quote_is_exact_whatever_its_spaces_hyphens_and_case(quote: str, found: str) -> None:
    located = locate(quote, PARAGRAPH)
    assert located.match is Match.EXACT
    assert PARAGRAPH[located.start : located.end] == found


def test_a_quote_with_a_wrong_letter_or_two_is_fuzzy_and_an_invented_one_absent() -> None:
    near = locate("At 3.5 knots the catch fel by 1.2 kg vs the year befor", PARAGRAPH)
    assert near.match is Match.FUZZY
    assert "knots the catch fell" in PARAGRAPH[near.start : near.end]
    assert locate("The trawl was made of eight A100 hooks in total", PARAGRAPH).match is Match.ABSENT
    assert locate("   ", PARAGRAPH).match is Match.ABSENT


@given(st.text(min_size=40, max_size=400), st.integers(0, 300), st.integers(20, 100))
def test_any_part_of_a_text_is_located_where_it_occurs(text: str, start: int, size: int) -> None:
    piece = text[start : start + size]
    located = locate(piece, text)
    if any(not char.isspace() and char.isascii() and char.isalnum() for char in piece):
        assert located.match is Match.EXACT
        assert locate(text[located.start : located.end], piece).match is not Match.ABSENT
