"""Compare readers with the ground truth: one Score per reader and question, next to its baselines.

The denominator is the number of labelled cells. Cells that a reader withheld, failed on or never reached are counted by
reason, and enter the figures as `Undecided` specifies.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

from msgspec import Struct

from methodlens.evaluation.bootstrap import Figure, figures, mean_figure
from methodlens.evaluation.calibration import Calibration, calibration
from methodlens.evaluation.counts import MEASURES, Counts, count
from methodlens.evaluation.ground_truth import Dispute, GroundTruth
from methodlens.evaluation.raters import (
    GroupAgreement,
    McNemar,
    PairAgreement,
    group_agreement,
    mcnemar_p,
    pairwise_agreement,
)
from methodlens.records import CellRef, Status

MISSING = "missing"
"""Counts labelled cells that the run does not have."""
OVERALL = ""
"""`Score.question` of a score over all questions."""


class ReaderDecision(Struct, frozen=True):
    """The status and probability that a reader gave to a cell."""

    status: Status
    p_reported: float | None = None


Decisions = Mapping[str, Mapping[CellRef, ReaderDecision]]
"""The decisions of each reader."""


class Undecided(StrEnum):
    """How a cell without a decision is scored: as a "no", as an error, or not at all."""

    NO = "no"
    WRONG = "wrong"
    LEFT_OUT = "left-out"


class Score(Struct, frozen=True):
    """One reader on one question, or on all. `counts` has the number of labelled cells per status."""

    reader: str
    question: str
    asked: int
    papers: int
    counts: Mapping[str, int]
    yes: int
    """The number of cells that are reported according to the ground truth."""
    figures: Mapping[str, Figure]
    always_yes: Mapping[str, Figure]
    majority: Mapping[str, Figure]
    """A baseline that gives the most frequent true answer to each question: no reader could know it."""

    @property
    def undecided(self) -> int:
        return self.asked - self.counts.get(Status.REPORTED, 0) - self.counts.get(Status.NOT_REPORTED, 0)


class ReaderScores(Struct, frozen=True):
    """`overall` is over all cells, `firm` over those not marked as borderline, `decided` over those the reader decided."""

    reader: str
    overall: Score
    mean_kappa: Figure
    """The unweighted mean over the questions."""
    firm: Score | None
    decided: Score
    questions: tuple[Score, ...]


class Evaluation(Struct, frozen=True):
    readers: tuple[ReaderScores, ...]
    undecided: Undecided
    asked: int
    papers: int
    disputes: tuple[Dispute, ...]
    matrix: tuple[PairAgreement, ...]
    annotators: GroupAgreement | None
    among_readers: GroupAgreement | None
    mcnemar: tuple[McNemar, ...]
    calibration: tuple[Calibration, ...]

    @property
    def kappa(self) -> float | None:
        """Of the vote, or of the only reader, over all labelled cells."""
        return self.readers[0].overall.figures["kappa"].value

    @property
    def accuracy(self) -> float | None:
        """Likewise."""
        return self.readers[0].overall.figures["accuracy"].value


class Resampling(Struct, frozen=True):
    resamples: int = 1000
    seed: int = 7


def evaluate(
    truth: GroundTruth,
    decisions: Decisions,
    *,
    questions: Sequence[str],
    undecided: Undecided = Undecided.NO,
    resampling: Resampling | None = None,
    voters: Collection[str] | None = None,
) -> Evaluation:
    """`questions` sets the order; `voters` are the readers to include in `among_readers` (by default all)."""
    resampling = resampling or Resampling()
    labelled_questions = {cell.question for cell in truth.reported}
    asked = [question for question in questions if question in labelled_questions]
    labelled = {*truth.reported, *(cell for rated in truth.annotators.values() for cell in rated)}
    raters = {reader: _decided(given, labelled) for reader, given in decisions.items()}
    voting = {reader: rated for reader, rated in raters.items() if voters is None or reader in voters}
    return Evaluation(
        readers=tuple(
            _Scorer(reader, truth, given, undecided, resampling).reader_scores(asked) for reader, given in decisions.items()
        ),
        undecided=undecided,
        asked=len(truth.reported),
        papers=len({cell.paper for cell in truth.reported}),
        disputes=truth.disputes,
        matrix=pairwise_agreement({**truth.annotators, **raters}),
        annotators=group_agreement(truth.annotators) if len(truth.annotators) > 1 else None,
        among_readers=group_agreement(voting) if len(voting) > 1 else None,
        mcnemar=tuple(_mcnemar(a, b, truth, decisions, undecided) for a, b in combinations(decisions, 2)),
        calibration=tuple(c for reader, given in decisions.items() if (c := _calibration(reader, given, truth))),
    )


class _Scorer(NamedTuple):
    reader: str
    truth: GroundTruth
    decisions: Mapping[CellRef, ReaderDecision]
    undecided: Undecided
    resampling: Resampling

    def reader_scores(self, questions: Sequence[str]) -> ReaderScores:
        cells = list(self.truth.reported)
        papers = _papers(cells)
        by_question = {question: [cell for cell in cells if cell.question == question] for question in questions}
        groups = [self._counts_by_paper(some, papers) for some in by_question.values()]
        firm = [cell for cell in cells if cell not in self.truth.soft]
        return ReaderScores(
            reader=self.reader,
            overall=self._score(cells),
            mean_kappa=mean_figure(groups, "kappa", resamples=self.resampling.resamples, seed=self.resampling.seed),
            firm=self._score(firm) if len(firm) < len(cells) else None,
            decided=self._replace(undecided=Undecided.LEFT_OUT)._score(cells),
            questions=tuple(self._score(some, question) for question, some in by_question.items()),
        )

    def _score(self, cells: Sequence[CellRef], question: str = OVERALL) -> Score:
        truth, papers = self.truth.reported, _papers(cells)
        by_paper = self._counts_by_paper(cells, papers)
        statuses = Counter(self.decisions[cell].status.value if cell in self.decisions else MISSING for cell in cells)
        return Score(
            reader=self.reader,
            question=question,
            asked=len(cells),
            papers=len(papers),
            counts=dict(statuses),
            yes=sum(truth[cell] for cell in cells),
            figures=figures(by_paper, resamples=self.resampling.resamples, seed=self.resampling.seed),
            always_yes=_baseline(cells, truth, lambda _: True),
            majority=_baseline(cells, truth, _majorities(cells, truth).__getitem__),
        )

    def _counts_by_paper(self, cells: Iterable[CellRef], papers: Sequence[str]) -> list[Counts]:
        by_paper: dict[str, list[tuple[bool, bool]]] = {paper: [] for paper in papers}
        for cell in cells:
            true = self.truth.reported[cell]
            scored = _scored_as(self.decisions.get(cell), true, self.undecided)
            if scored is not None:
                by_paper[cell.paper].append((true, scored))
        return [count(pairs) for pairs in by_paper.values()]


def _papers(cells: Iterable[CellRef]) -> list[str]:
    return list(dict.fromkeys(cell.paper for cell in cells))


def _scored_as(decision: ReaderDecision | None, truth: bool, undecided: Undecided) -> bool | None:
    """None excludes the cell."""
    reported = decision.status.reported if decision else None
    if reported is not None:
        return reported
    return {Undecided.NO: False, Undecided.WRONG: not truth, Undecided.LEFT_OUT: None}[undecided]


def _baseline(cells: Iterable[CellRef], truth: Mapping[CellRef, bool], answer: Callable[[str], bool]) -> Mapping[str, Figure]:
    """`answer` gives the answer to a question, whatever the paper."""
    table = count((truth[cell], answer(cell.question)) for cell in cells)
    values = {name: float(measure(table)) for name, measure in MEASURES.items()}
    return {name: Figure(None if math.isnan(value) else value) for name, value in values.items()}


def _majorities(cells: Iterable[CellRef], truth: Mapping[CellRef, bool]) -> Mapping[str, bool]:
    balance: Counter[str] = Counter()
    for cell in cells:
        balance[cell.question] += 1 if truth[cell] else -1
    return {question: value >= 0 for question, value in balance.items()}


def _decided(decisions: Mapping[CellRef, ReaderDecision], cells: Collection[CellRef]) -> dict[CellRef, bool]:
    reported = ((cell, decision.status.reported) for cell, decision in decisions.items() if cell in cells)
    return {cell: value for cell, value in reported if value is not None}


def _mcnemar(first: str, second: str, truth: GroundTruth, decisions: Decisions, undecided: Undecided) -> McNemar:
    only_first = only_second = 0
    for cell, reported in truth.reported.items():
        a, b = (_scored_as(decisions[reader].get(cell), reported, undecided) for reader in (first, second))
        if a is not None and b is not None and a != b:
            only_first += a == reported
            only_second += b == reported
    return McNemar(first, second, only_first, only_second, mcnemar_p(only_first, only_second))


def _calibration(reader: str, decisions: Mapping[CellRef, ReaderDecision], truth: GroundTruth) -> Calibration | None:
    pairs = [
        (reported, decision.p_reported)
        for cell, reported in truth.reported.items()
        if (decision := decisions.get(cell)) and decision.p_reported is not None
    ]
    return calibration(reader, pairs) if pairs else None
