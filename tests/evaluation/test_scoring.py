"""The denominator is the number of labelled cells; every score has baselines; disputed labels are not ground truth."""

import pytest

from methodlens.evaluation.ground_truth import disagreements, ground_truth
from methodlens.evaluation.labels import Label
from methodlens.evaluation.scoring import Evaluation, ReaderDecision, Resampling, Score, Undecided, evaluate
from methodlens.ledger.annotations import ADJUDICATED
from methodlens.records import CellRef, Status

YES, NO, UNSURE = Status.REPORTED, Status.NOT_REPORTED, Status.WITHHELD
PAPERS = ("a", "b", "c", "d")


def labels(answers: str, *, annotator: str = "gold", soft: str = "") -> list[Label]:
    """Labels for one question, one letter per paper: y, n, ? or . for none."""
    status = {"y": YES, "n": NO, "?": UNSURE}
    return [
        Label(paper, "Q1", annotator, status[letter], firm=paper not in soft)
        for paper, letter in zip(PAPERS, answers, strict=True)
        if letter != "."
    ]


def reader(answers: str) -> dict[CellRef, ReaderDecision]:
    status = {"y": YES, "n": NO, "w": UNSURE, "f": Status.FAILED, "u": Status.UNREADABLE}
    return {
        CellRef(p, "Q1"): ReaderDecision(status[letter], 0.5) for p, letter in zip(PAPERS, answers, strict=True) if letter != "."
    }


def scored(gold: list[Label], said: dict[str, str], **options: Undecided) -> Evaluation:
    decisions = {name: reader(answers) for name, answers in said.items()}
    return evaluate(ground_truth(gold), decisions, questions=["Q1"], resampling=Resampling(50), **options)


def overall(gold: list[Label], answers: str, **options: Undecided) -> Score:
    return scored(gold, {"r": answers}, **options).readers[0].overall


def test_missing_failed_and_withheld_cells_are_counted_by_reason() -> None:
    score = overall(labels("yyyn"), "wf.u")
    assert score.asked == 4
    assert score.counts == {"withheld": 1, "failed": 1, "missing": 1, "unreadable": 1}
    assert score.undecided == 4
    assert score.figures["recall"].value == 0


@pytest.mark.parametrize(("rule", "accuracy"), [(Undecided.NO, 3 / 4), (Undecided.WRONG, 2 / 4), (Undecided.LEFT_OUT, 2 / 2)])
def test_the_caller_chooses_how_undecided_cells_are_scored(rule: Undecided, accuracy: float) -> None:
    score = overall(labels("ynyn"), "yn.w", undecided=rule)
    assert score.asked == 4
    assert score.figures["accuracy"].value == pytest.approx(accuracy)


def test_every_score_has_its_baselines() -> None:
    score = overall(labels("nnny"), "nnny")
    assert score.always_yes["accuracy"].value == 0.25
    assert score.majority["accuracy"].value == 0.75
    assert score.always_yes["kappa"].value == 0
    assert set(score.always_yes) == set(score.majority) == set(score.figures)


def test_the_majority_baseline_is_per_question() -> None:
    gold = labels("nnny") + [Label(p, "Q2", "gold", YES) for p in PAPERS]
    result = evaluate(ground_truth(gold), {"r": {}}, questions=["Q1", "Q2"])
    assert result.readers[0].overall.majority["accuracy"].value == 7 / 8
    assert [score.question for score in result.readers[0].questions] == ["Q1", "Q2"]


def test_firm_labels_are_also_scored_separately() -> None:
    result = scored(labels("yynn", soft="d"), {"r": "yyny"}).readers[0]
    assert result.firm is not None
    assert result.firm.figures["accuracy"].value == 1
    assert result.overall.figures["accuracy"].value == 0.75
    assert scored(labels("yynn"), {"r": "yyny"}).readers[0].firm is None


def test_evenly_disputed_cells_are_listed_and_not_scored() -> None:
    result = scored(labels("yyn?", annotator="ann") + labels("ynn?", annotator="bob"), {"r": "yyyy"})
    assert result.asked == 2
    assert [(d.paper, dict(d.said)) for d in result.disputes] == [
        ("b", {"ann": YES, "bob": NO}),
        ("d", {"ann": UNSURE, "bob": UNSURE}),
    ]
    assert result.annotators is not None
    assert result.annotators.complete == 3


def test_an_adjudicated_label_overrides_the_others() -> None:
    both = labels("yyn.", annotator="ann") + labels("ynn.", annotator="bob")
    settled = ground_truth([*both, *labels(".n..", annotator=ADJUDICATED)])
    assert settled.reported == {("a", "Q1"): True, ("b", "Q1"): False, ("c", "Q1"): False}
    assert disagreements(settled, "ann", "bob") == [("b", "Q1")]


def test_mcnemar_counts_the_cells_on_which_only_one_reader_is_right() -> None:
    (test,) = scored(labels("yynn"), {"r": "yynn", "s": "nnnn"}).mcnemar
    assert (test.only_first, test.only_second, test.p) == (2, 0, 0.5)


def test_the_matrix_contains_every_annotator_and_every_reader() -> None:
    result = scored(labels("yynn", annotator="ann") + labels("yynn", annotator="bob"), {"r": "yynw", "s": "nnnn"})
    assert {(pair.first, pair.second, pair.n) for pair in result.matrix} == {
        ("ann", "bob", 4),
        ("ann", "r", 3),
        ("ann", "s", 4),
        ("bob", "r", 3),
        ("bob", "s", 4),
        ("r", "s", 3),
    }
