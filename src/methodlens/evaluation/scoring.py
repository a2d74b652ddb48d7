"""Readers against the truth: one Score a reader and question, and everything that stands beside it.

The denominator is what was asked. A cell that a reader withheld, failed on or never got to is counted by its reason and
goes into the figures as `Undecided` says; the baselines stand beside every score, so that no accuracy is alone.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import combinations

from msgspec import Struct

from methodlens.evaluation.bootstrap import Figure, figures, mean_figure
from methodlens.evaluation.calibration import Calibration, calibration
from methodlens.evaluation.counts import MEASURES, Counts, count
from methodlens.evaluation.mcnemar import McNemar, exact_p
from methodlens.evaluation.raters import Cell, GroupAgreement, PairAgreement, group, pairs
from methodlens.evaluation.truth import Dispute, Truth
from methodlens.records import Status

MISSING = "missing"
"""The reason of a cell that was asked for and is not there."""
OVERALL = ""
"""The question of a score over all questions."""


class Decision(Struct, frozen=True):
    """A reader's word on a cell, as light as measuring needs it."""

    status: Status
    p_reported: float | None = None


Decisions = Mapping[str, Mapping[Cell, Decision]]
"""By reader."""


class Undecided(StrEnum):
    """What a cell without a decision counts as: a "no" (nothing was found), an error, or nothing at all."""

    NO = "no"
    WRONG = "wrong"
    LEFT_OUT = "left-out"


class Score(Struct, frozen=True):
    """One reader on one question, or on all. `counts` has every asked cell by what became of it."""

    reader: str
    question: str
    asked: int
    papers: int
    counts: Mapping[str, int]
    yes: int
    """How many of the asked cells the truth calls reported."""
    figures: Mapping[str, Figure]
    always_yes: Mapping[str, Figure]
    majority: Mapping[str, Figure]
    """The most frequent answer to each question, known beforehand: more than any reader could know."""

    @property
    def undecided(self) -> int:
        return self.asked - self.counts.get(Status.REPORTED, 0) - self.counts.get(Status.NOT_REPORTED, 0)


class ReaderScores(Struct, frozen=True):
    """`overall` pools all cells; `firm` those that no person marked as borderline; `decided` only those decided."""

    reader: str
    overall: Score
    mean_kappa: Figure
    """Over the questions, each weighing the same."""
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


class Resampling(Struct, frozen=True):
    resamples: int = 1000
    seed: int = 7


def evaluate(
    truth: Truth,
    decisions: Decisions,
    *,
    questions: Sequence[str],
    undecided: Undecided = Undecided.NO,
    resampling: Resampling | None = None,
    voters: Collection[str] | None = None,
) -> Evaluation:
    """`questions` gives the order; `voters` are the readers whose agreement among each other is of interest (not the vote)."""
    how = resampling or Resampling()
    asked = [question for question in questions if any(cell[1] == question for cell in truth.reported)]
    scored = tuple(_reader(reader, truth, said, asked, undecided, how) for reader, said in decisions.items())
    labelled = {*truth.reported, *(cell for rated in truth.annotators.values() for cell in rated)}
    raters = {reader: _decided(said, labelled) for reader, said in decisions.items()}
    own = {reader: rated for reader, rated in raters.items() if voters is None or reader in voters}
    return Evaluation(
        readers=scored,
        undecided=undecided,
        asked=len(truth.reported),
        papers=len({paper for paper, _ in truth.reported}),
        disputes=truth.disputes,
        matrix=pairs({**truth.annotators, **raters}),
        annotators=group(truth.annotators) if len(truth.annotators) > 1 else None,
        among_readers=group(own) if len(own) > 1 else None,
        mcnemar=tuple(_mcnemar(a, b, truth, decisions, undecided) for a, b in combinations(decisions, 2)),
        calibration=tuple(found for reader, said in decisions.items() if (found := _calibration(reader, said, truth))),
    )


