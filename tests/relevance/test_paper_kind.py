"""Which kind of paper it is: its words tell, and doubt is kept as a share."""

import pytest

from methodlens.relevance.model import load_model
from methodlens.relevance.sentence_table import Chunk, SentenceTable

ML = (
    "A convolutional neural network was trained for 40 epochs with a learning rate of 0.1 and a batch size of 8.",
    "We compare the classifier with an LSTM on the test set, in PyTorch.",
    "The loss function was the cross-entropy. Newts were counted.",
)
TRIAL = (
    "In this randomised controlled trial, newts were randomly assigned to the intervention group or to placebo.",
    "The primary outcome was weight. Allocation concealment was by sealed envelopes.",
    "Analysis was by intention to treat, and adverse events were noted. It was double-blind.",
)
NEITHER = ("Newts were counted at dusk.", "The pond was cold.", "Reeds grew on the shore.")


def kinds(*texts: str) -> tuple[float, ...]:
    return SentenceTable([Chunk(0, "methods", text) for text in texts], load_model().encoder).kinds


@pytest.mark.parametrize(("texts", "place"), [(ML, 0), (TRIAL, 1), (NEITHER, 2)])
def test_the_words_of_a_paper_tell_its_kind(texts: tuple[str, ...], place: int) -> None:
    assert kinds(*texts)[place] > 0.75


def test_a_paper_that_mentions_a_method_once_is_mostly_of_another_kind() -> None:
    assert 0.1 < kinds(*NEITHER, "Others trained a neural network.")[0] < 0.3


def test_the_shares_of_a_paper_of_both_kinds_add_up_to_one() -> None:
    shares = kinds(*ML, *TRIAL)
    assert sum(shares) == pytest.approx(1)
    assert min(shares[:2]) > 0.3


def test_no_kind_is_ever_ruled_out() -> None:
    assert min(kinds(*ML)) >= 0.09
    assert min(kinds(*TRIAL)) >= 0.09


def test_a_paper_without_sentences_is_of_no_special_kind() -> None:
    assert kinds() == pytest.approx((0.1, 0.1, 0.8))
