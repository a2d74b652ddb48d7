"""Quotes are located in the paper, and claims are compared with them."""

import pytest

from methodlens.readers.grounding import find_support, locate_quote, unsupported_claims
from methodlens.records import Evidence, Hit, Line, Match, Page, Paper, Passage, Section, SectionKind, Word

METHODS = (
    "The fern model was built in PyTorch. Training took 96 h on a cluster equipped with 4 RTX8000. "
    "Plots were visited in June and ferns were counted by hand. We used the Adam optimiser with a learning rate of 0.01. "
)
REFERENCES = "Moss, A., 2031. Counting ferns from the air with eight A100 cards. J. Ferns 4."
TEXT = METHODS + REFERENCES
PAPER = Paper(
    sha256="0" * 64,
    parser="test",
    text=TEXT,
    pages=(Page(1, 600, 800),),
    lines=(
        Line(0, len(METHODS), 1, 0, 10, (Word(0, len(METHODS), 0, 500),)),
        Line(len(METHODS), len(TEXT), 1, 20, 30, (Word(0, len(TEXT) - len(METHODS), 0, 500),)),
    ),
    sections=(
        Section(SectionKind.METHODS, "Methods", 0, len(METHODS)),
        Section(SectionKind.REFERENCES, "References", len(METHODS), len(TEXT)),
    ),
)
HITS = [Hit(Passage(0, len(METHODS), 1, "Methods", METHODS), 1.0)]
QUESTION = "Which hardware resources are used for training the deep learning model (e.g., GPUs, TPUs)?"


def quoted(*quotes: str) -> list[Evidence]:
    return [Evidence(quote, Match.EXACT) for quote in quotes]


def test_a_quote_is_located_with_its_page() -> None:
    evidence = locate_quote("training took 96 h on a clus- ter", PAPER)
    assert (evidence.match, evidence.quote) == (Match.EXACT, "Training took 96 h on a cluster")
    assert [place.page for place in evidence.places] == [1]


def test_a_fuzzy_quote_is_returned_in_the_wording_of_the_paper() -> None:
    evidence = locate_quote("Training took 96 h on the cluster equipped with 4 RTX8000.", PAPER)
    assert evidence.match is Match.FUZZY
    assert evidence.quote == "Training took 96 h on a cluster equipped with 4 RTX8000."


@pytest.mark.parametrize(
    "quote",
    [
        "Training took 12 h on somebody's laptop",
        "Counting ferns from the air with eight A100 cards",
        "Training took 96",
        "in June and fe",
        "",
    ],
    ids=["invented", "references", "three words", "few characters", "empty"],
)
def test_invented_quotes_quotes_from_the_references_and_very_short_quotes_are_absent(quote: str) -> None:
    assert locate_quote(quote, PAPER).match is Match.ABSENT


def test_a_plain_answer_is_supported_by_verbatim_sentences() -> None:
    evidence = find_support("The model was trained in 96 hours on four RTX 8000 cards.", PAPER, HITS, question=QUESTION)
    assert evidence[0].quote == "Training took 96 h on a cluster equipped with 4 RTX8000."
    assert all(TEXT[item.start : item.end] == item.quote for item in evidence)


def test_an_answer_that_shares_nothing_with_the_context_has_no_support() -> None:
    assert find_support("Whales sing in winter.", PAPER, HITS) == ()
    assert find_support("The context does not provide the hardware used for training.", PAPER, HITS, question=QUESTION) == ()


def test_only_the_context_supports_an_answer_and_never_the_references() -> None:
    cited = [Hit(Passage(len(METHODS), len(TEXT), 1, "References", REFERENCES), 1.0)]
    assert find_support("Training took 96 h on 4 RTX8000.", PAPER, []) == ()
    assert find_support("Ferns were counted with eight A100 cards.", PAPER, cited) == ()


def test_support_is_at_most_four_quotes_and_1400_characters() -> None:
    text = " ".join(f"Sensor Zeta{n} stood in plot {n} beside a wall of {'grey ' * 60}stones." for n in range(6))
    paper = Paper(sha256="", parser="", text=text)
    hits = [Hit(Passage(0, len(text), 1, "", text), 1.0)]
    evidence = find_support(" ".join(f"Zeta{n}" for n in range(6)), paper, hits)
    assert 1 <= len(evidence) <= 4
    assert sum(len(item.quote) for item in evidence) <= 1400


