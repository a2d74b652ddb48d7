"""Facts that people enter: typed, validated, and written as the export writes them."""

from typing import Any

import pytest

from methodlens.errors import InputError
from methodlens.facts.catalog import catalog
from methodlens.facts.shapes import Amount, checked_facts, editable_types, shape_of
from methodlens.questions import load
from methodlens.records import Question

HARDWARE = Question("Q", "Which hardware?", facts=("hardware", "training_time_h", "derived"))
TRAINING = Question(
    "Q", "Which hyperparameters?", facts=("learning_rate", "batch_size", "loss", "split", "seeds", "code_urls", "metrics")
)


def test_objects_keep_all_their_fields_and_numbers_become_numbers() -> None:
    entered = {"hardware": [{"name": " NVIDIA A100 ", "count": "4", "memory_gb": "40", "kind": ""}], "training_time_h": "6.5"}
    assert checked_facts(entered, HARDWARE) == {
        "hardware": [{"name": "NVIDIA A100", "kind": None, "count": 4, "memory_gb": 40}],
        "training_time_h": 6.5,
    }


def test_one_value_stands_alone_and_several_are_a_list() -> None:
    entered = {"learning_rate": ["0.1", "1e-3"], "batch_size": ["32"], "metrics": ["F1"], "seeds": [7]}
    assert checked_facts(entered, TRAINING) == {"learning_rate": [0.1, 0.001], "batch_size": 32, "metrics": ["F1"], "seeds": [7]}


def test_blank_values_are_left_out() -> None:
    entered = {"learning_rate": ["", None], "split": [{"train": "0.8", "test": ""}], "metrics": [" "], "loss": []}
    assert checked_facts(entered, TRAINING) == {"split": {"train": 0.8}}
    assert checked_facts({"hardware": [{"name": "", "count": ""}]}, HARDWARE) == {}


@pytest.mark.parametrize(
    ("entered", "message"),
    [
        ({"learning_rate": ["fast"]}, "learning rate: 'fast' is not a number"),
        ({"learning_rate": [True]}, "learning rate is not a text"),
        ({"learning_rate": ["inf"]}, "'inf' is not a number"),
        ({"batch_size": ["2.5"]}, "2.5 is not a whole number"),
        ({"split": [{"train": 0.8}, {"train": 0.7}]}, "split has 2 values"),
        ({"split": "80/20"}, "split needs fields"),
        ({"split": {"tran": 0.8}}, "no field 'tran'"),
        ({"code_urls": ["our website"]}, "is not a link"),
        ({"metrics": ["x" * 501]}, "501 characters"),
        ({"metrics": ["x"] * 101}, "101 values"),
        ({"gpu": ["A100"]}, "has no fact 'gpu'"),
    ],
)
def test_what_is_no_such_value_is_refused_with_its_reason(entered: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        checked_facts(entered, TRAINING)
    assert message in str(refused.value)


def test_a_thing_needs_a_name() -> None:
    with pytest.raises(InputError, match="no name"):
        checked_facts({"hardware": [{"count": 2}]}, HARDWARE)


def test_estimates_of_methodlens_cannot_be_edited() -> None:
    assert [fact_type.key for fact_type in editable_types(HARDWARE)] == ["hardware", "training_time_h"]


def test_the_fact_of_each_shipped_question_has_the_shape_that_its_type_exports() -> None:
    keys = {fact_type.key for question in load("dl-methods").questions for fact_type in editable_types(question)}
    for key in keys:
        shape = shape_of(key)
        merged = catalog()[key].merge([dict.fromkeys(shape.fields, 1) or 1])
        assert isinstance(merged, list) == (shape.amount is Amount.LIST), key
