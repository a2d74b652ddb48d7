"""The comparison of a PDF with another form of it counts a sentence with gaps only if its parts are there, in order."""

import pytest

from benchmarks.form_sentences import has_run, is_prose, parts_of

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
    assert (parts_of(sentence, PRINTED) is not None) is found


@pytest.mark.parametrize(
    ("line", "prose"),
    [
        ("Frogs live in the deep pond behind the house.", True),
        ("See the text for an explanation of the pond. doi:10.5555/pond.g001", True),
        ("Found at: doi:10.5555/journal.pond.0012255.s001 (0.80 MB TIF)", False),  # a pointer to a file
        ("w(v,i) m ~cv i rf (i) rf z fc(i) rc, (12) a + b = c", False),  # a formula on a line of its own
        ("[…] (8) […] (9) […] (10) […] (11) Since […] and […]", False),
    ],
)
def test_only_prose_is_a_body_sentence(line: str, prose: bool) -> None:
    assert is_prose(line) is prose


def test_a_file_has_a_sentence_if_its_raw_text_has_a_run_of_its_letters() -> None:
    raw = "frogsliveinthedeeppondbehindthehouse"
    assert has_run("Many frogs live in the deep pond behind it.", raw)
    assert not has_run("Newts live on the stones before the gate.", raw)
