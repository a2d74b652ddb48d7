"""Comparing plans on stored cells, forecasting them, and learning the weights of a vote."""

import numpy as np
import pytest

from methodlens.errors import InputError, ReaderError
from methodlens.evaluation.comparison import PlanScore, compare
from methodlens.evaluation.forecast import Model, forecast, vote_right
from methodlens.evaluation.model_assumptions import assumed_model
from methodlens.evaluation.reader_statistics import (
    Doubt,
    ReaderFigures,
    embedded_doubt,
    figures,
    shipped_table,
    table_doubt,
    tabulate,
)
from methodlens.evaluation.vote_weights import Skill, dawid_skene, propose
from methodlens.ledger.calls import Call, Outcome
from methodlens.questions.loading import load
from methodlens.records import Answer, Cell, CellRef, Status, Usage, Verdict
from methodlens.settings import CascadeSettings, ChatServer, Settings

YES, NO, UNSURE = Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD
BAND = CascadeSettings()


def cell(reader: str, status: Status, *, p: float | None = None, cost: float | None = None) -> Cell:
    usage = None if cost is None else Usage(1000, 100, 1, cost)
    return Cell("", "", "Q1", reader, reader, Verdict(status), Answer("An answer.", p_reported=p, usage=usage))


def ref(number: int) -> CellRef:
    return CellRef(f"{number}.pdf", "Q1")


STORED = {
    ref(1): {"embedded": cell("embedded", YES, p=0.9), "chat:a": cell("chat:a", YES, cost=0.5)},
    ref(2): {"embedded": cell("embedded", UNSURE, p=0.4), "chat:a": cell("chat:a", NO, cost=0.5)},
    ref(3): {"embedded": cell("embedded", NO, p=0.1), "chat:a": cell("chat:a", YES, cost=0.5)},
    ref(4): {"embedded": cell("embedded", UNSURE, p=0.5)},
}
TRUTH = {ref(1): True, ref(2): False, ref(3): False, ref(4): True}


def scores(**changes: object) -> dict[str, PlanScore]:
    options = {"cascades": (), "vote": "majority", "settings": BAND, **changes}
    return {score.plan: score for score in compare(STORED, TRUTH, **options)}  # type: ignore[arg-type]


def test_each_plan_is_scored_on_the_cells_that_the_ledger_can_tell_about() -> None:
    found = scores()
    assert list(found) == ["embedded", "chat:a", "vote of embedded, chat:a (majority)", "cascade:embedded>chat:a"]
    alone, chat, vote, cascade = found.values()
    assert (alone.labelled, alone.cells, alone.decided, alone.right, alone.cost) == (4, 4, 2, 2, None)
    assert (chat.cells, chat.right, chat.calls, chat.cost) == (3, 2, 3, 1.5)
    assert (vote.cells, vote.decided, vote.right) == (3, 2, 2)  # readers that contradict each other are a tie
    assert (cascade.cells, cascade.decided, cascade.right, cascade.calls, cascade.cost) == (3, 3, 3, 1, 0.5)
    assert cascade.kappa == pytest.approx(1.0)


def test_a_cascade_of_readers_without_answers_is_refused() -> None:
    with pytest.raises(InputError, match="no answers of chat:b"):
        scores(cascades=("cascade:embedded>chat:b",))


def test_sure_cells_are_right_as_often_as_their_probabilities_say() -> None:
    cells = [cells["embedded"] for cells in STORED.values()]
    shares = embedded_doubt(cells, BAND)
    assert (shares.sure, shares.decided) == (0.5, 0.5)
    assert [shares.right_sure, shares.right] == pytest.approx([0.45, 0.45])
    assert embedded_doubt(cells, CascadeSettings(low=0.05, high=0.95)).sure == 0.0
    (row,) = tabulate(cells).values()
    assert (sum(row.p), row.p[18], row.p[2], row.other_doubt) == (4, 1, 1, 0)


def test_the_shipped_table_covers_the_shipped_questions_and_a_wider_band_leaves_fewer_sure() -> None:
    questions = [question.id for question in load("dl-methods").questions]
    assert set(shipped_table()) == set(questions)
    narrow, missing = table_doubt(questions, BAND)
    wide, _ = table_doubt(questions, CascadeSettings(low=0.1, high=0.8))
    assert (missing, 0.8 < narrow.sure < 0.95, wide.sure < narrow.sure) == ([], True, True)
    assert wide.right_sure / wide.sure > narrow.right_sure / narrow.sure
    assert table_doubt(["Q1"], BAND)[1] == ["Q1"]


def model(right: float, cost: float, in_doubt: float = 0.2) -> Model:
    return Model(ReaderFigures(1000, 100, 3.6, right, in_doubt, cost), concurrency=2)


