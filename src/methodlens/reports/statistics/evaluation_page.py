"""An evaluation as a page of statistics, for the terminal and for HTML."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from methodlens.evaluation.bootstrap import Figure
from methodlens.evaluation.calibration import Calibration
from methodlens.evaluation.labels import LabelSet
from methodlens.evaluation.raters import PairAgreement
from methodlens.evaluation.scoring import MISSING, Evaluation, ReaderScores, Score, Undecided
from methodlens.records import Question, Status
from methodlens.reports.statistics.sections import (
    Bar,
    BarsSection,
    CurvePoint,
    CurveSection,
    MatrixSection,
    Section,
    StatisticsPage,
    TableSection,
    format_interval,
    format_number,
)

_HEAD = (
    *("", "n", "yes", "undecided", "accuracy [95%]", "always yes", "majority", "kappa [95%]", "AC1"),
    *("balanced", "precision", "recall", "F1"),
)
_UNDECIDED_RULES = {
    Undecided.NO: 'undecided cells count as "no"',
    Undecided.WRONG: "undecided cells count as errors",
    Undecided.LEFT_OUT: "undecided cells are left out of the scores, but counted in n",
}
_OUTCOMES = (*(status.value for status in Status), MISSING)
_UNFOLDED_READERS = 2


def evaluation_page(evaluation: Evaluation, labels: LabelSet, questions: Sequence[Question]) -> StatisticsPage:
    sections = _sections(evaluation, {question.id: question.title for question in questions})
    return StatisticsPage("methodlens: agreement", tuple(_summary(evaluation, labels)), tuple(sections))


def problem_lines(labels: LabelSet, *, most: int = 5) -> Iterator[str]:
    """One line per kind of problem, with its count and the first few examples."""
    for kind, count in Counter(problem.kind for problem in labels.problems).items():
        examples = [f"{p.what} ({p.where})" if p.where else p.what for p in labels.problems if p.kind == kind]
        more = f"; and {count - most} more" if count > most else ""
        yield f"{kind} ({count}): {'; '.join(examples[:most])}{more}"


def _summary(evaluation: Evaluation, labels: LabelSet) -> Iterator[str]:
    rule = _UNDECIDED_RULES[evaluation.undecided]
    papers = f"{evaluation.papers} paper{'' if evaluation.papers == 1 else 's'}"
    yield f"{evaluation.asked} labelled cells of {papers}; {rule}. Intervals are bootstrapped over papers."
    if labels.blank:
        yield f"{labels.blank} labels are blank"
    if evaluation.disputes:
        yield f"{len(evaluation.disputes)} cells have no ground truth (annotators disagree or are unsure) and are not scored"
    if labels.problems:
        kinds = Counter(problem.kind for problem in labels.problems)
        yield f"not usable: {', '.join(f'{count} {kind}' for kind, count in kinds.items())}"


def _sections(evaluation: Evaluation, titles: Mapping[str, str]) -> Iterator[Section]:
    rows = [_score_row(scores.reader, scores.overall) for scores in evaluation.readers]
    if evaluation.readers:  # all readers are scored on the same cells, so they share their baselines
        first = evaluation.readers[0].overall
        rows += [_baseline_row("always yes", first, first.always_yes), _baseline_row("majority", first, first.majority)]
    note = "majority: the most frequent label of each question; the columns 'always yes' and 'majority' are accuracies"
    yield TableSection("All questions", _HEAD, tuple(rows), note=note)
    yield _outcomes(evaluation)
    yield _other_measures(evaluation)
    if evaluation.matrix:
        yield agreement_matrix("Pairwise agreement (kappa, on labelled cells that both decided)", evaluation.matrix)
    yield from _groups(evaluation)
    if evaluation.mcnemar:
        yield _mcnemar(evaluation)
    yield from map(_curve, evaluation.calibration)
    for index, scores in enumerate(evaluation.readers):
        yield from _questions(scores, titles, folded=index >= _UNFOLDED_READERS)


def _score_row(name: str, score: Score) -> tuple[str, ...]:
    figures = score.figures
    counts = (str(score.asked), str(score.yes), str(score.undecided))
    baselines = (format_number(baseline["accuracy"].value) for baseline in (score.always_yes, score.majority))
    others = (format_number(figures[key].value) for key in ("ac1", "balanced_accuracy", "precision", "recall", "f1"))
    return (name, *counts, _interval(figures["accuracy"]), *baselines, _interval(figures["kappa"]), *others)


def _baseline_row(name: str, score: Score, figures: Mapping[str, Figure]) -> tuple[str, ...]:
    keys = ("kappa", "ac1", "balanced_accuracy", "precision", "recall", "f1")
    others = (format_number(figures[key].value) for key in keys)
    return (f"({name})", str(score.asked), str(score.yes), "0", format_number(figures["accuracy"].value), "", "", *others)


def _interval(figure: Figure) -> str:
    return format_interval(figure.value, figure.low, figure.high)


def _outcomes(evaluation: Evaluation) -> TableSection:
    rows = tuple(
        (scores.reader, str(scores.overall.asked), *(str(scores.overall.counts.get(outcome, 0)) for outcome in _OUTCOMES))
        for scores in evaluation.readers
    )
    head = ("", "labelled", *(outcome.replace("_", " ") for outcome in _OUTCOMES))
    return TableSection("Verdicts on the labelled cells", head, rows)


def _other_measures(evaluation: Evaluation) -> TableSection:
    rows = []
    for scores in evaluation.readers:
        decided = scores.decided.asked - scores.decided.undecided
        firm = _interval(scores.firm.figures["kappa"]) if scores.firm else "–"
        share = format_number(decided / scores.decided.asked if scores.decided.asked else None)
        rows.append((scores.reader, _interval(scores.mean_kappa), firm, share, _interval(scores.decided.figures["kappa"])))
    head = ("", "mean kappa over questions", "kappa on firm labels", "share decided", "kappa on decided cells")
    return TableSection("Other measures of agreement", head, tuple(rows))


def agreement_matrix(title: str, pairs: Sequence[PairAgreement]) -> MatrixSection:
    names = tuple(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    kappas = {(pair.first, pair.second): pair.kappa for pair in pairs}
    values = tuple(tuple(kappas.get((a, b), kappas.get((b, a))) for b in names) for a in names)
    least, most = min(pair.n for pair in pairs), max(pair.n for pair in pairs)
    return MatrixSection(title, names, values, note=f"on {least} to {most} cells" if least < most else f"on {most} cells")


def _groups(evaluation: Evaluation) -> Iterator[TableSection]:
    rows = []
    for name, group in (("annotators", evaluation.annotators), ("readers", evaluation.among_readers)):
        if group:
            fleiss, alpha = format_number(group.fleiss_kappa, 3), format_number(group.alpha, 3)
            rows.append((f"{len(group.raters)} {name}", fleiss, str(group.complete), alpha, str(group.pairable)))
    if rows:
        head = ("group", "Fleiss' kappa", "cells decided by all", "Krippendorff's alpha", "cells decided by two or more")
        yield TableSection("Agreement within groups", head, tuple(rows))


def _mcnemar(evaluation: Evaluation) -> TableSection:
    rows = tuple(
        (
            f"{test.first} / {test.second}",
            str(test.only_first),
            str(test.only_second),
            "< 0.0001" if test.p < 0.0001 else format_number(test.p, 4),
        )
        for test in evaluation.mcnemar
    )
    return TableSection(
        "Differences between readers (McNemar, exact)",
        ("", "only first right", "only second right", "p"),
        rows,
        note="cells of the same paper are not independent: a p near 0.05 is weak evidence",
        folded=len(rows) > 3,
    )


def _curve(calibration: Calibration) -> CurveSection:
    points = tuple(CurvePoint(each.mean_p, each.share_yes, each.n) for each in calibration.bins)
    brier, error = format_number(calibration.brier, 3), format_number(calibration.ece, 3)
    note = f"{calibration.n} cells; Brier score {brier}, expected calibration error {error}"
    title = f"Calibration of {calibration.reader}"
    return CurveSection(title, points, "predicted probability", "share reported", note)


def _questions(scores: ReaderScores, titles: Mapping[str, str], *, folded: bool) -> Iterator[Section]:
    names = (f"{score.question} {titles.get(score.question, '')}".strip() for score in scores.questions)
    rows = tuple(map(_score_row, names, scores.questions))
    yield TableSection(f"{scores.reader} by question", _HEAD, rows, folded=folded)
    for key in ("accuracy", "kappa"):
        marks = ("always yes", "majority") if key == "accuracy" else ()
        bars = tuple(_bar(score, key) for score in scores.questions)
        yield BarsSection(f"{scores.reader}: {key} by question, with 95% intervals", bars, marks, folded=folded)


def _bar(score: Score, key: str) -> Bar:
    figure = score.figures[key]
    marks = (score.always_yes[key].value, score.majority[key].value) if key == "accuracy" else ()
    return Bar(score.question, figure.value, figure.low, figure.high, marks)
