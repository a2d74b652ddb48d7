"""Recalibrate the questions of a run on what its reviewers decided: what it would change, and storing it.

proposals = propose(ledger, run).proposals
apply(ledger, proposals)
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from methodlens.errors import InputError
from methodlens.evaluation.calibration import calibration
from methodlens.evaluation.counts import count, kappa
from methodlens.evaluation.ground_truth import ground_truth
from methodlens.evaluation.measure import labels_from_annotations
from methodlens.ledger import recalibrations
from methodlens.ledger.recalibrations import JUDGED, Recalibrations, StoredRecalibration
from methodlens.ledger.store import Ledger, Run, now
from methodlens.records import Cell, CellRef, Question
from methodlens.verdicts.recalibration import LEAST_DECISIONS, Decision, cross_validated, recalibrate


class Agreement(Struct, frozen=True):
    """Of the probabilities with the decisions, at 0.5. `kappa` is None if all of either are the same."""

    kappa: float | None
    accuracy: float
    ece: float


class Proposal(Struct, frozen=True):
    """A recalibration that was not stored yet. `after` is cross-validated: each decision is predicted by a fit to the others.

    `changes` counts the cells of the run whose status would change, by "withheld to reported".
    """

    question: Question
    recalibration: StoredRecalibration
    decisions: int
    before: Agreement
    after: Agreement
    cells: int
    changes: Mapping[str, int]


class Proposals(Struct, frozen=True):
    """`too_few` has the number of usable decisions on each other question that reviewers decided on."""

    proposals: tuple[Proposal, ...]
    too_few: Mapping[str, int]


def propose(ledger: Ledger, run: Run, *, questions: Collection[str] = ()) -> Proposals:
    """For these questions, or for all, and for each reader that gives probabilities. Nothing is stored.

    A decision is what the reviewers agree on, or the adjudicated one. Cells that they dispute are left out.
    """
    asked = chosen_questions(run, questions)
    truth = _decided(ledger, run)
    by_question = Counter(cell.question for cell in truth)
    cells: dict[tuple[str, str, str], list[tuple[str, Cell]]] = {}
    decided = [question.id for question in asked if by_question[question.id]]
    for paper, cell in recalibrations.cells_of_questions(ledger, run, decided):
        if cell.answer.p_reported is not None and cell.verdict.status in JUDGED:
            cells.setdefault((cell.question, cell.reader, cell.model), []).append((paper, cell))
    proposals = [
        proposal
        for question in asked
        for (of, reader, model), read in cells.items()
        if of == question.id and (proposal := _propose(question, reader, model, read, truth))
    ]
    enough = {proposal.question.id for proposal in proposals}
    few = {question.id: by_question[question.id] for question in asked if question.id not in enough and by_question[question.id]}
    return Proposals(tuple(proposals), few)


def apply(ledger: Ledger, proposals: Sequence[Proposal]) -> None:
    """From now on, everything that reads the run shows the recalibrated probabilities and verdicts."""
    recalibrations.keep(ledger, [proposal.recalibration for proposal in proposals])


def undo(ledger: Ledger, run: Run, *, questions: Collection[str] = ()) -> list[StoredRecalibration]:
    """Withdraw the recalibrations of these questions, or of all; returns those that counted until now."""
    asked = {question.id for question in chosen_questions(run, questions)}
    withdrawn = [stored for stored in recalibrations.current(ledger, run) if stored.question in asked]
    recalibrations.undo(ledger, withdrawn)
    return withdrawn


def chosen_questions(run: Run, ids: Collection[str]) -> list[Question]:
    unknown = sorted(set(ids) - {question.id for question in run.questions})
    if unknown:
        raise InputError(
            f"no question {', '.join(unknown)} in this run", f"use one of: {', '.join(question.id for question in run.questions)}"
        )
    return [question for question in run.questions if not ids or question.id in ids]


def _decided(ledger: Ledger, run: Run) -> Mapping[CellRef, bool]:
    annotations = ledger.annotations()
    annotated = {annotation.paper_sha256 for annotation in annotations}
    papers = [entry for entry, _ in ledger.entries(run) if entry.sha256 in annotated]
    return ground_truth(labels_from_annotations(annotations, papers).labels).reported


def _propose(
    question: Question, reader: str, model: str, cells: Sequence[tuple[str, Cell]], truth: Mapping[CellRef, bool]
) -> Proposal | None:
    """None if there are too few decisions on cells of this model."""
    decisions = [
        Decision(cell.answer.p_reported, truth[ref])
        for paper, cell in cells
        if (ref := CellRef(paper, question.id)) in truth and cell.answer.p_reported is not None
    ]
    if len(decisions) < LEAST_DECISIONS:
        return None
    stored = StoredRecalibration(question.id, question.text, reader, model, now(), recalibrate(decisions))
    refit = Recalibrations({(question.id, reader): stored})
    statuses = ((cell.verdict.status, refit.cell(cell).verdict.status) for _, cell in cells)
    return Proposal(
        question,
        stored,
        len(decisions),
        _agreement(decisions, [decision.p for decision in decisions]),
        _agreement(decisions, cross_validated(decisions)),
        len(cells),
        Counter(f"{was} to {is_now}".replace("_", " ") for was, is_now in statuses if was is not is_now),
    )


def _agreement(decisions: Sequence[Decision], given: Sequence[float]) -> Agreement:
    truth = [decision.reported for decision in decisions]
    said = [p >= 0.5 for p in given]
    agreed = float(kappa(count(zip(truth, said, strict=True))))
    return Agreement(
        None if agreed != agreed else agreed,
        sum(one == other for one, other in zip(truth, said, strict=True)) / len(truth),
        calibration("", list(zip(truth, given, strict=True))).ece,
    )
