"""An evaluation as a page of figures: the same for the terminal and for HTML."""

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
_TAKEN = {
    Undecided.NO: 'a cell without a decision counts as "no"',
    Undecided.WRONG: "a cell without a decision counts as an error",
    Undecided.LEFT_OUT: "cells without a decision are left out of the figures, not of n",
}
_REASONS = (*(status.value for status in Status), MISSING)
_FOLDED_FROM = 2  # readers whose questions are shown open; those of the others are a click away


def evaluation_page(
    found: Evaluation, gold: LabelSet, questions: Sequence[Question], *, title: str = "methodlens: agreement"
) -> StatisticsPage:
    return StatisticsPage(title, tuple(_summary(found, gold)), tuple(_parts(found, {q.id: q.title for q in questions})))


def problem_lines(gold: LabelSet, *, most: int = 5) -> Iterator[str]:
    """Every kind of problem with its number and the first few of them."""
    for kind, many in Counter(problem.kind for problem in gold.problems).items():
        some = [f"{p.what} ({p.where})" if p.where else p.what for p in gold.problems if p.kind == kind]
        more = f"; and {many - most} more" if many > most else ""
        yield f"{kind} ({many}): {'; '.join(some[:most])}{more}"


def _summary(found: Evaluation, gold: LabelSet) -> Iterator[str]:
    yield f"{found.asked} labelled cells of {found.papers} papers; {_TAKEN[found.undecided]}. Intervals resample papers."
    if gold.blank:
        yield f"{gold.blank} labels are blank"
    if found.disputes:
        yield f"{len(found.disputes)} cells have no truth, because people disagree or are unsure: they are in no figure"
    if gold.problems:
        kinds = Counter(problem.kind for problem in gold.problems)
        yield f"not usable: {', '.join(f'{many} {kind}' for kind, many in kinds.items())}"


def _parts(found: Evaluation, titles: Mapping[str, str]) -> Iterator[Section]:
    rows = [_row(one.reader, one.overall) for one in found.readers]
    first = found.readers[0].overall if found.readers else None
    if first:  # what was asked is the same for all readers, so the baselines are too
        rows += [_baseline("always yes", first, first.always_yes), _baseline("majority", first, first.majority)]
    note = "majority: the most frequent answer to each question; the columns always yes and majority are accuracies"
    yield TableSection("All questions", _HEAD, tuple(rows), note=note)
    yield _coverage(found)
    yield _stricter(found)
    if found.matrix:
        yield agreement_matrix("Agreement of each with each (kappa, on the labelled cells both decided)", found.matrix)
    yield from _groups(found)
    if found.mcnemar:
        yield _mcnemar(found)
    yield from map(_curve, found.calibration)
    for index, one in enumerate(found.readers):
        yield from _questions(one, titles, folded=index >= _FOLDED_FROM)


def _row(name: str, score: Score) -> tuple[str, ...]:
    f = score.figures
    rest = (format_number(f[key].value) for key in ("ac1", "balanced_accuracy", "precision", "recall", "f1"))
    bases = (format_number(base["accuracy"].value) for base in (score.always_yes, score.majority))
    counts = (str(score.asked), str(score.yes), str(score.undecided))
    return (name, *counts, _shown(f["accuracy"]), *bases, _shown(f["kappa"]), *rest)


def _baseline(name: str, score: Score, figures: Mapping[str, Figure]) -> tuple[str, ...]:
    keys = ("kappa", "ac1", "balanced_accuracy", "precision", "recall", "f1")
    rest = (format_number(figures[key].value) for key in keys)
    return (f"({name})", str(score.asked), str(score.yes), "0", format_number(figures["accuracy"].value), "", "", *rest)


def _shown(figure: Figure) -> str:
    return format_interval(figure.value, figure.low, figure.high)


def _coverage(found: Evaluation) -> TableSection:
    rows = tuple(
        (one.reader, str(one.overall.asked), *(str(one.overall.counts.get(reason, 0)) for reason in _REASONS))
        for one in found.readers
    )
    return TableSection("What became of the asked cells", ("", "asked", *(r.replace("_", " ") for r in _REASONS)), rows)


def _stricter(found: Evaluation) -> TableSection:
    rows = []
    for one in found.readers:
        decided = one.decided.asked - one.decided.undecided
        firm = _shown(one.firm.figures["kappa"]) if one.firm else "–"
        share = format_number(decided / one.decided.asked if one.decided.asked else None)
        rows.append((one.reader, _shown(one.mean_kappa), firm, share, _shown(one.decided.figures["kappa"])))
    head = ("", "mean kappa of the questions", "kappa on firm labels", "decided", "kappa on the decided")
    return TableSection("The same in other lights", head, tuple(rows))


def agreement_matrix(title: str, pairs: Sequence[PairAgreement]) -> MatrixSection:
    names = tuple(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    known = {(pair.first, pair.second): pair.kappa for pair in pairs}
    values = tuple(tuple(known.get((a, b), known.get((b, a))) for b in names) for a in names)
    least, most = min(pair.n for pair in pairs), max(pair.n for pair in pairs)
    return MatrixSection(title, names, values, note=f"on {least} to {most} cells" if least < most else f"on {most} cells")


def _groups(found: Evaluation) -> Iterator[TableSection]:
    groups = (("people", found.annotators), ("readers", found.among_readers))
    rows = tuple(
        (
            f"{len(one.raters)} {who}",
            format_number(one.fleiss_kappa, 3),
            str(one.complete),
            format_number(one.alpha, 3),
            str(one.pairable),
        )
        for who, one in groups
        if one
    )
    if rows:
        head = ("among", "Fleiss' kappa", "cells of all", "Krippendorff's alpha", "cells of two or more")
        yield TableSection("Agreement within groups", head, rows)


def _mcnemar(found: Evaluation) -> TableSection:
    rows = tuple((f"{m.first} / {m.second}", str(m.only_first), str(m.only_second), _p(m.p)) for m in found.mcnemar)
    return TableSection(
        "Do two readers differ? (McNemar, exact)",
        ("", "only first right", "only second right", "p"),
        rows,
        note="cells of one paper are not independent, so take a p near 0.05 as no proof",
        folded=len(rows) > 3,
    )


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else format_number(p, 4)


def _curve(one: Calibration) -> CurveSection:
    points = tuple(CurvePoint(each.mean_p, each.share_yes, each.n) for each in one.bins)
    note = (
        f"{one.n} cells; Brier score {format_number(one.brier, 3)}, mean distance from the diagonal {format_number(one.ece, 3)}"
    )
    return CurveSection(f"Reliability of {one.reader}'s probabilities", points, "probability given", "share reported", note)


def _questions(one: ReaderScores, titles: Mapping[str, str], *, folded: bool) -> Iterator[Section]:
    names = {score.question: f"{score.question} {titles.get(score.question, '')}".strip() for score in one.questions}
    rows = tuple(_row(names[score.question], score) for score in one.questions)
    yield TableSection(f"{one.reader}, question by question", _HEAD, rows, folded=folded)
    for key, title in (("accuracy", "accuracy"), ("kappa", "kappa")):
        marks = ("always yes", "majority") if key == "accuracy" else ()
        bars = tuple(_bar(score, key) for score in one.questions)
        yield BarsSection(f"{one.reader}: {title} by question, with 95% intervals", bars, marks, folded=folded)


def _bar(score: Score, key: str) -> Bar:
    figure = score.figures[key]
    marks = (score.always_yes[key].value, score.majority[key].value) if key == "accuracy" else ()
    return Bar(score.question, figure.value, figure.low, figure.high, marks)
