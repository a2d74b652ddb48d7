"""Recompute the study's figures from the ledger: votes, shares of yes, and the agreement of models and people."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from methodlens.errors import StudyError
from methodlens.evaluation.counts import ac1, count, kappa
from methodlens.evaluation.raters import GroupAgreement, PairAgreement, group_agreement, pairwise_agreement
from methodlens.evaluation.similarity import cosines
from methodlens.ledger.annotations import HUMAN_ON, PUBLISHED
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, CellRef, Status
from methodlens.study.dataset import CATEGORIES, QUESTION_SET
from methodlens.verdicts import NO_DL

Labels = Mapping[CellRef, bool]


class StudyTable(Struct):
    """The labels by model and cell. `papers` maps each paper to whether it passes the deep-learning gate."""

    models: tuple[str, ...]
    questions: tuple[str, ...]
    papers: dict[str, bool] = field(default_factory=dict)
    published: dict[str, dict[CellRef, bool]] = field(default_factory=dict)
    human_on: dict[str, dict[CellRef, bool]] = field(default_factory=dict)
    categories: dict[CellRef, bool] = field(default_factory=dict)
    similarity: dict[CellRef, tuple[float, ...]] = field(default_factory=dict)
    """The cosines of the answers, one per pair of models."""
    ours: dict[CellRef, bool | None] = field(default_factory=dict)

    @property
    def vote(self) -> dict[CellRef, bool]:
        """The majority of all models; a missing label counts as no."""
        cells = (CellRef(paper, question) for paper in self.papers for question in self.questions)
        return {cell: 2 * sum(self.published[m].get(cell, False) for m in self.models) > len(self.models) for cell in cells}


class HumanAgreement(Struct, frozen=True):
    """Agreement with human labels on `n` cells, of which `yes` are labelled reported."""

    name: str
    n: int
    yes: int
    agreed: int
    kappa: float
    ac1: float


class CategoryAgreement(Struct, frozen=True):
    """Agreement with one human category, or all, and the cells on which two baselines agree with it."""

    question: str
    vote: HumanAgreement
    ours: HumanAgreement | None
    always_yes: int
    majority: int


class StudyFigures(Struct, frozen=True):
    """The figures over all papers, or over those that pass the gate. `ours` is the embedded reader."""

    name: str
    papers: int
    cells: int
    vote_yes: int
    model_yes: Mapping[str, int]
    ours_yes: int | None
    ours_undecided: int | None
    question_yes: Mapping[str, Mapping[str, int]]
    """The number of yes per question: of the vote, of each model, and ours."""
    agreement: tuple[PairAgreement, ...]
    """Of the models, the vote and ours with each other."""
    among: GroupAgreement
    likeness: Mapping[str, float]
    human: tuple[HumanAgreement, ...]
    human_total: HumanAgreement | None
    human_majority: tuple[HumanAgreement, ...]
    """The vote and ours against the majority of the human judgements of a cell's answers."""
    categories: tuple[CategoryAgreement, ...]
    categories_total: CategoryAgreement | None
    mean_kappa: Mapping[str, float]


def find_study_run(ledger: Ledger) -> Run:
    for run in ledger.runs():
        if run.question_set == QUESTION_SET:
            return run
    raise StudyError(f"{ledger.name} contains no study", "import one with 'methodlens study import DIR --out DIR'")


def load_table(ledger: Ledger, run: Run, ours: Run | None = None, *, watch: Callable[[str], None] = lambda _: None) -> StudyTable:
    """`ours` is the run of the embedded reader. `watch` is called with the name of each loaded paper."""
    table = StudyTable(run.readers, tuple(question.id for question in run.questions))
    table.published = {model: {} for model in run.readers}
    table.human_on = {model: {} for model in run.readers}
    for entry, parser in ledger.entries(run):
        table.papers[entry.name] = NO_DL not in entry.flags
        for annotation in ledger.annotations(entry.sha256):
            _add_label(table, CellRef(entry.name, annotation.question), annotation)
        answers: dict[str, dict[str, str]] = {}
        for cell in ledger.cells(run, entry, parser):
            answers.setdefault(cell.question, {})[cell.reader] = cell.answer.raw or cell.answer.text
        for question, by_model in answers.items():
            cosine = cosines([by_model.get(model, "") for model in run.readers])
            pairs = combinations(range(len(run.readers)), 2)
            table.similarity[CellRef(entry.name, question)] = tuple(cosine[i][j] for i, j in pairs)
        if ours:
            for cell in ledger.cells(ours, entry, parser):
                table.ours[CellRef(entry.name, cell.question)] = cell.verdict.status.reported
        watch(entry.name)
    return table


def _add_label(table: StudyTable, cell: CellRef, annotation: Annotation) -> None:
    reported, annotator = annotation.status is Status.REPORTED, annotation.annotator
    for prefix, by_model in ((PUBLISHED, table.published), (HUMAN_ON, table.human_on)):
        model = annotator.removeprefix(prefix)
        if annotator.startswith(prefix) and model in by_model:
            by_model[model][cell] = reported
            return
    if annotator == CATEGORIES:
        table.categories[cell] = reported


