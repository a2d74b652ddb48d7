"""What a careful person reads from a sentence on training: every rule of the grammar, and sentences that come close to it."""

import pytest

from methodlens.facts import catalog, extract, find
from methodlens.facts.hyperparameters import HYPERPARAMETERS, settings
from tests.facts.setting_values import setting_values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "We set the batch size and learning rate to 32 and 1e-4, respectively.",
            {"batch_size": [32], "learning_rate": [0.0001]},
        ),
        ("The learning rate (η) of 0.01 was kept.", {"learning_rate": [0.01]}),
        ("We set the momentum parameter β1 at 0.9.", {"momentum": [0.9]}),
        ("The newt net used 0.001 as the learning rate.", {"learning_rate": [0.001]}),
        ("The learning rate was 0.1 for the encoder and 0.01 for the decoder.", {"learning_rate": [0.1, 0.01]}),
        ("The learning rate was chosen from {0.1, 0.01, 0.001}; the best was 0.01.", {"learning_rate": [0.01]}),
        ("We tried learning rates of 0.1, 0.01 and 0.001 and finally used 0.01.", {"learning_rate": [0.01]}),
        ("The learning rate is 2x10 -4.", {"learning_rate": [0.0002]}),
        ("The learning rate was 5·10-4.", {"learning_rate": [0.0005]}),
        ("The learning rate was 10⁻⁴.", {"learning_rate": [0.0001]}),
        ("The learning rate was 1 × 10^{-4}.", {"learning_rate": [0.0001]}),
        ("The newts were learned with a learning rate of 105", {"learning_rate": [1e-05]}),
        ("We trained for 3K steps.", {"iterations": [3000]}),
        ("We trained for 1M iterations.", {"iterations": [1000000]}),
        ("We trained the model for 50 000 iterations.", {"iterations": [50000]}),
        ("We trained the model for 217, 450 iterations.", {"iterations": [217450]}),
        (
            "The learning rate was 0.1 for epochs 1 to 40, 0.01 for epochs 41 to 120, and 0.001 after that.",
            {"learning_rate": [0.1, 0.01, 0.001]},
        ),
        ("We fine-tuned for one epoch.", {"epochs": [1]}),
        ("Training was stopped once the loss of the frogs had settled, after about 800 epochs.", {"epochs": [800]}),
        ("The learning rate starts at 0.1 and is divided by 10 every 30 epochs.", {"learning_rate": [0.1]}),
        ("The learning rate was increased linearly from 0 to 0.001 during a warm-up of 5 epochs.", {"learning_rate": [0.001]}),
        ("We pre-trained for 200 epochs and fine-tuned for another 20 epochs.", {"epochs": [200, 20]}),
        ("The batch size was 16 for all ponds, except the largest, where we used 48.", {"batch_size": [16, 48]}),
        ("Learning rate 0.001 Batch size 32 Epochs 100", {"learning_rate": [0.001], "batch_size": [32], "epochs": [100]}),
        (
            "Newt net Batch size Learning rate Dropout rate Epochs Adam 16 0.004 0.3 60",
            {"learning_rate": [0.004], "batch_size": [16], "epochs": [60], "dropout": [0.3]},
        ),
        ("Dropout mutes each newt at random with probability 0.4.", {"dropout": [0.4]}),
        ("We apply dropout to the first two layers with probability 0.4.", {"dropout": [0.4]}),
        ("We used SGD without momentum, with a constant learning rate of 0.6.", {"learning_rate": [0.6]}),
        ("The toads were learned in a total of 4.5 epochs.", {"epochs": [4.5]}),
        ("The models were trained for 210, 90, 45 and 12 epochs.", {"epochs": [210, 90, 45, 12]}),
        (
            "The learning rate was 0.01 with a momentum of 0.9 and 0.0005 weight decay.",
            {"learning_rate": [0.01], "momentum": [0.9], "weight_decay": [0.0005]},
        ),
        (
            "We used SGD with 0.9 momentum, 0.01 learning rate and 5e-4 weight decay for 90 epochs.",
            {"momentum": [0.9], "learning_rate": [0.01], "weight_decay": [0.0005], "epochs": [90]},
        ),
        ("SGD (lr=0.1, momentum=0.9, weight_decay=1e-4)", {"learning_rate": [0.1], "momentum": [0.9], "weight_decay": [0.0001]}),
        ("The batch size was 8 for training and 1 for testing.", {"batch_size": [8]}),
        ("Early stopping with a patience of 20 epochs was used, for at most 300 epochs.", {"epochs": [300]}),
        ("The model with the lowest loss was found at epoch 77 of a total of 140 epochs.", {"epochs": [140]}),
        ("L2 regularization (λ = 0.0001) was applied.", {"weight_decay": [0.0001]}),
        ("The newts were trained with epochs and batch sizes of 14 and 48, respectively.", {"epochs": [14], "batch_size": [48]}),
        ("the max iteration was set as 70,000 in the training phase", {"iterations": [70000]}),
        ("The newt nets were trained with a maximum of 20, 000 epochs.", {"epochs": [20000]}),
        ("We saved the model every 5 epochs and stopped training after 100K iterations.", {"iterations": [100000]}),
        ("70 training epochs and 12 newt samples handled per batch", {"epochs": [70], "batch_size": [12]}),
        ("Parameters such as epochs of 35 with batch size 2 were chosen.", {"epochs": [35], "batch_size": [2]}),
        ("a batch size (the frogs of one training iteration) equal to 32", {"batch_size": [32]}),
        ("momentum at 0.9", {"momentum": [0.9]}),
        ("a momentum value of μ = 0.9", {"momentum": [0.9]}),
        ("a weight decay of 0.05 and a layer-wise learning rate decay of 0.75", {"weight_decay": [0.05]}),
        ("The initial learning rate of 0.01 decreased to 0.0001 over 100 epochs.", {"learning_rate": [0.01], "epochs": [100]}),
        ("Minimum learning rate 1e-6 Learning rate 1e-3", {"learning_rate": [0.001]}),
        ("We used an input size of 224 × 224, a batch size of 64 and trained on 4 GPUs.", {"batch_size": [64]}),
        ("The effective batch size was 256 (64 per GPU).", {"batch_size": [256]}),
        ("A dropout of 0.3 was used after 2 layers of 512 units.", {"dropout": [0.3]}),
        ("dropout after the pond, its rate being 0.15", {"dropout": [0.15]}),
        ("two dropout layers (0.25 and 0.5)", {"dropout": [0.25, 0.5]}),
        ("Batch size: 16. Learning rate: 0.0003. Epochs: 50.", {"batch_size": [16], "learning_rate": [0.0003], "epochs": [50]}),
        ("The model converged after 60 epochs.", {"epochs": [60]}),
        ("A model trained between 20 and 25 epochs.", {"epochs": [20, 25]}),
        ("trained for 10-15 epochs", {"epochs": [10, 15]}),
        (
            "A learning rate of 3e-3 fell to 1e-4 after 20 epochs and 1e-5 after 40 epochs, and training ended after 60 epochs.",
            {"learning_rate": [0.003, 0.0001, 1e-5], "epochs": [60]},
        ),
        (
            "Adam with a learning rate of 0.001 (β1 = 0.9, β2 = 0.999) and mini-batches of 20 newts",
            {"learning_rate": [0.001], "batch_size": [20]},
        ),
        ("mini-batch SGD (momentum 0.9) with 64 batch size", {"momentum": [0.9], "batch_size": [64]}),
        ("The network was trained on 8 GPUs with 4 images each, i.e., a mini-batch of 32.", {"batch_size": [32]}),
        ("We trained for 90k iterations, dropping the learning rate by 10 at 60k and 80k iterations.", {"iterations": [90000]}),
        ("The frogs were trained for 50 epochs without flips.", {"epochs": [50]}),
        ("We draw a batch of B = 64 newts.", {"batch_size": [64]}),
        ("Each batch contained 18 croaks.", {"batch_size": [18]}),
        ("We warm up the learning rate for the first 6% of updates to a peak of 3 × 10−4.", {"learning_rate": [0.0003]}),
        ("Toads were trained with early stopping (patience = 8) for at most 45 epochs.", {"epochs": [45]}),
        ("Batch sizes of 8, 24 and 48 were tested, and 24 performed best.", {"batch_size": [24]}),
        ("An epoch consisted of 700 steps, and 35 epochs were run in total.", {"epochs": [35]}),
        (
            "Batch size: 12, 24 • Learning rate (Adam): 4e-5, 6e-5 • Number of epochs: 2, 5",
            {"batch_size": [12, 24], "learning_rate": [4e-5, 6e-5], "epochs": [2, 5]},
        ),
        (
            "First the head for 4 epochs with learning rate 2e-3, then all layers for 25 epochs with learning rate 2e-4.",
            {"epochs": [4, 25], "learning_rate": [0.002, 0.0002]},
        ),
        (
            "Newts were learned with a learning rate of 2e-4 annealed with a cosine schedule to 1e-7 over 150 epochs.",
            {"learning_rate": [0.0002], "epochs": [150]},
        ),
        ("Both nets were trained for 85 epochs each.", {"epochs": [85]}),
        ("The NewtNet implementation used a batch size of 96.", {"batch_size": [96]}),
        ("We use minibatch SGD with 56 examples.", {"batch_size": [56]}),
        ("mini-batch gradient descent with a size of 72", {"batch_size": [72]}),
        ("The learning rate that we used was 0.003.", {"learning_rate": [0.003]}),
        ("For the batch size, we chose 28.", {"batch_size": [28]}),
        ("The learning rate when fine-tuning was 4e-5.", {"learning_rate": [4e-5]}),
        ("learning rate, 0.002; batch size, 28; epochs, 55", {"learning_rate": [0.002], "batch_size": [28], "epochs": [55]}),
        ("The learning rates were, respectively, 0.3 and 0.03.", {"learning_rate": [0.3, 0.03]}),
        ("a dropout layer that drops 35% of the newts", {"dropout": [0.35]}),
        ("After training for 65 epochs, we fed the newts.", {"epochs": [65]}),
        ("num_epochs=65", {"epochs": [65]}),
        ("We train STEP for 17 epochs.", {"epochs": [17]}),
        ("a batch size per device of 3 and gradient accumulation steps of 16", {"batch_size": [3]}),
        ("the learning rate is set to 0.4 and the momentum factor to 0.6", {"learning_rate": [0.4], "momentum": [0.6]}),
        (r"a learning rate of $2 \cdot 10^{-4}$ and then $3\times{10}^{-5}$", {"learning_rate": [0.0002]}),
    ],
)
def test_every_value_is_read(text: str, expected: dict[str, list[float]]) -> None:
    assert setting_values(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "An epoch is one pass through the data.",
        "One epoch took 3 minutes.",
        "After the 30th epoch the rate drops.",
        "At epoch 77 the loss was lowest.",
        "Training stopped when the croaks did not improve after nine epochs.",
        "The learning rate is multiplied by 0.5 every 7 epochs.",
        "In inference, croaks come at 12,000 per second with a batch size of 2.",
        "The learning rate decays by a factor of 10 at epochs 30 and 60.",
        "We ran 1000 iterations of bootstrapping to train the frogs.",
        "The recurrent model reads 20 time steps.",
        "F(1, 33) = 4.2, p = 0.04 for the number of epochs",
        "The learning rate was fixed [32] and dropout was used [5].",
        "We waited for 50 epochs without progress.",
        "No improvement of the loss was seen over 50 epochs, so training ended.",
        "4,000 warm-up steps were used to train the transformer",
        "The batch size could be 512 on a larger card.",
        "The learning rate factor was 0.1.",
        "An epoch had 800 steps each day.",
        "The NewtNet implementation used a batch size of 96 and was the best on ponds (Toad et al., 2020).",
        "The original paper used a batch size of 96.",
        "Mini-batch training of a net with 5 layers and 3 heads.",
        "Nets trained beyond 65 epochs overfit.",
        "The learning rate is 0.1× that of the head.",
        "When the learning rate is high, we see 3 frogs.",
        "One epoch is defined as 120 minibatches.",
        "The batch contained 3 channels.",
        "Toad et al. (2018) used a learning rate of 0.05, a batch size of 99 and 70 epochs.",
        "In 2019, 300 frogs were seen (p < 0.01, n = 64) near epoch-making ponds.",
        "See Section 3.2 and Table 4 for the learning rate [12, 15].",
    ],
)
def test_what_is_not_a_setting_is_not_read(text: str) -> None:
    assert setting_values(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "The learning rate was chosen from {0.1, 0.01, 0.001}.",
        "We tried learning rates of 0.1, 0.01 and 0.001.",
    ],
)
def test_values_that_were_tried_count_if_none_is_said_to_be_the_one_used(text: str) -> None:
    assert setting_values(text) == {"learning_rate": [0.1, 0.01, 0.001]}


