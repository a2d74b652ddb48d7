import pytest
from hypothesis import given
from hypothesis import strategies as st

from methodlens.facts import extract
from methodlens.facts.hyperparameters import settings
from methodlens.facts.numbers import quantity


def _set(text: str) -> list[tuple[str, float]]:
    return list(dict.fromkeys((each.key, each.value) for each in settings(text)))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a learning rate of 1e-4", 0.0001),
        ("a learning rate of 10−3", 0.001),
        ("a learning rate of 10^-3", 0.001),
        ("an initial learning rate of 1 × 10−4", 0.0001),
        ("learning rate: 0.02", 0.02),
        ("lr = 5e-5", 0.00005),
        ("Learning rate 2x10-4", 0.0002),
        ("the learning rate was set to 0.003", 0.003),
        ("a 0.01 learning rate", 0.01),
        ("a learning rate that decays linearly from 0.1 to 0.001", 0.1),
        ("an adaptive learning rate, i.e. we started with 0.05 and halved it", 0.05),
    ],
)
def test_learning_rates_are_read_in_any_notation(text: str, value: float) -> None:
    assert _set(f"The newt net was trained with {text}.") == [("learning_rate", value)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("batches of 32", [("batch_size", 32)]),
        ("a mini-batch size of 64", [("batch_size", 64)]),
        ("a minibatch size of eight images per GPU", [("batch_size", 8)]),
        ("16 clips per batch", [("batch_size", 16)]),
        ("Batch size 3 32", [("batch_size", 3), ("batch_size", 32)]),
        ("Batch size: 24 (small net), 100 (large net)", [("batch_size", 24), ("batch_size", 100)]),
        ("for 100 epochs", [("epochs", 100)]),
        ("epochs = 40", [("epochs", 40)]),
        ("the number of epochs was set to 12", [("epochs", 12)]),
        ("at most 10,000 epochs", [("epochs", 10000)]),
        ("for twenty epochs", [("epochs", 20)]),
        ("for 50k iterations", [("iterations", 50000)]),
        ("for 20,000 steps", [("iterations", 20000)]),
        ("momentum of 0.9", [("momentum", 0.9)]),
        ("Nesterov momentum (Otter et al. 2013) of 0.8", [("momentum", 0.8)]),
        ("a weight decay of 5 × 10−4", [("weight_decay", 0.0005)]),
        ("dropout rate 0.5", [("dropout", 0.5)]),
        ("a 50% dropout layer", [("dropout", 0.5)]),
        ("a dropout of 20% and 30%", [("dropout", 0.2), ("dropout", 0.3)]),
        (
            "learning rate, batch size and number of epochs of 0.001, 32 and 90, respectively",
            [("learning_rate", 0.001), ("batch_size", 32), ("epochs", 90)],
        ),
        (
            "Adam (learning rate 1e-3, weight decay 1e-5, batch size 8) for 7 epochs",
            [("learning_rate", 0.001), ("weight_decay", 0.00001), ("batch_size", 8), ("epochs", 7)],
        ),
    ],
)
def test_each_number_goes_to_its_parameter(text: str, expected: list[tuple[str, float]]) -> None:
    assert _set(f"The newt net was trained with {text}.") == expected


@pytest.mark.parametrize(
    "text",
    [
        "The learning rate was divided by 10 every 30 epochs.",
        "Training stopped when nothing improved for the last 20 epochs.",
        "We used a patience of 10 epochs.",
        "Weights were saved every 5 epochs.",
        "We used no dropout of 0.5.",
        "Batch normalisation follows each of the 5 layers.",
        "The learning rate is shown in Table 3.",
        "Momentum is a vector in R3.",
        "In each batch, images of 224 x 224 pixels were used after 3 days.",
    ],
)
def test_unrelated_numbers_are_not_settings(text: str) -> None:
    assert _set(text) == []


def test_a_setting_keeps_its_printed_form() -> None:
    assert [each.printed for each in settings("a learning rate of 1 × 10−4 for 1,000 epochs")] == ["1 × 10−4", "1,000"]


@given(st.floats(min_value=1e-7, max_value=0.9))
def test_numbers_are_parsed_in_any_notation(value: float) -> None:
    assert quantity(f"{value:.3e}".replace("e-0", "e-")) == pytest.approx(float(f"{value:.3e}"))


@given(st.text())
def test_settings_can_be_read_from_any_text(text: str) -> None:
    settings(text)
    settings(f"learning rate {text} batch size {text} 3 epochs")


def test_of_a_table_with_trials_the_chosen_values_count() -> None:
    row = "Table 4. Learning rate: 0.01, 0.03 (Search space), 0.03 (Final value); Epochs: 40 (Final value)"
    assert extract(["learning_rate", "epochs"], [row]) == {"learning_rate": 0.03, "epochs": 40}
    only_tried = "Table 4. Learning rate: 0.01, 0.03 (Search space)"
    assert extract(["learning_rate"], [only_tried])["learning_rate"] == [0.01, 0.03]


def test_an_interval_of_epochs_is_no_length_of_training() -> None:
    assert "epochs" not in extract(["epochs"], ["Most newt runs stopped between epochs 31 and 44."])
