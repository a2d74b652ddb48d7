"""The study's own figures, from the ledger: votes, yes-rates, agreement of models, of people, before and after the gate."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from methodlens.errors import StudyError
from methodlens.evaluation.counts import ac1, count, kappa
from methodlens.evaluation.raters import Cell, GroupAgreement, PairAgreement, group_agreement, pairwise_agreement
from methodlens.evaluation.similarity import cosines
from methodlens.ledger.annotations import HUMAN_ON, PUBLISHED
from methodlens.ledger.ledger import Ledger, Run
from methodlens.records import Annotation, Status
from methodlens.study.nouns import CATEGORIES, NO_DL, QUESTION_SET

Pair = tuple[str, str]


class Table(Struct):
    """What the figures are counted from, by model and cell. `papers` has each paper and whether the gate lets it through."""

    models: tuple[str, ...]
    questions: tuple[str, ...]
    papers: dict[str, bool] = field(default_factory=dict)
    published: dict[str, dict[Cell, bool]] = field(default_factory=dict)
    human_on: dict[str, dict[Cell, bool]] = field(default_factory=dict)
    categories: dict[Cell, bool] = field(default_factory=dict)
    likeness: dict[Cell, tuple[float, ...]] = field(default_factory=dict)
    """The cosine of each pair of models, in the order of `pairs_of`."""
    ours: dict[Cell, bool | None] = field(default_factory=dict)

    @property
    def vote(self) -> dict[Cell, bool]:
        """The hard majority of all models: who gave no label said no."""
        return {cell: 2 * self.yes(cell) > len(self.models) for cell in self.cells}

    @property
    def cells(self) -> list[Cell]:
        return [(paper, question) for paper in self.papers for question in self.questions]

    def yes(self, cell: Cell) -> int:
        return sum(self.published[model].get(cell, False) for model in self.models)


class Against(Struct, frozen=True):
    """Agreement with people on `n` cells, of which they call `yes` reported."""

    name: str
    n: int
    yes: int
    agreed: int
    kappa: float
    ac1: float


class Category(Struct, frozen=True):
    """One human category, or all: the vote and ours, beside saying yes always and the most frequent answer."""

    question: str
    vote: Against
    ours: Against | None
    always_yes: int
    majority: int


class Scope(Struct, frozen=True):
    """The figures over all papers, or over those that the gate lets through."""

    name: str
    papers: int
    cells: int
    vote_yes: int
    model_yes: Mapping[str, int]
    ours_yes: int | None
    ours_undecided: int | None
    question_yes: Mapping[str, Mapping[str, int]]
    """By question: the yeses of the vote, of each model, and ours."""
    agreement: tuple[PairAgreement, ...]
    """Of models with each other, the vote, and ours."""
    among: GroupAgreement
    likeness: Mapping[str, float]
    human: tuple[Against, ...]
    human_total: Against | None
    human_majority: tuple[Against, ...]
    """The vote and ours against the majority of what people said of the five answers to a cell."""
    categories: tuple[Category, ...]
    categories_total: Category | None
    mean_kappa: Mapping[str, float]


def study_run(ledger: Ledger) -> Run:
    for run in ledger.runs():
        if run.question_set == QUESTION_SET:
            return run
    raise StudyError(f"there is no study in {ledger.name}", "take one in with 'methodlens study import DIR --out DIR'")


def table(ledger: Ledger, run: Run, ours: Run | None = None, *, watch: Callable[[str], None] = lambda _: None) -> Table:
    found = Table(run.readers, tuple(question.id for question in run.questions))
    found.published = {model: {} for model in run.readers}
    found.human_on = {model: {} for model in run.readers}
    for entry, parser in ledger.entries(run):
        found.papers[entry.name] = NO_DL not in entry.flags
        for annotation in ledger.annotations(entry.sha256):
            _take(found, (entry.name, annotation.question), annotation)
        answers: dict[str, dict[str, str]] = {}
        for cell in ledger.cells(run, entry, parser):
            answers.setdefault(cell.question, {})[cell.reader] = cell.answer.raw or cell.answer.text
        for question, by_model in answers.items():
            found.likeness[(entry.name, question)] = _likeness([by_model.get(model, "") for model in run.readers])
        if ours:
            for cell in ledger.cells(ours, entry, parser):
                found.ours[(entry.name, cell.question)] = cell.verdict.status.reported
        watch(entry.name)
    return found


def scopes(found: Table) -> tuple[Scope, ...]:
    """All papers; and those with deep learning, if the study has a gate."""
    everything = _scope("all papers", found, set(found.papers))
    through = {paper for paper, lets in found.papers.items() if lets}
    return (
        (everything,)
        if len(through) == len(found.papers)
        else (everything, _scope("after the deep-learning gate", found, through))
    )


def pairs_of(models: Sequence[str]) -> list[Pair]:
    return [(first, second) for index, first in enumerate(models) for second in models[index + 1 :]]


def _take(found: Table, cell: Cell, annotation: Annotation) -> None:
    said = annotation.status is Status.REPORTED
    who = annotation.annotator
    if who.startswith(PUBLISHED) and who.removeprefix(PUBLISHED) in found.published:
        found.published[who.removeprefix(PUBLISHED)][cell] = said
    elif who.startswith(HUMAN_ON) and who.removeprefix(HUMAN_ON) in found.human_on:
        found.human_on[who.removeprefix(HUMAN_ON)][cell] = said
    elif who == CATEGORIES:
        found.categories[cell] = said


def _likeness(texts: Sequence[str]) -> tuple[float, ...]:
    matrix = cosines(texts)
    return tuple(matrix[i][j] for i in range(len(texts)) for j in range(i + 1, len(texts)))


def _scope(name: str, found: Table, papers: Collection[str]) -> Scope:
    cells = [cell for cell in found.cells if cell[0] in papers]
    vote = {cell: said for cell, said in found.vote.items() if cell[0] in papers}
    published = {model: _within(said, papers) for model, said in found.published.items()}
    ours = {cell: bool(said) for cell, said in found.ours.items() if cell[0] in papers}
    raters = {**published, "vote": vote, **({"ours": ours} if ours else {})}
    labelled = {cell: truth for cell, truth in found.categories.items() if cell[0] in papers}
    by_category = tuple(
        _category(question, {c: t for c, t in labelled.items() if c[1] == question}, vote, ours)
        for question in found.questions
        if any(cell[1] == question for cell in labelled)
    )
    people = _people(found, papers, vote, ours)
    return Scope(
        name=name,
        papers=len(papers),
        cells=len(cells),
        vote_yes=sum(vote.values()),
        model_yes={model: sum(said.values()) for model, said in published.items()},
        ours_yes=sum(ours.values()) if ours else None,
        ours_undecided=sum(said is None for cell, said in found.ours.items() if cell[0] in papers) if ours else None,
        question_yes={
            question: {rater: sum(said.get((paper, question), False) for paper in papers) for rater, said in raters.items()}
            for question in found.questions
        },
        agreement=pairwise_agreement(raters),
        among=group_agreement(published),
        likeness=_mean_likeness(found, papers),
        human=people.each,
        human_total=people.total,
        human_majority=people.majority,
        categories=by_category,
        categories_total=_total(by_category, labelled, vote, ours) if by_category else None,
        mean_kappa=_mean_kappa(by_category, bool(ours)),
    )


class _People(NamedTuple):
    each: tuple[Against, ...]
    total: Against | None
    majority: tuple[Against, ...]


def _people(found: Table, papers: Collection[str], vote: Mapping[Cell, bool], ours: Mapping[Cell, bool]) -> _People:
    """What people said of each model's answers, against what the study counted for them."""
    human = {model: _within(said, papers) for model, said in found.human_on.items()}
    each = tuple(_against(model, said, found.published[model]) for model, said in human.items() if said)
    pooled = [
        (said, found.published[model].get(cell, False)) for model, by_cell in human.items() for cell, said in by_cell.items()
    ]
    balance: dict[Cell, int] = {}
    for by_cell in human.values():
        for cell, said in by_cell.items():
            balance[cell] = balance.get(cell, 0) + (1 if said else -1)
    majority = {cell: value > 0 for cell, value in balance.items() if value}
    others = (("vote", vote), ("ours", ours))
    compared = tuple(_against(who, majority, said) for who, said in others if said and majority)
    return _People(each, _measured("all models", pooled) if pooled else None, compared)