def test_a_forecast_counts_calls_money_and_expected_agreement() -> None:
    embedded = Doubt(sure=0.9, right_sure=0.85, decided=0.9, right=0.85)
    models = {"chat:small": model(0.8, 0.001), "chat:large": model(0.9, 0.01)}
    readers = ["chat:small", "chat:large"]
    made = forecast(readers, cells=1000, embedded=embedded, models=models, embedded_seconds=0.036, budget=1.0)
    plans = {plan.plan: plan for plan in made.plans}
    assert list(plans)[:3] == ["embedded", "chat:small", "chat:large"]
    assert (plans["embedded"].calls, plans["embedded"].cost, plans["chat:large"].calls) == (0, 0.0, 1000)
    assert [plans["embedded"].hours, plans["chat:large"].hours] == pytest.approx([0.01, 0.5])
    assert plans["chat:large"].cost == pytest.approx(10.0)
    cascade = plans["cascade:embedded>chat:small>chat:large"]
    assert (cascade.calls, cascade.tokens_in) == (120, 120_000)
    assert cascade.cost == pytest.approx(0.1 + 0.2)
    assert cascade.right == pytest.approx(0.85 + 0.08 * 0.8 + 0.02 * 0.9)
    assert made.best == "cascade:embedded>chat:large"
    assert (
        forecast(readers, cells=1000, embedded=embedded, models=models, embedded_seconds=0, budget=0.2).best
        == "cascade:embedded>chat:small"
    )


def test_a_majority_is_right_as_often_as_independent_readers_make_it() -> None:
    assert vote_right([(0.9, 0.1)] * 3) == pytest.approx(0.9**3 + 3 * 0.9**2 * 0.1)
    assert vote_right([(0.9, 0.1)] * 2) == pytest.approx(0.81)
    assert vote_right([(0.8, 0.0), (0.9, 0.1)]) == pytest.approx(0.8 * 0.9 + 0.2 * 0.9)  # the first abstains in a fifth


def test_assumptions_come_from_the_settings_without_a_key_and_measurements_replace_them() -> None:
    server = ChatServer("fern-7b", base_url="https://fern.example/v1", key_variable="FERN_API_KEY", price_in=1.0, price_out=2.0)
    settings = Settings(readers={"fern": server})
    assumed = assumed_model("chat:fern", settings)
    judge = assumed_model("judge:chat:fern", settings)
    assert 1000 < assumed.figures.tokens_in < 2000 < judge.figures.tokens_in + 500
    assert assumed.cost == pytest.approx((assumed.figures.tokens_in + 2 * assumed.figures.tokens_out) / 1e6)
    calls = [
        Call(
            str(n),
            "r",
            "p",
            "Q1",
            "chat:fern",
            "k",
            "t",
            outcome=Outcome.ANSWERED,
            seconds=2,
            tokens_in=500,
            tokens_out=50,
            requests=1,
        )
        for n in range(30)
    ]
    stored = {ref(n): {"chat:fern": cell("chat:fern", YES if n % 10 else UNSURE)} for n in range(40)}
    truth = {ref(n): True for n in range(40)}
    known = figures("chat:fern", assumed.figures, stored=stored, calls=calls, truth=truth, settings=BAND)
    assert (known.tokens_in, known.seconds, known.right, known.in_doubt, known.assumed) == (500, 2, 0.9, 0.1, ())
    with pytest.raises(ReaderError, match="no plan can be made"):
        assumed_model("plugin", settings)


def test_skills_of_readers_are_those_counted_by_hand_where_the_truth_is_known() -> None:
    votes = np.array([[1.0, 1], [1, 0], [1, 1], [0, np.nan], [0, 0], [1, 0]])
    first, second = dawid_skene(votes, np.array([1.0, 1, 1, 0, 0, 0]))
    assert [first.sensitivity, first.specificity] == pytest.approx([4 / 5, 3 / 5])  # 3 of 3 and 2 of 3; plus 1 right, 1 wrong
    assert [second.sensitivity, second.specificity] == pytest.approx([3 / 5, 3 / 4])  # 2 of 3 and 2 of 2


def test_unknown_cells_are_settled_by_the_better_readers() -> None:
    generator = np.random.default_rng(7)
    truth = generator.random(2000) < 0.6
    votes = np.stack([np.where(generator.random(2000) < right, truth, ~truth) for right in (0.95, 0.8, 0.6)], axis=1) * 1.0
    known = np.where(np.arange(2000) < 200, truth, np.nan)
    skills = dawid_skene(votes, known)
    assert [round(skill.sensitivity, 1) for skill in skills] == [pytest.approx(right, abs=0.051) for right in (0.95, 0.8, 0.6)]
    assert skills[0].weight > skills[1].weight > skills[2].weight
    assert Skill(0.3, 0.3).weight == 0.01


def test_weights_are_proposed_only_with_enough_decisions_and_say_what_they_change() -> None:
    """Two bad readers outvote a good one until their weights are known."""
    truth = {ref(number): number % 2 == 0 for number in range(60)}
    votes = {
        at: {"good": YES if real else NO, "a": NO if number % 3 else YES, "b": NO if number % 3 else YES}
        for number, (at, real) in enumerate(truth.items())
    }
    few = {at: truth[at] for at in list(truth)[:29]}
    assert propose(votes, few, ("good", "a", "b"), "majority") is None
    proposal = propose(votes, truth, ("good", "a", "b"), "majority")
    assert proposal is not None
    assert proposal.rule.startswith("weighted:good=")
    assert proposal.before.accuracy == pytest.approx(0.5, abs=0.1)
    assert proposal.after.accuracy == 1.0
    assert proposal.changes == pytest.approx(30, abs=6)
