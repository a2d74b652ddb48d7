"""The study's figures as a page, ours beside each."""

from collections.abc import Iterator, Sequence

from methodlens.records import Question
from methodlens.reports.statistics.evaluation_page import agreement_matrix
from methodlens.reports.statistics.sections import (
    Bar,
    BarsSection,
    MatrixSection,
    Section,
    StatisticsPage,
    TableSection,
    format_number,
)
from methodlens.study.figures import Against, Category, Scope


def page(found: Sequence[Scope], questions: Sequence[Question], defects: str) -> StatisticsPage:
    titles = {question.id: question.title for question in questions}
    return StatisticsPage(
        "methodlens: the published study, counted again",
        (
            defects,
            "Published labels are counted as the study counted them, broken answers included; "
            "ours is the embedded reader on the same contexts, a cell it withholds counting as no.",
        ),
        tuple(part for scope in found for part in _parts(scope, titles)),
    )


def _parts(scope: Scope, titles: dict[str, str]) -> Iterator[Section]:
    yield _votes(scope)
    if scope.categories_total:
        yield _categories(scope, titles)
    if scope.human_total:
        yield _people(scope)
    yield agreement_matrix(f"{_name(scope)}: agreement of each with each (kappa)", scope.agreement)
    yield _likeness(scope)
    yield _questions(scope, titles)
    marks = ("ours",) if scope.ours_yes is not None else ()
    yield BarsSection(
        f"{_name(scope)}: share of papers with a yes vote, by question",
        tuple(_bar(scope, question) for question in scope.question_yes),
        marks,
    )


def _name(scope: Scope) -> str:
    return scope.name[0].upper() + scope.name[1:]


def _votes(scope: Scope) -> TableSection:
    rows = [("vote", scope.vote_yes), *scope.model_yes.items()]
    if scope.ours_yes is not None:
        rows.append((f"ours ({scope.ours_undecided} undecided)", scope.ours_yes))
    shown = tuple((name, str(yes), str(scope.cells), format_number(yes / scope.cells, 3)) for name, yes in rows)
    among = f"Fleiss' kappa {format_number(scope.among.fleiss_kappa, 3)}, alpha {format_number(scope.among.alpha, 3)}"
    alpha = f"among the models: {among}"
    return TableSection(f"{_name(scope)}: yes among {scope.papers} papers", ("", "yes", "of", "share"), shown, note=alpha)


def _categories(scope: Scope, titles: dict[str, str]) -> TableSection:
    total = scope.categories_total
    rows = [_category(one, f"{one.question} {titles.get(one.question, '')}") for one in scope.categories]
    rows += [_category(total, "all")] if total else []
    means = ", ".join(f"{who} {format_number(value, 3)}" for who, value in scope.mean_kappa.items())
    return TableSection(
        f"{_name(scope)}: against the human categories (cells agreed on)",
        ("", "n", "human yes", "vote", "kappa", "AC1", "ours", "kappa", "AC1", "always yes", "majority"),
        tuple(rows),
        note=f"mean kappa of the categories: {means}; the people had the full text, code and supplement, readers a few passages",
    )


def _category(one: Category, name: str) -> tuple[str, ...]:
    ours = _agreed(one.ours) if one.ours else ("–", "–", "–")
    return (name, str(one.vote.n), str(one.vote.yes), *_agreed(one.vote), *ours, str(one.always_yes), str(one.majority))


def _agreed(one: Against) -> tuple[str, str, str]:
    return str(one.agreed), format_number(one.kappa, 3), format_number(one.ac1, 3)


def _people(scope: Scope) -> TableSection:
    judged = [*scope.human, *([scope.human_total] if scope.human_total else [])]
    rows = [_person(one, one.name) for one in judged]
    rows += [_person(one, f"{one.name}, against the majority of these") for one in scope.human_majority]
    return TableSection(
        f"{_name(scope)}: against a person's yes or no on each model's answer",
        ("", "n", "person yes", "agreed", "share", "kappa", "AC1", "always yes", "majority"),
        tuple(rows),
        note="nobody judged our answers: ours and the vote stand against what most judgements of the five answers say",
    )


def _person(one: Against, name: str) -> tuple[str, ...]:
    bases = (str(one.yes), str(max(one.yes, one.n - one.yes)))
    return (name, str(one.n), str(one.yes), str(one.agreed), format_number(one.agreed / one.n, 3), *_agreed(one)[1:], *bases)


def _likeness(scope: Scope) -> MatrixSection:
    pairs = {tuple(name.split(" / ")): value for name, value in scope.likeness.items()}
    models = tuple(scope.model_yes)
    values = tuple(tuple(pairs.get((a, b), pairs.get((b, a))) for b in models) for a in models)
    return MatrixSection(f"{_name(scope)}: likeness of answers (mean TF-IDF cosine)", models, values)


def _questions(scope: Scope, titles: dict[str, str]) -> TableSection:
    raters = list(next(iter(scope.question_yes.values()), {}))
    raters.sort(key=lambda name: {"vote": 0, "ours": 1}.get(name, 2))
    rows = tuple(
        (f"{question} {titles.get(question, '')}".strip(), *(str(yes[rater]) for rater in raters))
        for question, yes in scope.question_yes.items()
    )
    return TableSection(f"{_name(scope)}: papers with yes, of {scope.papers}", ("", *raters), rows)


def _bar(scope: Scope, question: str) -> Bar:
    yes = scope.question_yes[question]
    marks = (yes["ours"] / scope.papers,) if "ours" in yes else ()
    return Bar(question, yes["vote"] / scope.papers, marks=marks)
