"""What counts as a word, as a sign and as a pattern."""

import re

from methodlens.facts import catalog
from methodlens.facts.patterns import pattern_families
from methodlens.records import Question
from methodlens.retrieval.pattern_index import PatternIndex, families_of
from methodlens.retrieval.query import content_words
from methodlens.retrieval.sign_index import SignIndex
from methodlens.text import words


def signs(text: str, *wanted: str) -> float:
    return float(SignIndex([text]).count(wanted, 1)[0])


def patterns(text: str, **question: tuple[str, ...]) -> float:
    return float(PatternIndex([text]).count(Question("Q1", "?", **question))[0])  # type: ignore[arg-type]


def test_model_names_and_units_are_tokenized_whole_and_in_parts() -> None:
    assert {"resnet-50", "resnet", "50"} <= set(words("a ResNet-50"))
    assert {"1080ti", "1080", "ti", "gtx"} <= set(words("GTX 1080Ti"))
    assert {"16gb", "16", "gb"} <= set(words("16GB"))


def test_links_are_tokenized_whole_and_in_parts() -> None:
    assert {"github.com/gulls/pier", "github", "pier"} <= set(words("see https://github.com/gulls/pier."))


def test_numbers_are_tokenized_whole() -> None:
    assert words("12,500 at 0.001") == ["12500", "0.001"]
    assert words("80%") == ["80", "percent"]


def test_names_that_end_in_s_are_not_singularized() -> None:
    assert words("Keras bias species sizes") == ["keras", "bias", "species", "size"]


def test_a_sign_matches_whole_words_with_spaces_with_hyphens_and_joined() -> None:
    for text in ("cross validation", "Cross-validation", "crossvalidation"):
        assert signs(f"We used {text} here.", "cross validation") == 1
    assert signs("The adamant gull", "adam") == 0
    assert signs("augmented and augmentation", "augment*") == 1  # one sign, however often


def test_a_sign_does_not_match_across_passages() -> None:
    assert SignIndex(["at the end cross", "validation begins"]).count(["cross validation"], 2).tolist() == [0, 0]


def test_a_question_gets_the_patterns_of_its_facts_and_those_it_names() -> None:
    question = Question("Q1", "?", facts=("hardware",), patterns=("splits",))
    assert families_of(question) == ("splits", "hardware")


def test_patterns_match_links_devices_parameters_seeds_and_splits() -> None:
    assert patterns("The code is at https://github.com/gulls/pier", facts=("code_urls",)) > 0
    assert patterns("archived as 10.5281/zenodo.0000000", facts=("data_urls",)) > 0
    assert patterns("on a GTX 1080", facts=("hardware",)) > 0
    assert patterns("a learning rate of 0.001", patterns=("hyperparameters",)) > 0
    assert patterns("The random seed was 7.", patterns=("randomness",)) > 0
    assert patterns("80% of the images for training", patterns=("splits",)) > 0
    assert patterns("The gulls were counted at dawn.", facts=("hardware", "code_urls"), patterns=("splits",)) == 0


def test_every_pattern_compiles_and_belongs_to_facts_that_exist() -> None:
    assert all(re.compile(expression) for family in pattern_families().values() for expression in family.find)
    assert {key for family in pattern_families().values() for key in family.facts} <= set(catalog())


def test_patterns_finish_on_a_text_made_for_backtracking() -> None:
    text = "data code train 10 % learning rate " * 300 + "a" * 5000 + "1" * 5000 + " trained the the the the the the " * 200
    assert PatternIndex([text]).count(Question("Q1", "?", patterns=("splits",))).shape == (1,)


def test_question_words_are_dropped_unless_there_are_no_others() -> None:
    assert content_words("Which optimiser was used?") == ["optimiser"]
    assert content_words("Which model is used?") == ["model", "used"]
