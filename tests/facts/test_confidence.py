"""How sure a fact is, and what becomes of doubtful ones."""

from methodlens.facts import DOUBTFUL, catalog, find
from methodlens.records import Answer
from methodlens.reports.fact_words import doubtful_values, shown_facts


def _confidence(key: str, *quotes: str) -> dict[str, float]:
    return dict(find([catalog()[key]], quotes).confidence.get(key, {}))


def test_every_value_has_a_confidence_by_its_text() -> None:
    found = find(catalog().values(), ["We trained a ResNet-50 in PyTorch 1.8 with Adam at a learning rate of 0.001."])
    assert found.confidence.keys() == {key for key, facts in found.facts.items() if facts}
    assert found.confidence["frameworks"].keys() == {"PyTorch"}
    assert found.confidence["learning_rate"].keys() == {"0.001"}
    assert all(0 <= number <= 1 for values in found.confidence.values() for number in values.values())


def test_a_name_is_surer_in_a_statement_of_what_the_authors_did() -> None:
    did, remark = "We trained it with Adam.", "Adam adapts its steps."
    assert _confidence("optimizers", did)["Adam"] > _confidence("optimizers", remark)["Adam"]


def test_a_name_is_surer_if_several_quotes_have_it() -> None:
    assert (
        _confidence("optimizers", "We used Adam.", "Adam was used.")["Adam"] > _confidence("optimizers", "We used Adam.")["Adam"]
    )


def test_a_listed_name_is_surer_than_one_that_no_list_has() -> None:
    found = _confidence("optimizers", "We used Adam and the AdaNewt optimizer.")
    assert found["Adam"] > found["AdaNewt"]


def test_a_doubtful_architecture_counts_only_if_no_other_is_named() -> None:
    sure, doubtful = "We trained a ResNet-50 on the newts.", "The layers of VGG-16 are small."
    assert list(_confidence("architectures", sure, doubtful)) == ["ResNet-50"]
    assert list(_confidence("architectures", "The newts sleep.", doubtful)) == ["VGG-16"]
    assert sorted(_confidence("architectures", sure, "Its encoder is based on VGG-16.")) == ["ResNet-50", "VGG-16"]


def test_a_doubtful_value_is_shown_as_such() -> None:
    answer = Answer(
        "", facts={"optimizers": ["Adam", "SGD"]}, fact_confidence={"optimizers": {"Adam": 0.9, "SGD": DOUBTFUL - 0.1}}
    )
    assert [list(map(tuple, values)) for _, values in shown_facts(answer.facts, answer.fact_confidence)] == [
        [("Adam", ""), ("SGD", "doubtful")]
    ]
    assert list(doubtful_values(answer)) == ["optimizers: SGD"]


def test_an_answer_from_an_older_ledger_has_no_confidence_and_no_doubtful_values() -> None:
    assert list(doubtful_values(Answer("", facts={"optimizers": ["Adam"]}))) == []
