import pytest

from methodlens.readers.embedded.attribution import Attribution, attribute
from methodlens.readers.embedded.sign_matching import matching_signs
from methodlens.records import SectionKind


@pytest.mark.parametrize(
    ("sentence", "section"),
    [
        ("We trained the newt net on two GPUs.", SectionKind.INTRODUCTION),
        ("In this study, newt calls are classified.", SectionKind.ABSTRACT),
        ("The net was implemented with Torchnewt (Okafor et al. 2019).", SectionKind.METHODS),
        ("Following Okafor et al. (2019), we froze the first layers.", SectionKind.METHODS),
        ("Okafor et al. (2019) used eight GPUs, whereas we used one.", SectionKind.DISCUSSION),
        ("The learning rate is set to 0.1.", SectionKind.METHODS),
        ("All calls were resampled to 16 kHz.", SectionKind.OTHER),
        ("The source code can be found at https://github.com/lab/newts.", SectionKind.INTRODUCTION),
        ("Images were often resized before training.", SectionKind.METHODS),
    ],
)
def test_sentences_about_the_authors_work_are_own(sentence: str, section: SectionKind) -> None:
    assert attribute(sentence, section) is Attribution.OWN


@pytest.mark.parametrize(
    "sentence",
    [
        "It is open source and available on GitHub.",
        "1The code and trained nets have been released at https://github.com/lab/newts.",
        "Our scripts can be available from https://github.com/lab/newts.",
        "Code will be made publicly available at https://github.com/lab/newts.",
        "Code has been open-sourced at https://github.com/lab/newts.",
        "Code: https://github.com/lab/newts",
        "Project page: https://newts.github.io/pond",
        "See https://github.com/lab/newts for the code and trained nets.",
        "To facilitate future research, we release the code.",
        "To facilitate future research, the code is released at https://github.com/lab/newts.",
        "We plan to release the code at https://github.com/lab/newts.",
    ],
)
def test_statements_on_released_code_are_own_in_an_introduction(sentence: str) -> None:
    assert attribute(sentence, SectionKind.INTRODUCTION) is Attribution.OWN


@pytest.mark.parametrize(
    ("sentence", "attribution"),
    [
        ("Okafor et al. (2019) released code at https://github.com/okafor/newts.", Attribution.CITED),
        ("The PondKit project (https://github.com/ponds/kit) reads newt calls.", Attribution.BACKGROUND),
        ("In future work, we will make the net smaller.", Attribution.FUTURE),
        ("We plan to release the code.", Attribution.FUTURE),
    ],
)
def test_links_and_plans_of_an_introduction_are_not_all_own(sentence: str, attribution: Attribution) -> None:
    assert attribute(sentence, SectionKind.INTRODUCTION) is attribution


@pytest.mark.parametrize(
    "sentence",
    [
        "Okafor et al. (2019) trained their net on eight V100s.",
        "Okafor and Lind [12] trained a net on eight V100s.",
        "Lind (2018) used a transformer for newt calls.",
        "Previous studies trained such nets on a single GPU.",
        "The dominant newt detection models are based on ponds.",
        "For example, Okafor et al. trained a net on V100s.",
        "Okafor, N., Lind, A. B., 2019. Newts on GPUs. Pond Lett. 12, 34–56.",
        "Pond Lett. 12, 34–56. https://doi.org/10.9999/newt.2019.",
        "Abbreviations: CNN, convolutional neural network; GPU, graphics processing unit.",
    ],
)
def test_sentences_about_the_work_of_others_are_cited_even_in_methods(sentence: str) -> None:
    assert attribute(sentence, SectionKind.METHODS) is Attribution.CITED


@pytest.mark.parametrize(
    "sentence",
    [
        "CNNs are commonly executed on GPU hardware.",
        "Training such nets requires expensive GPUs.",
        "Tuning might not be possible without a GPU.",
        "A transformer is a type of neural network.",
        "Many newt models use a feedforward network.",
        "There is increased interest in newt networks.",
        "The newt network is a natural generalisation of the frog network.",
    ],
)
def test_general_statements_are_background(sentence: str) -> None:
    assert attribute(sentence, SectionKind.METHODS) is Attribution.BACKGROUND


def test_plans_are_future() -> None:
    assert attribute("In future work, we will train the net on GPUs.", SectionKind.DISCUSSION) is Attribution.FUTURE


def test_an_introduction_is_background_by_default() -> None:
    assert attribute("Newts call at night.", SectionKind.INTRODUCTION) is Attribution.BACKGROUND


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("We used five-fold cross-validation.", {"cross validation"}),
        ("Calls were augmented.", {"augment*"}),
        ("Subaugmented calls.", set()),
        ("No augmentation, but cross validation.", {"cross validation"}),
        ("Trained without any augmentation.", set()),
        ("AUGMENTATION\nhelps.", {"augment*"}),
    ],
)
def test_a_sign_matches_whole_words_that_are_not_negated(sentence: str, found: set[str]) -> None:
    assert matching_signs(sentence, ("augment*", "cross validation")) == found
