"""The comparison of a PDF with another form of it counts a sentence with gaps only if its parts are there, in order."""

import pytest

from benchmarks.forms import has_parts

PRINTED = "Frogs live here. The pond holds 12 newts, where x = 3, and its water is still in the evening. It is deep."


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("The pond (https://example.org/pond) holds 12 newts", True),  # an address that is not printed
        ("The pond holds 12 newts, where […], and its water is still in the evening.", True),  # the image of a formula
        ("The pond holds 12 newts, where […] (4), and its water is still in the evening.", True),
        ("and its water is still in the evening […] The pond holds 12 newts", False),  # another order
        ("The pond holds 12 newts, where […], and its rim is made of old stones.", False),
        ("The pond holds 12 newts and its water is still.", False),  # no gap: located as a whole or not at all
        ("[…] (7) […]", False),
    ],
)
def test_parts_around_gaps_are_looked_for_in_order(sentence: str, found: bool) -> None:
    assert has_parts(sentence, PRINTED) is found
