"""A font that has the degree sign in the place of a letter costs no number."""

import numpy as np
import pytest

from methodlens.papers.pdf.degree_signs import with_degree_signs
from methodlens.papers.pdf.glyphs import Column, Glyphs


def drawn(text: str, ink_of_last: tuple[float, float, float, float]) -> tuple[Glyphs, Column]:
    """Digits with ink from 2 to 9 below the top of the line, and a last letter with this ink."""
    boxes = np.array([(5.0 * at, 0.0, 5.0 * at + 5, 12.0) for at in range(len(text))])
    ink = np.array([(5.0 * at, 2.0, 5.0 * at + 4, 9.0) for at in range(len(text))])
    ink[-1] = ink_of_last
    return Glyphs(np.arange(len(text)), text, boxes), ink


@pytest.mark.parametrize(
    ("ink", "read"),
    [
        ((10.0, 2.0, 13.0, 5.0), "20°"),  # a small round mark beside the head of the digits
        ((10.0, 4.0, 14.0, 9.0), "20u"),  # the letter
        ((10.0, 7.0, 12.0, 9.0), "20u"),  # a mark at the foot
        ((10.0, 2.0, 11.0, 5.0), "20u"),  # a stroke, such as that of feet and minutes
    ],
)
def test_a_letter_drawn_as_a_small_raised_ring_after_a_digit_is_a_degree_sign(
    ink: tuple[float, float, float, float], read: str
) -> None:
    assert with_degree_signs(*drawn("20u", ink)).text == read


def test_a_raised_ring_after_a_letter_is_left_to_the_other_checks() -> None:
    assert with_degree_signs(*drawn("mau", (10.0, 2.0, 13.0, 5.0))).text == "mau"
