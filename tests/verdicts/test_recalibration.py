"""A recalibration follows the reviewers' decisions, and is measured on decisions that it has not seen."""

import math
import random

import pytest

from methodlens.verdicts.recalibration import Decision, Recalibration, cross_validated, recalibrate


def decisions(count: int, *, offset: float, seed: int = 3) -> list[Decision]:
    """Of a reader whose log odds are too low by `offset`."""
    chance = random.Random(seed)
    given = [chance.uniform(0.05, 0.95) for _ in range(count)]
    return [Decision(p, chance.random() < 1 / (1 + math.exp(-math.log(p / (1 - p)) - offset))) for p in given]


def test_a_reader_that_says_no_too_often_is_shifted_up() -> None:
    fitted = recalibrate(decisions(400, offset=2.0))
    assert fitted.offset == pytest.approx(2.0, abs=0.5)
    assert fitted.slope == pytest.approx(1.0, abs=0.3)
    assert fitted.decisions == 400


def test_a_calibrated_reader_hardly_changes() -> None:
    fitted = recalibrate(decisions(400, offset=0.0))
    assert max(abs(fitted(p) - p) for p in (0.1, 0.3, 0.5, 0.7, 0.9)) < 0.08


@pytest.mark.parametrize("reported", [True, False])
def test_thirty_equal_decisions_move_every_probability_towards_them_and_never_to_0_or_1(reported: bool) -> None:
    fitted = recalibrate([Decision(p, reported) for p in (0.0, 0.01, 0.5, 0.99, 1.0)] * 6)
    for p in (0.0, 0.2, 0.5, 0.8, 1.0):
        assert 0 < fitted(p) < 1
    assert (fitted(0.5) > 0.8) if reported else (fitted(0.5) < 0.2)


def test_the_order_of_the_papers_stays() -> None:
    backwards = [Decision(p / 40, p < 20) for p in range(40)]  # the reader is wrong throughout
    fitted = recalibrate(backwards)
    new = [fitted(p / 20) for p in range(1, 20)]
    assert new == sorted(new)


def test_no_decision_predicts_itself() -> None:
    given = decisions(40, offset=1.0)
    before = cross_validated(given)
    flipped = [Decision(given[0].p, not given[0].reported), *given[1:]]
    number = sorted(range(40), key=lambda n: (given[n].reported, given[n].p)).index(0) % 10
    others = [one for at, one in enumerate(sorted(given, key=lambda d: (d.reported, d.p))) if at % 10 != number]
    assert before[0] == recalibrate(others)(given[0].p)
    assert flipped[0] not in others


def test_no_change_is_the_identity() -> None:
    unchanged = Recalibration(0.0, 1.0, 30)
    assert unchanged(0.37) == pytest.approx(0.37)
