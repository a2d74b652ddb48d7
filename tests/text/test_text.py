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
