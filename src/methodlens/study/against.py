"""Compare a run with the study's published labels: cell by cell, question by question, model by model, and the votes."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from methodlens.errors import StudyError
from methodlens.evaluation.counts import ac1, count, kappa
from methodlens.evaluation.paper_catalog import PaperCatalog
from methodlens.ledger.store import Ledger, Run
from methodlens.records import CellRef, Status
from methodlens.study.dataset import Study
from methodlens.study.defects import judge_answer
from methodlens.study.rerun import own_verdict, slot_of

VOTE = "vote"
Labels = Mapping[CellRef, bool | None]


class ComparedCell(Struct, frozen=True):
    """One cell, by the names of the run. `old` is the published label, `new` the model's; None where there is none.

    `status` is ours, which also requires that the answer's quotes are in the paper; empty for a vote.
    """

    paper: str
    question: str
    model: str
    old: bool | None
    new: bool | None
    status: str = ""

    @property
    def change(self) -> str:
        if self.old is None or self.new is None:
            return "missing"
        return "same" if self.old == self.new else "no->yes" if self.new else "yes->no"


class Change(Struct, frozen=True):
    """Old against new labels on the `n` cells that have both. `undecided` cells have only the old one.

    `unsupported` counts new yes labels whose answers are not supported by quotes in the paper.
    """

    name: str
    n: int
    agreed: int
    old_yes: int
    new_yes: int
    yes_to_no: int
    no_to_yes: int
    undecided: int
    unsupported: int
    kappa: float
    ac1: float


class Comparison(Struct, frozen=True):
    papers: int
    questions: tuple[str, ...]
    models: tuple[str, ...]
    """Those of the run that take the place of one of the study's, and the vote."""
    unpaired: tuple[str, ...]
    """Models of the study, and of the run, without a counterpart."""
    cells: tuple[ComparedCell, ...]

    def changes(self) -> Sequence[Change]:
        """One per model and the vote, over all questions."""
        return [_change(model, [cell for cell in self.cells if cell.model == model]) for model in self.models]

    def question_changes(self, model: str) -> Sequence[Change]:
        own = [cell for cell in self.cells if cell.model == model]
        return [_change(question, [cell for cell in own if cell.question == question]) for question in self.questions]


def compare(study: Study, ledger: Ledger, run: Run) -> Comparison:
    """Raises StudyError if the run and the study have no paper or no question in common."""
    slots = {slot_of(reader): reader for reader in run.readers}
    pairs = _pairs(tuple(slots), study.models)
    entries = list(ledger.entries(run))
    catalog = PaperCatalog([entry for entry, _ in entries], run.questions)
    names = {name: found for name in study.cells if (found := catalog.paper(name))}
    asked = dict.fromkeys(question for cells in study.cells.values() for question in cells)
    questions = {question: found for question in asked if (found := _question(catalog, question))}
    if not names or not questions:
        lacking, fix = (
            ("paper", "name the files as the study does") if not names else ("question", "number them as the study does")
        )
        raise StudyError(f"the run and the study have no {lacking} in common", fix)
    new = _new_labels(ledger, run, set(names.values()))
    old = _old_labels(study, names, questions)
    refs = [CellRef(paper, question) for paper in dict.fromkeys(names.values()) for question in questions.values()]
    cells = [
        ComparedCell(*ref, slot, old[model].get(ref), *new.get((slots[slot], ref), (None, "")))
        for slot, model in pairs.items()
        for ref in refs
    ]
    new_labels = {reader: {ref: new.get((reader, ref), (None, ""))[0] for ref in refs} for reader in run.readers}
    old_vote, new_vote = _majority(list(old.values()), refs), _majority(list(new_labels.values()), refs)
    cells += [ComparedCell(*ref, VOTE, old_vote[ref], new_vote[ref]) for ref in refs]
    unpaired = (*(model for model in study.models if model not in pairs.values()), *(slot for slot in slots if slot not in pairs))
    return Comparison(len(set(names.values())), tuple(questions.values()), (*pairs, VOTE), unpaired, tuple(cells))


def _pairs(slots: Sequence[str], models: Sequence[str]) -> dict[str, str]:
    """The study's model whose name each slot has; case and punctuation do not matter."""
    by_name = {_plain(model): model for model in models}
    return {slot: by_name[_plain(slot)] for slot in slots if _plain(slot) in by_name}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _question(catalog: PaperCatalog, question: str) -> str | None:
    return catalog.question(question) or catalog.question(re.sub(r"\D", "", question))


def _old_labels(study: Study, names: Mapping[str, str], questions: Mapping[str, str]) -> dict[str, dict[CellRef, bool | None]]:
    labels: dict[str, dict[CellRef, bool | None]] = {model: {} for model in study.models}
    for paper, name in names.items():
        for question, cell in study.cells[paper].items():
            if question not in questions:
                continue
            for model, answer in cell.answers.items():
                published = judge_answer(answer, paper=paper, question=question, model=model).published
                labels[model][CellRef(name, questions[question])] = published
    return labels


def _new_labels(ledger: Ledger, run: Run, names: set[str]) -> dict[tuple[str, CellRef], tuple[bool | None, str]]:
    """Each model's own yes or no, and our status."""
    return {
        (cell.reader, CellRef(entry.name, cell.question)): (own_verdict(cell), cell.verdict.status.value)
        for entry, parser in ledger.entries(run)
        if entry.name in names
        for cell in ledger.cells(run, entry, parser)
    }


def _majority(labels: Sequence[Labels], refs: Sequence[CellRef]) -> dict[CellRef, bool | None]:
    """As in the study, a missing label counts as no; None if all are missing."""
    votes = {ref: [given.get(ref) for given in labels] for ref in refs}
    return {
        ref: None if all(vote is None for vote in given) else 2 * sum(map(bool, given)) > len(given)
        for ref, given in votes.items()
    }


def _change(name: str, cells: Sequence[ComparedCell]) -> Change:
    pairs = [(cell.old, cell.new) for cell in cells if cell.old is not None and cell.new is not None]
    table = count(pairs)
    return Change(
        name=name,
        n=len(pairs),
        agreed=int(table.tp + table.tn),
        old_yes=sum(old for old, _ in pairs),
        new_yes=sum(new for _, new in pairs),
        yes_to_no=pairs.count((True, False)),
        no_to_yes=pairs.count((False, True)),
        undecided=sum(cell.old is not None and cell.new is None for cell in cells),
        unsupported=sum(bool(cell.new) and cell.status not in ("", Status.REPORTED) for cell in cells),
        kappa=float(kappa(table)),
        ac1=float(ac1(table)),
    )
