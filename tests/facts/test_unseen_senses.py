"""Names and links in senses that a critical reading of unseen papers found to be mistaken."""

import pytest

from methodlens.facts import extract

ADDRESS = "https://github.com/pond/newts"


def test_the_plural_of_a_card_is_no_other_card() -> None:
    assert extract(["hardware"], ["We trained on eight Tesla V100s."])["hardware"][0]["name"] == "NVIDIA Tesla V100"
    assert extract(["hardware"], ["We trained on one V100S."])["hardware"][0]["name"] == "NVIDIA V100S"


@pytest.mark.parametrize("step", ["target generation", "feature generation", "candidate generation"])
def test_a_step_of_the_pipeline_is_no_task(step: str) -> None:
    assert extract(["tasks"], [f"We made {step} for the newt model faster."]) == {}


def test_an_ordinary_adjective_names_no_regularisation() -> None:
    found = extract(["regularization"], ["We used dropout, a popular regularization of newt nets."])
    assert found == {"regularization": ["dropout"]}


def test_nouns_listed_before_a_link_are_all_at_the_link() -> None:
    found = extract(["code_urls", "data_urls"], [f"Models, datasets, and code are available at {ADDRESS}."])
    assert found == {"code_urls": [ADDRESS], "data_urls": [ADDRESS]}


def test_a_clause_of_its_own_keeps_its_link_to_itself() -> None:
    found = extract(["code_urls", "data_urls"], [f"The photos are at https://pond.example/x, and code is on {ADDRESS}."])
    assert found == {"code_urls": [ADDRESS], "data_urls": ["https://pond.example/x"]}


def test_where_a_model_was_trained_is_not_where_it_runs() -> None:
    assert extract(["platforms"], ["We trained the newt net on Amazon Web Services."]) == {}
    assert extract(["platforms"], ["We trained the newt net, and it runs on a Raspberry Pi."]) == {"platforms": ["Raspberry Pi"]}
    assert extract(["platforms"], ["Windows of three seconds were cut from the calls."]) == {}
    assert extract(["platforms"], ["The app needs Windows 11."]) == {"platforms": ["Windows"]}
