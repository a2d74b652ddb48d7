"""What of a quote an answer can use, however the page was laid out."""

import pytest

from methodlens.readers.embedded.clauses import clauses
from methodlens.readers.embedded.readable_part import readable_part
from methodlens.readers.embedded.tidying import tidy


@pytest.mark.parametrize(
    ("quote", "kept"),
    [
        (
            "Table II. All nets were trained for 60 epochs on the same ponds.",
            "All nets were trained for 60 epochs on the same ponds.",
        ),
        ("In Table 3, we show the accuracy for each pond.", "We show the accuracy for each pond."),
        (
            "We took the first 60% of the calls for training. depth = 60 cm width newt frog",
            "We took the first 60% of the calls for training.",
        ),
        ("Newts were filmed at night. Pond 1 Pond 2 Pond 3 Depth (m)", "Newts were filmed at night."),
        ("We used Adam with β1 = 0.9, β2 = 0.98 and ϵ = 10^−9.", "We used Adam with β1 = 0.9, β2 = 0.98 and ϵ = 10^−9."),
        ("We swept the rates {1 · 10^−5, 3 · 10^−5} for each pond.", "We swept the rates {1 · 10^−5, 3 · 10^−5} for each pond."),
        (
            "Attention extends the reach, yet large ponds remain a challenge.",
            "Attention extends the reach, yet large ponds remain a challenge.",
        ),
        ("Nets were tuned with approx. two ponds per newt.", "Nets were tuned with approx. two ponds per newt."),
    ],
)
def test_the_sentence_is_kept_without_what_the_layout_glued_to_it(quote: str, kept: str) -> None:
    assert readable_part(tidy(quote)) == kept


@pytest.mark.parametrize(
    "quote",
    [
        "Table 2. The mean depth and width of the ponds",
        "and the newts were released into the pond.",
        "3(a) shows the newts of each pond.",
        "P(newt | pond) = exp(x · w) / ∑ exp(x · w_i), where w = (w1, ..., wn).",
        "Keywords: newts, ponds, deep learning.",
    ],
)
def test_captions_fragments_and_formulas_are_no_part_of_an_answer(quote: str) -> None:
    assert not readable_part(tidy(quote))


def test_what_a_sentence_is_limited_to_stays_with_it() -> None:
    (newts,) = clauses("For newts, the net was trained for 70 epochs.")
    assert newts.text == "For newts, the net was trained for 70 epochs"
    assert [each.text for each in clauses("For simplicity, the net was trained once.")] == ["the net was trained once"]


def test_a_short_value_stays_with_its_clause() -> None:
    assert [each.text for each in clauses("We counted newts in ponds (9 of 10 ponds).")] == [
        "We counted newts in ponds (9 of 10 ponds)"
    ]
    assert [each.text for each in clauses("We used the reed set, which has 40 ponds.")] == [
        "We used the reed set, which has 40 ponds"
    ]
    assert len(clauses("We used the reed set, which is small.")) == 2