def _category(question: str, truth: Mapping[Cell, bool], vote: Mapping[Cell, bool], ours: Mapping[Cell, bool]) -> Category:
    yes = sum(truth.values())
    mine = _against("ours", truth, ours) if ours else None
    return Category(question, _against("vote", truth, vote), mine, yes, max(yes, len(truth) - yes))


def _total(
    each: Sequence[Category], truth: Mapping[Cell, bool], vote: Mapping[Cell, bool], ours: Mapping[Cell, bool]
) -> Category:
    whole = _category("all", truth, vote, ours)
    return Category("all", whole.vote, whole.ours, whole.always_yes, sum(category.majority for category in each))


def _mean_kappa(categories: Sequence[Category], with_ours: bool) -> Mapping[str, float]:
    found = {"vote": [category.vote.kappa for category in categories]}
    if with_ours:
        found["ours"] = [category.ours.kappa for category in categories if category.ours]
    known = {who: [value for value in values if value == value] for who, values in found.items()}
    return {who: sum(values) / len(values) for who, values in known.items() if values}


def _against(name: str, truth: Mapping[Cell, bool], said: Mapping[Cell, bool]) -> Against:
    """Every cell that people judged counts; one that has no answer said no."""
    return _measured(name, [(reported, said.get(cell, False)) for cell, reported in truth.items()])


def _measured(name: str, judged: Sequence[tuple[bool, bool]]) -> Against:
    found = count(judged)
    yes = sum(truth for truth, _ in judged)
    return Against(name, len(judged), yes, int(found.tp + found.tn), float(kappa(found)), float(ac1(found)))


def _mean_likeness(found: Table, papers: Collection[str]) -> Mapping[str, float]:
    rows = [values for cell, values in found.likeness.items() if cell[0] in papers]
    names = [f"{first} / {second}" for first, second in pairs_of(found.models)]
    return {name: sum(row[index] for row in rows) / len(rows) for index, name in enumerate(names)} if rows else {}


def _within(said: Mapping[Cell, bool], papers: Collection[str]) -> dict[Cell, bool]:
    return {cell: value for cell, value in said.items() if cell[0] in papers}
