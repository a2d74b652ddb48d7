"""Schedules, several stages or models in one sentence, symbols, and machines without a name."""

import pytest

from methodlens.facts.hardware import hardware
from methodlens.facts.hyperparameters import HYPERPARAMETERS
from methodlens.facts.times import all_training_hours
from tests.facts.setting_values import setting_values


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("We set the learning rate to 0.1 and reduce it to 0.01 and 0.001 at the 80th and 120th epoch.", [0.1, 0.01, 0.001]),
        ("The learning rate was 0.1, then 0.01 after 30 newts.", [0.1, 0.01]),
        ("The learning rate starts at 0.05 and is lowered to 0.005 after 40k frogs.", [0.05, 0.005]),
        ("The learning rate was dropped from 0.01 to 0.001 once the frogs slept.", [0.01, 0.001]),
        ("A learning rate that decays from 1e-3 to 1e-5.", [0.001, 1e-5]),
        ("A learning rate of 0.1 was used for the first pond and 0.01 afterwards.", [0.1, 0.01]),
        ("We used a learning rate of 0.1 until epoch 50 and 0.01 thereafter.", [0.1, 0.01]),
        ("Learning rate: 1e-2 → 1e-4", [0.01, 0.0001]),
        ("We start with learning rate 1e-3, and drop it to 1e-4 when the loss plateaus.", [0.001, 0.0001]),
        ("The initial learning rate is 0.1 (0.01 for newts).", [0.1, 0.01]),
        ("We fine-tune with a decayed learning rate (cosine decay from 3e-5).", [3e-5]),
    ],
)
def test_every_rate_that_holds_for_a_while_is_read(text: str, rates: list[float]) -> None:
    assert setting_values(text)["learning_rate"] == rates


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("The learning rate is decreased linearly from 1e-3 to 1e-6.", 0.001),
        ("The learning rate of 0.1 is annealed to 1e-6 with a cosine schedule.", 0.1),
        ("We warm up the learning rate from 1e-6 to 1e-3 and then decay it to 1e-5 with a cosine schedule.", 0.001),
        ("The learning rate is 0.01 and the decay rate is 0.9 for every 10 newts.", 0.01),
    ],
)
def test_the_end_of_a_rate_that_glides_is_not_read(text: str, rate: float) -> None:
    assert setting_values(text)["learning_rate"] == [rate]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use a learning rate of 0.002, and reduce the temperature to 0.5 after a while.", {"learning_rate": [0.002]}),
        ("The learning rate of 0.01 reduces the loss to 0.3 after a while.", {"learning_rate": [0.01]}),
        ("The learning rate was 0.002; the margin was set to 0.5 for ponds.", {"learning_rate": [0.002]}),
        ("A learning rate of 0.001 was used, and λ was set to 0.1 for all newts.", {"learning_rate": [0.001]}),
        ("We set the learning rate to 1e-4 for all newts, and 0.5 for the loss weight.", {"learning_rate": [0.0001]}),
        ("The learning rate of the body is 0.1 times that of the head.", {}),
        ("The learning rate is adjusted by γ = γ0 ∗ (0.5 + cos(t)).", {}),
        ("The learning rate of the body is 1/10 of that of the head.", {}),
        ("We train with a batch size of 64 and one additional newt.", {"batch_size": [64]}),
        ("We set the batch size to 16 and limit the length of a croak to 50 (by cutting it).", {"batch_size": [16]}),
    ],
)
def test_numbers_of_something_else_are_not_taken_for_a_later_stage(text: str, expected: dict[str, list[float]]) -> None:
    assert setting_values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The batch size is set to 128 for FrogNet and NewtNet and to 4 for ToadNet.", {"batch_size": [128, 4]}),
        ("We use a batch size of 16 for large (ponds, lakes) and 4 for small (pools) sets.", {"batch_size": [16, 4]}),
        ("We use a learning rate of 0.01 on the pond set and of 0.001 on the lake set.", {"learning_rate": [0.01, 0.001]}),
        ("The learning rate was set to 1e-4 for frogs and to 4e-4 for newts.", {"learning_rate": [0.0001, 0.0004]}),
        ("We increase the dropout ratio from 0.2 for the small frog to 0.5 for the large one.", {"dropout": [0.2, 0.5]}),
        ("Training takes 30 epochs on the pond set and 60 on the lake set.", {"epochs": [30, 60]}),
        ("We train the teacher for 300 epochs, and the student for 100.", {"epochs": [300, 100]}),
        ("We trained for 30 epochs + 10 when fine-tuning.", {"epochs": [30, 10]}),
        ("We trained for 90+30 epochs.", {"epochs": [90, 30]}),
        ("We train for 80k steps, followed by 20k steps on newts.", {"iterations": [80000, 20000]}),
    ],
)
def test_each_model_or_data_set_has_its_own_value(text: str, expected: dict[str, list[float]]) -> None:
    assert setting_values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use Adam (α = 0.001, β1 = 0.9, β2 = 0.999).", {"learning_rate": [0.001]}),
        ("The frog net is trained with SGD with η = 0.05.", {"learning_rate": [0.05]}),
        ("RMSprop (λ = 0.0005, decayed by 0.5 every so often) was used.", {"learning_rate": [0.0005]}),
        ("RMSprop minimises the loss, with λ = 0.0005.", {}),
        ("λ = 0.02 was used for L2 regularization.", {"weight_decay": [0.02]}),
        ("We regularise with an L2 penalty (weight 1e-5).", {"weight_decay": [1e-5]}),
        ("Dropout with Pdrop = 0.1 is applied.", {"dropout": [0.1]}),
        ("We set dropout_rate=0.3, bs=24 and init_lr=0.02.", {"dropout": [0.3], "batch_size": [24], "learning_rate": [0.02]}),
        ("Newts are trained for a small number of epochs (Nfrog = 3 everywhere).", {"epochs": [3]}),
        ("The net is trained with early stopping of epochs (patience = 3).", {}),
    ],
)
def test_symbols_and_names_of_variables_are_read(text: str, expected: dict[str, list[float]]) -> None:
    assert setting_values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We trained for one hundred epochs.", {"epochs": [100]}),
        ("The net was trained for twenty-five epochs.", {"epochs": [25]}),
        ("The nets were trained within 110 epochs.", {"epochs": [110]}),
        ("The learning rate is 0.1, divided by 10 every 30 epochs until 100 epochs.", {"learning_rate": [0.1], "epochs": [100]}),
        ("Batch Size 32 Epoch 50 Learning Rate 2e-5", {"batch_size": [32], "epochs": [50], "learning_rate": [2e-5]}),
        ("Before training epochs 10 and 15, we relabel the frogs.", {}),
        ("4: E: number of training epochs 5: K: number of frogs", {}),
        ("10 20 30 40 50 60\nepochs", {}),
        ("The initial learning rate of 30 is used for the head.", {"learning_rate": [30]}),
        ("We set the learning rate to a smaller value, 0.05.", {"learning_rate": [0.05]}),
        ("Nothing changed, except that the learning rate is fixed to 0.004.", {"learning_rate": [0.004]}),
        ("We fix the mini-batch size of images as 96.", {"batch_size": [96]}),
        ("Each training batch contained a set of pairs with about 900 source tokens.", {"batch_size": [900]}),
        ("The weight decay is set as 1.0.", {"weight_decay": [1]}),
    ],
)
def test_less_common_phrasings_are_read(text: str, expected: dict[str, list[float]]) -> None:
    assert setting_values(text) == expected


