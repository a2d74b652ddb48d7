"""The study's figures as a page, next to those of the embedded reader."""

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
from methodlens.study.figures import CategoryAgreement, HumanAgreement, StudyFigures


def figures_page(all_figures: Sequence[StudyFigures], questions: Sequence[Question], source: str) -> StatisticsPage:
    titles = {question.id: question.title for question in questions}
    return StatisticsPage(
        "methodlens: the published study, recomputed",
        (
            source,
            "Published labels are counted as in the study, including those of broken answers. "
            "'ours' is the embedded reader on the same contexts; withheld cells count as no.",
        ),
        tuple(part for figures in all_figures for part in _parts(figures, titles)),
    )


def _parts(figures: StudyFigures, titles: dict[str, str]) -> Iterator[Section]:
    yield _votes(figures)
    if figures.categories_total:
        yield _categories(figures, titles)
    if figures.human_total:
        yield _people(figures)
    yield agreement_matrix(f"{_name(figures)}: pairwise agreement (kappa)", figures.agreement)
    yield _similarity(figures)
    yield _questions(figures, titles)
    marks = ("ours",) if figures.ours_yes is not None else ()
    yield BarsSection(
        f"{_name(figures)}: share of papers with a yes vote, by question",
        tuple(_bar(figures, question) for question in figures.question_yes),
        marks,
    )


def _name(figures: StudyFigures) -> str:
    return figures.name[0].upper() + figures.name[1:]


def _votes(figures: StudyFigures) -> TableSection:
    rows = [("vote", figures.vote_yes), *figures.model_yes.items()]
    if figures.ours_yes is not None:
        rows.append((f"ours ({figures.ours_undecided} undecided)", figures.ours_yes))
    shown = tuple((name, str(yes), str(figures.cells), format_number(yes / figures.cells, 3)) for name, yes in rows)
    alpha = f"models: Fleiss' kappa {format_number(figures.among.fleiss_kappa, 3)}, alpha {format_number(figures.among.alpha, 3)}"
    return TableSection(f"{_name(figures)}: yes among {figures.papers} papers", ("", "yes", "of", "share"), shown, note=alpha)


def _categories(figures: StudyFigures, titles: dict[str, str]) -> TableSection:
    total = figures.categories_total
    rows = [_category(each, f"{each.question} {titles.get(each.question, '')}") for each in figures.categories]
    rows += [_category(total, "all")] if total else []
    means = ", ".join(f"{who} {format_number(value, 3)}" for who, value in figures.mean_kappa.items())
    return TableSection(
        f"{_name(figures)}: agreement with the human categories (number of cells)",
        ("", "n", "human yes", "vote", "kappa", "AC1", "ours", "kappa", "AC1", "always yes", "majority"),
        tuple(rows),
        note=f"mean kappa of the categories: {means}; people had the full text, code and supplement, readers only a few passages",
    )


def _category(category: CategoryAgreement, name: str) -> tuple[str, ...]:
    vote, ours = category.vote, category.ours
    baselines = str(category.always_yes), str(category.majority)
    return (name, str(vote.n), str(vote.yes), *_agreed(vote), *(_agreed(ours) if ours else ("–", "–", "–")), *baselines)


def _agreed(agreement: HumanAgreement) -> tuple[str, str, str]:
    return str(agreement.agreed), format_number(agreement.kappa, 3), format_number(agreement.ac1, 3)


def _people(figures: StudyFigures) -> TableSection:
    judged = [*figures.human, *([figures.human_total] if figures.human_total else [])]
    rows = [_person(each, each.name) for each in judged]
    rows += [_person(each, f"{each.name}, against the majority of the judgements") for each in figures.human_majority]
    return TableSection(
        f"{_name(figures)}: agreement with human judgements of each model's answers",
        ("", "n", "person yes", "agreed", "share", "kappa", "AC1", "always yes", "majority"),
        tuple(rows),
        note="nobody judged our answers: ours and the vote are compared with the majority of the judgements per cell",
    )


def _person(agreement: HumanAgreement, name: str) -> tuple[str, ...]:
    n, yes = agreement.n, agreement.yes
    agreed, *coefficients = _agreed(agreement)
    return (
        name,
        str(n),
        str(yes),
        agreed,
        format_number(agreement.agreed / n, 3),
        *coefficients,
        str(yes),
        str(max(yes, n - yes)),
    )


def _similarity(figures: StudyFigures) -> MatrixSection:
    pairs = {tuple(name.split(" / ")): value for name, value in figures.likeness.items()}
    models = tuple(figures.model_yes)
    values = tuple(tuple(pairs.get((a, b), pairs.get((b, a))) for b in models) for a in models)
    return MatrixSection(f"{_name(figures)}: similarity of answers (mean TF-IDF cosine)", models, values)


def _questions(figures: StudyFigures, titles: dict[str, str]) -> TableSection:
    raters = list(next(iter(figures.question_yes.values()), {}))
    raters.sort(key=lambda name: {"vote": 0, "ours": 1}.get(name, 2))
    rows = tuple(
        (f"{question} {titles.get(question, '')}".strip(), *(str(yes[rater]) for rater in raters))
        for question, yes in figures.question_yes.items()
    )
    return TableSection(f"{_name(figures)}: papers with yes, of {figures.papers}", ("", *raters), rows)


def _bar(figures: StudyFigures, question: str) -> Bar:
    yes = figures.question_yes[question]
    marks = (yes["ours"] / figures.papers,) if "ours" in yes else ()
    return Bar(question, yes["vote"] / figures.papers, marks=marks)