def test_a_claim_of_eight_a100_is_not_supported_by_four_rtx8000() -> None:
    assert unsupported_claims("It was trained on 8 A100 GPUs.", quoted(METHODS), question=QUESTION) == ("8", "A100")
    assert "Eight" in unsupported_claims("Eight A100 were used.", quoted(METHODS))


@pytest.mark.parametrize(
    "answer",
    [
        "The deep learning model was trained on four RTX 8000 GPUs.",
        "A cluster with 4 RTX-8000 ran for 96 hours.",
        "Specifically, it took 96h on rtx8000 cards.",
        "The authors used Pytorch and ADAM (learning rate: 0.010).",
        "1. PyTorch\n2. Adam",
        "It ran on RTX8000 cards [7], see Table 3 and Fig. 2. No TPUs or Keras are mentioned.",
        "Based on the context, a Convolutional Neural Network (CNN) was trained. Additionally, Adam was used.",
    ],
)
def test_the_same_claim_in_another_notation_is_supported(answer: str) -> None:
    assert unsupported_claims(answer, quoted(METHODS), question=QUESTION) == ()


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("It took 97 hours.", ("97",)),
        ("It was built in TensorFlow.", ("TensorFlow",)),
        ("It was built with Keras.", ("Keras",)),
        ("They used RTX800 cards.", ("RTX800",)),
        ("8000 images were used.", ("8000",)),
        ("The rate was 1e-3.", ("1e-3",)),
        ("A ResNet-50 was used.", ("ResNet-50",)),
        ("The code is at https://example.org/ferns.", ("https://example.org/ferns",)),
        ("There were two clusters.", ("two",)),
    ],
)
def test_a_number_name_or_link_that_is_in_no_quote_is_unsupported(answer: str, claims: tuple[str, ...]) -> None:
    assert unsupported_claims(answer, quoted(METHODS), question=QUESTION) == claims


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        ("The learning rate was 0.0001.", "a learning rate of 10−4 was set"),
        ("The learning rate was 1e-4.", "a learning rate of 0.0001 was set"),
        ("9000 iterations were run.", "we ran 9,000 iterations"),
        ("Images had 640 × 480 pixels.", "images of 640x480 pixels"),
        ("The code is at https://www.example.org/ferns/.", "code: example.org/ fe rns"),
        ("Two Titan Xp cards were used.", "NVIDIA TITAN Xp * 2"),
        ("SGD was used.", "with stochastic gradient descent"),
        ("Tensorflow was used.", "models in Ten- sorFlow were"),
        ("An EPYC 9999 was used.", "with an AMD EPYC™ 9999 of ours"),
        ("1 GPU was used.", "on a GPU of ours"),
    ],
)
def test_numbers_links_and_abbreviations_are_compared_by_meaning(answer: str, quote: str) -> None:
    assert unsupported_claims(answer, quoted(quote)) == ()


def test_an_absent_quote_supports_nothing() -> None:
    assert unsupported_claims("It took 96 hours.", [Evidence("It took 96 hours.", Match.ABSENT)]) == ("96",)


@pytest.mark.parametrize(
    ("answer", "quote", "claims"),
    [
        ("It ran on 8 RTX8000 cards.", "It ran on 4 RTX8000 with a batch size of 8.", ("8",)),
        ("Eight NVIDIA Titan RTX were used.", "on two NVIDIA Titan RTX, in batches of eight", ("Eight",)),
        ("It ran on 4 RTX8000 cards.", "It ran on 4 RTX8000 with a batch size of 8.", ()),
        ("Four RTX 8000 were used.", "a cluster with 4 RTX8000", ()),
        ("Two Titan Xp were used.", "NVIDIA TITAN Xp * 2, in batches of 8", ()),
        ("It used 2 GPUs per node, 8 GPUs in all.", "with 2 GPUs a node; 8 GPUs together", ()),
        ("Two A100 GPUs were used.", "A100 GPUs were used, of which we had two", ()),
        ("A Titan X with 12 GB.", "on a Titan X (12 GB)", ()),
    ],
)
def test_the_count_of_a_named_thing_is_not_taken_from_another_number_in_the_quotes(
    answer: str, quote: str, claims: tuple[str, ...]
) -> None:
    assert unsupported_claims(answer, quoted(quote)) == claims