def test_images_per_gpu_count_if_no_batch_size_is_given() -> None:
    extract = next(each.extract for each in HYPERPARAMETERS if each.key == "batch_size")
    assert [fact.value for fact in extract(["We train on 8 GPUs with 2 images per GPU."])] == [2]
    assert [fact.value for fact in extract(["We train with 2 images per GPU.", "The batch size is 16."])] == [16]


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("All experiments were done on eight 32GB GPUs.", [("GPU (model not named)", 8, 32)]),
        ("We trained the models using a GPU with 12 GB of memory.", [("GPU (model not named)", 1, 12)]),
        ("We used four T4s to train the newt net.", [("NVIDIA T4", 4, None)]),
        ("We trained on a single K80.", [("NVIDIA K80", 1, None)]),
        ("We used 8 × A100 80GB for all runs.", [("NVIDIA A100", 8, 80)]),
        ("We used 3 GeForce GTX 1070 graphics cards with 8 GB RAM each.", [("NVIDIA GeForce GTX 1070", 3, 8)]),
        ("It ran on an Intel Xeon CPU E5- 2640 v3.", [("Intel Xeon E5-2640 v3", 1, None)]),
        ("Newts were trained on the Marshland supercomputer.", [("Marshland supercomputer", 1, None)]),
        ("In a graphics processing unit (GPU), each croak must be loaded.", []),
        ("However, graphics processing unit (GPU)-stored croaks must be loaded.", []),
        ("The frog reader needs an A100 GPU, which is not affordable for us.", []),
    ],
)
def test_machines_that_ran_the_training_are_read(text: str, devices: list[tuple[str, int | None, float | None]]) -> None:
    assert [(each["name"], each["count"], each["memory_gb"]) for each in hardware(text)] == devices


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Table 3. FrogNet – GPUs: 1; Search time (hours): 3.5; Step time (hours): 0.25", [3.5]),
        ("Table 3. FrogNet – Train time (h): 5; Test time (s): 0.06", [5]),
        ("Table 3. FrogNet – Training time in min: 90", [1.5]),
    ],
)
def test_training_times_of_tables_are_in_hours(text: str, hours: list[float]) -> None:
    assert list(all_training_hours(text)) == hours