def compute_figures(table: StudyTable) -> tuple[StudyFigures, ...]:
    """Over all papers and, if the study has a gate, over those that pass it."""
    figures = _figures("all papers", table, set(table.papers))
    gated = {paper for paper, passed in table.papers.items() if passed}
    if len(gated) == len(table.papers):
        return (figures,)
    return figures, _figures("after the deep-learning gate", table, gated)


def _figures(name: str, table: StudyTable, papers: Collection[str]) -> StudyFigures:
    vote = _within(table.vote, papers)
    published = {model: _within(labels, papers) for model, labels in table.published.items()}
    ours = {cell: bool(reported) for cell, reported in table.ours.items() if cell.paper in papers}
    raters = {**published, "vote": vote, **({"ours": ours} if ours else {})}
    truth = _within(table.categories, papers)
    categories = tuple(
        _category(question, {cell: label for cell, label in truth.items() if cell.question == question}, vote, ours)
        for question in table.questions
        if any(cell.question == question for cell in truth)
    )
    judgements = _judgements(table, papers, vote, ours)
    return StudyFigures(
        name=name,
        papers=len(papers),
        cells=len(vote),
        vote_yes=sum(vote.values()),
        model_yes={model: sum(labels.values()) for model, labels in published.items()},
        ours_yes=sum(ours.values()) if ours else None,
        ours_undecided=sum(table.ours[cell] is None for cell in ours) if ours else None,
        question_yes={
            question: {
                rater: sum(labels.get(CellRef(paper, question), False) for paper in papers) for rater, labels in raters.items()
            }
            for question in table.questions
        },
        agreement=pairwise_agreement(raters),
        among=group_agreement(published),
        likeness=_mean_similarity(table, papers),
        human=judgements.by_model,
        human_total=judgements.total,
        human_majority=judgements.majority,
        categories=categories,
        categories_total=_categories_total(categories, truth, vote, ours) if categories else None,
        mean_kappa=_mean_kappa(categories),
    )


class _Judgements(NamedTuple):
    by_model: tuple[HumanAgreement, ...]
    total: HumanAgreement | None
    majority: tuple[HumanAgreement, ...]


def _judgements(table: StudyTable, papers: Collection[str], vote: Labels, ours: Labels) -> _Judgements:
    """Human judgements of the models' answers, against the published labels."""
    human = {model: _within(labels, papers) for model, labels in table.human_on.items()}
    by_model = tuple(_agreement(model, labels, table.published[model]) for model, labels in human.items() if labels)
    pooled = [
        (label, table.published[model].get(cell, False)) for model, labels in human.items() for cell, label in labels.items()
    ]
    balance: Counter[CellRef] = Counter()
    for labels in human.values():
        for cell, label in labels.items():
            balance[cell] += 1 if label else -1
    majority = {cell: value > 0 for cell, value in balance.items() if value}
    compared = (("vote", vote), ("ours", ours))
    against_majority = tuple(_agreement(name, majority, labels) for name, labels in compared if labels and majority)
    return _Judgements(by_model, _from_pairs("all models", pooled) if pooled else None, against_majority)


def _category(question: str, truth: Labels, vote: Labels, ours: Labels) -> CategoryAgreement:
    yes = sum(truth.values())
    return CategoryAgreement(
        question,
        _agreement("vote", truth, vote),
        _agreement("ours", truth, ours) if ours else None,
        always_yes=yes,
        majority=max(yes, len(truth) - yes),
    )


def _categories_total(categories: Sequence[CategoryAgreement], truth: Labels, vote: Labels, ours: Labels) -> CategoryAgreement:
    return replace(_category("all", truth, vote, ours), majority=sum(category.majority for category in categories))


def _mean_kappa(categories: Sequence[CategoryAgreement]) -> Mapping[str, float]:
    kappas = {
        "vote": [category.vote.kappa for category in categories],
        "ours": [category.ours.kappa for category in categories if category.ours],
    }
    defined = {name: [value for value in values if not math.isnan(value)] for name, values in kappas.items()}
    return {name: sum(values) / len(values) for name, values in defined.items() if values}


def _agreement(name: str, truth: Labels, labels: Labels) -> HumanAgreement:
    """On all cells with a human label; a missing label counts as no."""
    return _from_pairs(name, [(reported, labels.get(cell, False)) for cell, reported in truth.items()])


def _from_pairs(name: str, pairs: Sequence[tuple[bool, bool]]) -> HumanAgreement:
    table = count(pairs)
    yes = sum(truth for truth, _ in pairs)
    return HumanAgreement(name, len(pairs), yes, int(table.tp + table.tn), float(kappa(table)), float(ac1(table)))


def _mean_similarity(table: StudyTable, papers: Collection[str]) -> Mapping[str, float]:
    rows = [values for cell, values in table.similarity.items() if cell.paper in papers]
    names = [f"{first} / {second}" for first, second in combinations(table.models, 2)]
    return {name: sum(row[index] for row in rows) / len(rows) for index, name in enumerate(names)} if rows else {}


def _within(labels: Labels, papers: Collection[str]) -> dict[CellRef, bool]:
    return {cell: label for cell, label in labels.items() if cell.paper in papers}
