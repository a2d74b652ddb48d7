"""Which kind of statement a question asks for, and which sentences make it."""

import pytest

from methodlens.relevance.cues import CUES, cues_asked, cues_said


def named(strengths: tuple[float, ...]) -> set[str]:
    return {cue.name for cue, strength in zip(CUES, strengths, strict=True) if strength}


@pytest.mark.parametrize(
    ("question", "sentence", "cue"),
    [
        ("Why were ponds left out?", "Ponds were left out because they froze.", "reason"),
        ("Does the new net catch more newts than the old one?", "The new net outperforms the old one.", "comparison"),
        ("How far did they swim?", "They swam 2.5 times as far.", "number"),
        ("How much slower were toads?", "Toads were 15% slower.", "number"),
        ("What do the authors plan next?", "We will extend the survey to lakes.", "future"),
        ("When does the trap fail?", "However, it cannot hold large newts.", "limit"),
        ("What is meant by a pond?", "A pond is defined as still water.", "definition"),
        ("How are newts told apart?", "Newts are told apart by using their spots.", "procedure"),
    ],
)
def test_a_sentence_of_the_kind_that_is_asked_for_is_known_by_its_words(question: str, sentence: str, cue: str) -> None:
    assert cue in named(cues_asked(question))
    assert cue in named(cues_said(sentence))


def test_a_plain_sentence_has_no_cue() -> None:
    assert not named(cues_said("Newts sang at night."))
