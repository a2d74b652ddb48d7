"""Training times in every wording, and durations that are not training times."""

import pytest

from methodlens.facts import extract
from methodlens.facts.times import all_training_hours


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Training took 3 days.", [72]),
        ("Training lasted half a day.", [12]),
        ("Training took half an hour.", [0.5]),
        ("Training took two weeks on four cards.", [336]),
        ("Training took 90 minutes.", [1.5]),
        ("Training the newt net required 64 GPU-days.", []),
        ("Training took 12 GPU-hours on a single GPU.", [12]),
        ("Each epoch took 20 minutes.", []),
        ("One training epoch takes about 1 min.", []),
        ("It took 75 minutes per epoch to train the net.", []),
        ("Inference took 3 hours, training took 10 hours.", [10]),
        ("It took 50 h to apply the trained net to the ponds.", []),
        ("The first net was trained for 6 h and the second for 16 h.", [6, 16]),
        ("The net was trained on a single card for ∼14 days.", [336]),
        ("It took 11 hours to finish training the newts.", [11]),
        ("Training took approximately 3–4 h.", [3, 4]),
        ("The training time was 1.5 hours.", [1.5]),
        ("We needed up to 9 h to train a newt net.", [9]),
        ("Training Time 2.75 h", [2.75]),
        ("Training took <36 h.", [36]),
        ("Training took about a nine days.", [216]),
        ("The learning took 5 min for the small net and 5 h for the large one.", [0.08, 5]),
        ("Predictions took 2 h with the trained net.", []),
        ("Toad et al. trained their net for 30 days.", []),
        ("Training could take 30 days.", []),
        ("The newts were trained for 5 days to find the food.", [120]),
        ("We trained the net on 3 days of croaks.", []),
        ("We trained on 30-min recordings.", []),
        ("The model was trained to predict croaks for 7 days ahead.", []),
        ("Training was done in under an hour.", [1]),
        ("We train for 12 hours on 8 cards.", [12]),
        ("Annotation of the training set took 3 weeks.", []),
        ("The training set was collected over 6 months.", []),
        ("the run-time was roughly 3 h with a training batch of newts", [3]),
        ("about 2 min in the shade versus about 6 h in the sun for training", []),
        ("Training was completed in 1 hr and 30 min.", [1.5]),
        ("The whole training process lasted one week.", [168]),
        ("Training on our machine took ~250 h.", [250]),
        ("Test images took 2 h, using the same card as for the training.", []),
        ("The frogs were trained for 200,000 steps (2.5 days).", [60]),
        ("The total training time is about 1 day 5 hours.", [29]),
        ("Training takes less than one hour.", [1]),
        ("The nets had training times of 4, 6 and 11 hours.", [4, 6, 11]),
        ("Total measured training time was 75 minutes.", [1.25]),
        ("The training time was about 24 mins, with each epoch taking around 2 min.", [0.4]),
        ("Training took between 6 and 16 hours.", [6, 16]),
        ("Training a newt net took 2–3 weeks.", [336, 504]),
        ("The architecture search took 12 hours on one GPU.", [12]),
        ("It takes five hours to finish the search procedure for frog cells.", [5]),
        ("The grid search for the parameters of the net took 12 hours.", []),
        ("The whole training process costs about 20 hours.", [20]),
        ("We used four cards (about 14 hours of training).", [14]),
        ("Training took 0.4 seconds per step, for a total of 12 hours.", [12]),
        ("Newt net Training time (h): 5.5 Frog net", [5.5]),
    ],
)
def test_only_wall_clock_time_of_training_counts(text: str, hours: list[float]) -> None:
    assert list(all_training_hours(text)) == hours


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        (["Training took 2 days.", "Training lasted 48 h."], 48),
        (["Training the small net took 2 h.", "Training the large net took 9 h."], [2, 9]),
        (["The ponds were cold."], None),
    ],
)
def test_several_training_times_are_a_list(quotes: list[str], expected: object) -> None:
    assert extract(["training_time_h"], quotes) == {"training_time_h": expected}
