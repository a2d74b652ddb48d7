"""Old and new verdicts of the study as a page, and as lines of a table."""

from collections.abc import Iterator, Sequence

from methodlens.records import Question
from methodlens.reports.statistics.sections import Bar, BarsSection, Section, StatisticsPage, TableSection, format_number
from methodlens.settings import EnergySettings
from methodlens.study.against import VOTE, Change, Comparison
from methodlens.study.emissions import Consumption

_HEAD = ("", "n", "agreed", "share", "kappa", "AC1", "old yes", "new yes", "yes->no", "no->yes", "undecided", "unsupported yes")
_LABELS = {True: "yes", False: "no", None: ""}


def comparison_page(
    comparison: Comparison, questions: Sequence[Question], spent: Sequence[Consumption], energy: EnergySettings
) -> StatisticsPage:
    titles = {question.id: f"{question.id} {question.title}".strip() for question in questions}
    unpaired = f" Without a counterpart: {', '.join(comparison.unpaired)}." if comparison.unpaired else ""
    return StatisticsPage(
        "methodlens: the published study, run again",
        (
            f"{comparison.papers} papers, {len(comparison.questions)} questions that both have.{unpaired}",
            "Old: published labels. New: each model's own yes or no on its answer. In both votes, a missing label counts as no.",
        ),
        tuple(_sections(comparison, titles, spent, energy)),
    )


def _sections(
    comparison: Comparison, titles: dict[str, str], spent: Sequence[Consumption], energy: EnergySettings
) -> Iterator[Section]:
    yield TableSection(
        "Old and new verdicts, by model",
        _HEAD,
        tuple(_row(change.name, change) for change in comparison.changes()),
        note="unsupported yes: the quotes of the answer are not in the paper, or lack what it states",
    )
    vote = comparison.question_changes(VOTE)
    rows = tuple(_row(titles.get(change.name, change.name), change)[:-1] for change in vote)
    yield TableSection("The vote, by question", _HEAD[:-1], rows)
    if len(comparison.models) > 1:
        yield _by_question_and_model(comparison, titles)
    yield BarsSection(
        "Share of papers with a yes vote, by question",
        tuple(Bar(change.name, _share(change.new_yes, change.n), marks=(_share(change.old_yes, change.n),)) for change in vote),
        ("old",),
    )
    if spent:
        yield _energy(spent, energy)


def _row(name: str, change: Change) -> tuple[str, ...]:
    counted = (change.old_yes, change.new_yes, change.yes_to_no, change.no_to_yes, change.undecided, change.unsupported)
    figures = (_share(change.agreed, change.n), change.kappa, change.ac1)
    return (name, str(change.n), str(change.agreed), *(format_number(figure, 3) for figure in figures), *map(str, counted))


def _share(part: int, n: int) -> float | None:
    return part / n if n else None


def _by_question_and_model(comparison: Comparison, titles: dict[str, str]) -> TableSection:
    models = [model for model in comparison.models if model != VOTE]
    columns = [comparison.question_changes(model) for model in models]
    rows = []
    for index, question in enumerate(comparison.questions):
        changes = [column[index] for column in columns]
        rows.append((titles.get(question, question), *(_brief(change) for change in changes)))
    return TableSection(
        "Each question and model: agreed/n, yes->no, no->yes, kappa",
        ("", *models),
        tuple(rows),
        note="kappa is – where undefined",
    )


def _brief(change: Change) -> str:
    return f"{change.agreed}/{change.n} -{change.yes_to_no} +{change.no_to_yes} {format_number(change.kappa)}"


def _energy(spent: Sequence[Consumption], energy: EnergySettings) -> TableSection:
    total = Consumption("all")
    for row in spent:
        total.calls += row.calls
        total.seconds += row.seconds
        if row.joules is not None:
            total.joules = (total.joules or 0.0) + row.joules
    rows = tuple(
        (row.model, str(row.calls), f"{row.seconds:.1f}", format_number(row.kwh, 6), format_number(row.kg(energy), 6))
        for row in (*spent, total)
    )
    grid = f"{energy.grid_g_per_kwh:g} g/kWh" if energy.grid_g_per_kwh is not None else "energy.grid_g_per_kwh is not set"
    note = f"energy is the power in the settings (watts) times the duration of the calls; grid: {grid} {energy.country}".strip()
    return TableSection("Time and energy of the new run, by model", ("", "calls", "seconds", "kWh", "kg CO2e"), rows, note=note)


def cell_lines(comparison: Comparison) -> Iterator[Sequence[str | float | None]]:
    """One line per cell and model, headings first."""
    yield ("paper", "question", "model", "old", "new", "change", "status")
    for cell in comparison.cells:
        yield (cell.paper, cell.question, cell.model, _LABELS[cell.old], _LABELS[cell.new], cell.change, cell.status)