def _reader(
    reader: str,
    truth: Truth,
    said: Mapping[Cell, Decision],
    questions: Sequence[str],
    undecided: Undecided,
    how: Resampling,
) -> ReaderScores:
    cells = list(truth.reported)
    papers = list(dict.fromkeys(paper for paper, _ in cells))
    by_question = {question: [cell for cell in cells if cell[1] == question] for question in questions}
    groups = [_by_paper(of_one, truth, said, undecided, papers) for of_one in by_question.values()]
    firm = [cell for cell in cells if cell not in truth.soft]

    def score(some: Sequence[Cell], question: str = OVERALL, rule: Undecided = undecided) -> Score:
        return _score(reader, question, some, truth, said, rule, how)

    return ReaderScores(
        reader=reader,
        overall=score(cells),
        mean_kappa=mean_figure(groups, "kappa", resamples=how.resamples, seed=how.seed),
        firm=score(firm) if len(firm) < len(cells) else None,
        decided=score(cells, rule=Undecided.LEFT_OUT),
        questions=tuple(score(of_one, question) for question, of_one in by_question.items()),
    )


def _score(
    reader: str,
    question: str,
    cells: Sequence[Cell],
    truth: Truth,
    said: Mapping[Cell, Decision],
    undecided: Undecided,
    how: Resampling,
) -> Score:
    papers = list(dict.fromkeys(paper for paper, _ in cells))
    by_paper = _by_paper(cells, truth, said, undecided, papers)
    outcome = Counter(said[cell].status.value if cell in said else MISSING for cell in cells)
    return Score(
        reader=reader,
        question=question,
        asked=len(cells),
        papers=len(papers),
        counts=dict(outcome),
        yes=sum(truth.reported[cell] for cell in cells),
        figures=figures(by_paper, resamples=how.resamples, seed=how.seed),
        always_yes=_baseline(cells, truth, dict.fromkeys((cell[1] for cell in cells), True)),
        majority=_baseline(cells, truth, _majorities(cells, truth)),
    )


def _by_paper(
    cells: Iterable[Cell], truth: Truth, said: Mapping[Cell, Decision], undecided: Undecided, papers: Sequence[str]
) -> list[Counts]:
    found: dict[str, list[tuple[bool, bool]]] = {paper: [] for paper in papers}
    for cell in cells:
        answer = taken_as(said.get(cell), truth.reported[cell], undecided)
        if answer is not None:
            found[cell[0]].append((truth.reported[cell], answer))
    return [count(of_paper) for of_paper in found.values()]


def taken_as(decision: Decision | None, truth: bool, undecided: Undecided) -> bool | None:
    """The yes or no that goes into the figures; None leaves the cell out."""
    said = decision.status.reported if decision else None
    if said is not None:
        return said
    return {Undecided.NO: False, Undecided.WRONG: not truth, Undecided.LEFT_OUT: None}[undecided]


def _baseline(cells: Iterable[Cell], truth: Truth, answers: Mapping[str, bool]) -> Mapping[str, Figure]:
    found = count((truth.reported[cell], answers[cell[1]]) for cell in cells)
    return {name: _plain(float(measure(found))) for name, measure in MEASURES.items()}


def _majorities(cells: Iterable[Cell], truth: Truth) -> Mapping[str, bool]:
    balance: Counter[str] = Counter()
    for cell in cells:
        balance[cell[1]] += 1 if truth.reported[cell] else -1
    return {question: value >= 0 for question, value in balance.items()}


def _plain(value: float) -> Figure:
    return Figure(None if value != value else value)


def _decided(said: Mapping[Cell, Decision], among: Collection[Cell]) -> dict[Cell, bool]:
    found = ((cell, one.status.reported) for cell, one in said.items() if cell in among)
    return {cell: reported for cell, reported in found if reported is not None}


def _mcnemar(first: str, second: str, truth: Truth, decisions: Decisions, undecided: Undecided) -> McNemar:
    only_first = only_second = 0
    for cell, reported in truth.reported.items():
        answers = [taken_as(decisions[reader].get(cell), reported, undecided) for reader in (first, second)]
        if None not in answers and answers[0] != answers[1]:
            only_first += answers[0] == reported
            only_second += answers[1] == reported
    return McNemar(first, second, only_first, only_second, exact_p(only_first, only_second))


def _calibration(reader: str, said: Mapping[Cell, Decision], truth: Truth) -> Calibration | None:
    pairs = [
        (reported, decision.p_reported)
        for cell, reported in truth.reported.items()
        if (decision := said.get(cell)) and decision.p_reported is not None
    ]
    return calibration(reader, pairs) if pairs else None