def test_when_a_model_converged_counts_only_if_no_length_of_training_is_given() -> None:
    converged = "The newt net converged after 60 epochs."
    keys = [fact_type.key for fact_type in HYPERPARAMETERS]
    assert extract(keys, [converged]) == {"epochs": 60}
    assert extract(keys, [converged, "It was trained for 90 epochs."]) == {"epochs": 90}


def test_when_a_model_converged_is_a_doubtful_length_of_training() -> None:
    doubtful, firm = (
        find([catalog()["epochs"]], [quote]).facts["epochs"][0].confidence
        for quote in ("The newt net converged after 60 epochs.", "The newt net was trained for 60 epochs.")
    )
    assert doubtful <= 0.5 < firm


@pytest.mark.parametrize(
    ("text", "epochs"),
    [
        ("The net trained at epoch 15 was used to count the newts.", [15]),
        ("We use the checkpoint at epoch 80 for the frogs.", [80]),
        ("The training stops at the 40th epoch.", [40]),
        ("We stop training at epoch 60.", [60]),
        ("The whole training procedure is about 40-th epochs.", [40]),
        ("The rate of the net is reduced at epoch 60.", []),
        ("The rate is divided by 10 at epochs 30 and 60.", []),
        ("The training stops at epoch 60 if the loss does not improve.", []),
        ("The cycle of the pond was fixed to 10 epochs.", []),
        ("We kept training fixed to 10 epochs.", [10]),
        ("We made 35 passes over the whole training set.", [35]),
    ],
)
def test_the_epoch_whose_net_was_used_counts_but_no_other_place_on_the_way(text: str, epochs: list[int]) -> None:
    assert setting_values(text).get("epochs", []) == epochs


def test_epochs_that_would_be_enough_are_doubtful() -> None:
    assert [each.doubtful for each in settings("10 epochs are enough for sleepy newts.")] == [True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The net had weight decay (the L2 penalty multiplier set to 2e-4).", {"weight_decay": [0.0002]}),
        ("The learning rate is Pond group 1 (small) and Pond group 2", {}),
        ("The learning rate is fixed as 20 and the batch size is 8.", {"learning_rate": [20], "batch_size": [8]}),
        ("The rate is scaled as 0.1 × batch size / 256.", {}),
        ("There are many newts in a mini-batch and each one is awake.", {}),
        ("2 Sample a minibatch {x1, x2}; 3 Compute the newts", {}),
    ],
)
def test_numbers_near_the_name_of_a_rate(text: str, expected: dict[str, list[float]]) -> None:
    assert setting_values(text) == expected
