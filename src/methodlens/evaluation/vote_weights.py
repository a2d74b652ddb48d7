"""Weights of readers in a vote, learned from what reviewers decided.

Dawid and Skene (1979) for two classes: each reader has a sensitivity and a specificity, estimated by EM together with the truth
of the cells; cells that people decided have a known truth. crowd-kit has it too, but needs pandas, scikit-learn and more.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from methodlens.evaluation.counts import count, kappa
from methodlens.records import CellRef, Status, Verdict
from methodlens.verdicts import voting_rule

LEAST_DECISIONS = 30
"""With fewer, chance decides more about the weights than the reviewers do."""
_STEPS, _CLOSE = 200, 1e-9
_PRIOR = 1.0  # right and wrong answers that every reader is given beforehand, so that no estimate is 0 or 1
_SMALLEST_WEIGHT = 0.01
_FOLDS = 10
Matrix: TypeAlias = NDArray[np.float64]


class Skill(Struct, frozen=True):
    """How often a reader is right where the paper reports something, and where it does not."""

    sensitivity: float
    specificity: float

    @property
    def weight(self) -> float:
        """The mean of the log odds that its yes and its no carry; at least a little above 0.

        >>> round(Skill(0.9, 0.9).weight, 2)
        2.2
        """
        odds = sum(np.log(right / (1 - right)) for right in (self.sensitivity, self.specificity)) / 2
        return max(_SMALLEST_WEIGHT, round(float(odds), 2))


class Agreement(Struct, frozen=True):
    """Of a vote with the decisions: cells without a decision count as wrong in accuracy, as "no" in kappa."""

    accuracy: float
    kappa: float | None


class WeightProposal(Struct, frozen=True):
    """`rule` is the learned rule, `before` how the present one agrees with the decisions, `after` the learned one.

    `after` is cross-validated: each decision is predicted by weights learned without it.
    """

    decisions: int
    skills: Mapping[str, Skill]
    present: str
    rule: str
    before: Agreement
    after: Agreement
    changes: int
    """Cells of the run whose vote would change."""
    cells: int


Votes = Mapping[CellRef, Mapping[str, Status]]


def dawid_skene(votes: Matrix, truth: Matrix) -> list[Skill]:
    """`votes` has a row per cell and a column per reader, `truth` an entry per cell: 1 yes, 0 no, NaN where there is none.

    >>> yes, no, none = 1.0, 0.0, float("nan")
    >>> skills = dawid_skene(np.array([[yes, yes], [yes, no], [no, no], [no, yes]]), np.array([yes, yes, no, no]))
    >>> [(round(skill.sensitivity, 2), round(skill.specificity, 2)) for skill in skills]
    [(0.75, 0.75), (0.5, 0.5)]
    """
    said_yes, said_no = np.nan_to_num(votes), np.where(np.isnan(votes), 0.0, 1 - votes)
    known = ~np.isnan(truth)
    asked = said_yes.sum(axis=1) + said_no.sum(axis=1)
    share = np.divide(said_yes.sum(axis=1), asked, out=np.full(len(votes), 0.5), where=asked > 0)
    p = np.where(known, truth, share)
    for _ in range(_STEPS):
        sensitivity = (said_yes.T @ p + _PRIOR) / ((said_yes + said_no).T @ p + 2 * _PRIOR)
        specificity = (said_no.T @ (1 - p) + _PRIOR) / ((said_yes + said_no).T @ (1 - p) + 2 * _PRIOR)
        prevalence = (p.sum() + _PRIOR) / (len(p) + 2 * _PRIOR)
        odds = said_yes @ np.log(sensitivity / (1 - specificity)) + said_no @ np.log((1 - sensitivity) / specificity)
        new = np.where(known, truth, 1 / (1 + np.exp(-(odds + np.log(prevalence / (1 - prevalence))))))
        if float(np.abs(new - p).max(initial=0.0)) < _CLOSE:
            break
        p = new
    return [Skill(float(yes), float(no)) for yes, no in zip(sensitivity, specificity, strict=True)]


def propose(votes: Votes, truth: Mapping[CellRef, bool], readers: Sequence[str], present: str) -> WeightProposal | None:
    """None if there are too few decisions on these cells. `present` is the voting rule in use."""
    refs = list(votes)
    decided = [ref for ref in refs if ref in truth]
    if len(decided) < LEAST_DECISIONS:
        return None
    matrix = np.array([[_number(votes[ref].get(reader)) for reader in readers] for ref in refs])
    skills = _learn(matrix, refs, truth, readers)
    rule = _rule(skills)
    folds = {ref: number % _FOLDS for number, ref in enumerate(sorted(decided, key=lambda ref: (truth[ref], ref)))}
    given: dict[CellRef, Status] = {}
    for fold in range(_FOLDS):
        others = {ref: truth[ref] for ref in decided if folds[ref] != fold}
        fitted = _rule(_learn(matrix, refs, others, readers))
        given |= {ref: _vote(votes[ref], readers, fitted) for ref in decided if folds[ref] == fold}
    now = {ref: _vote(votes[ref], readers, present) for ref in refs}
    return WeightProposal(
        len(decided),
        skills,
        present,
        rule,
        _agreement({ref: now[ref] for ref in decided}, truth),
        _agreement(given, truth),
        changes=sum(_vote(votes[ref], readers, rule) is not now[ref] for ref in refs),
        cells=len(refs),
    )


def _learn(matrix: Matrix, refs: Sequence[CellRef], truth: Mapping[CellRef, bool], readers: Sequence[str]) -> dict[str, Skill]:
    known = np.array([float(truth[ref]) if ref in truth else np.nan for ref in refs])
    return dict(zip(readers, dawid_skene(matrix, known), strict=True))


def _rule(skills: Mapping[str, Skill]) -> str:
    return "weighted:" + ",".join(f"{reader}={skill.weight:g}" for reader, skill in skills.items())


def _vote(statuses: Mapping[str, Status], readers: Sequence[str], rule: str) -> Status:
    verdicts = {reader: Verdict(statuses.get(reader, Status.FAILED)) for reader in readers}
    return voting_rule(rule, readers)(verdicts).status


def _agreement(given: Mapping[CellRef, Status], truth: Mapping[CellRef, bool]) -> Agreement:
    pairs = [(truth[ref], status.reported) for ref, status in given.items()]
    agreed = float(kappa(count((real, bool(decision)) for real, decision in pairs)))
    right = sum(real is decision for real, decision in pairs) / len(pairs)
    return Agreement(right, None if agreed != agreed else agreed)


def _number(status: Status | None) -> float:
    reported = status.reported if status else None
    return float("nan") if reported is None else float(reported)
