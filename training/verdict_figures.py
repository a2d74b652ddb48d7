"""How the embedded reader does on papers it never saw, as tables."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from methodlens.evaluation.bootstrap import figures
from methodlens.evaluation.calibration import calibration
from methodlens.evaluation.counts import count
from methodlens.readers.embedded.probability import p_reported
from methodlens.readers.embedded.sentence_scores import with_learned_scores
from methodlens.readers.embedded.weights import LearnedVerdicts
from methodlens.verdicts.judge import MAX_P_NOT_REPORTED, MIN_P_REPORTED
from training import answer_words
from training.answer_words import Contexts
from training.cells import questions

if TYPE_CHECKING:
    from training.verdicts import Row

_DRAWS, _SEED = 2000, 5
Pair = tuple[str, bool, bool]


def show(rows: Sequence["Row"], given: Sequence[float], *, brief: bool = False) -> None:
    """`given` are the probabilities, each from numbers learned without its paper."""
    decided = [p >= MIN_P_REPORTED or p <= MAX_P_NOT_REPORTED for p in given]
    table = Table("figure", "unseen papers", "95% over papers", title=f"{len(rows)} gold cells, each paper left out once")
    both = list(zip(rows, given, strict=True))
    pairs: dict[str, list[Pair]] = {
        "verdict_kappa": [_pair(row, p >= MIN_P_REPORTED) for row, p in both],
        "firm_kappa": [_pair(row, p >= MIN_P_REPORTED) for row, p in both if row.cell.firm],
        "forced_kappa": [_pair(row, p >= 0.5) for row, p in both],
        "decided_kappa": [_pair(row, p >= 0.5) for (row, p), sure in zip(both, decided, strict=True) if sure],
    }
    for name, some in pairs.items():
        table.add_row(name, *_kappa(some))
    table.add_row("coverage", f"{sum(decided) / len(decided):.3f}")
    Console(width=100).print(table)
    if not brief:
        show_tables(rows, given)


def show_tables(rows: Sequence["Row"], given: Sequence[float]) -> None:
    """By question, and by stated probability."""
    both = list(zip(rows, given, strict=True))
    _by_question(both)
    _reliability(both)


def show_study(contexts: Contexts, learned_without: Callable[[str], LearnedVerdicts], gold: Collection[str]) -> None:
    """Agreement with the published vote on contexts of papers that nothing was learned from. A weak label: the vote errs."""
    from training.verdicts import said

    made = questions()
    pairs: list[Pair] = []
    without = {paper: learned_without(paper) for paper in {cell.paper for cell in contexts.cells} - set(gold)}
    for cell in contexts.cells:
        if cell.paper not in without:
            continue
        question, learned = made[cell.cq], without[cell.paper]
        own = with_learned_scores(question, said(cell.own, learned.of(question)), learned.sentence_model(question))
        p = p_reported(question, own, learned)
        pairs.append((cell.paper, answer_words.vote(cell), p >= 0.5))
    value, interval = _kappa(pairs)
    print(f"\nagreement with the five models' vote on {len(pairs)} contexts: kappa {value} ({interval})")


def _pair(row: "Row", ours: bool) -> Pair:
    return row.cell.paper, row.cell.reported, ours


def _kappa(pairs: Iterable[Pair]) -> tuple[str, str]:
    by_paper: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for paper, truth, ours in pairs:
        by_paper[paper].append((truth, ours))
    found = figures([count(some) for some in by_paper.values()], resamples=_DRAWS, seed=_SEED)["kappa"]
    return f"{found.value:.3f}", f"{found.low:.3f} to {found.high:.3f}"


def _by_question(both: Sequence[tuple["Row", float]]) -> None:
    table = Table("question", "reported", "agree", "withheld", title="By question")
    for cq, question in questions().items():
        some = [(row.cell.reported, p) for row, p in both if row.cell.cq == cq]
        agree = sum(truth == (p >= 0.5) for truth, p in some)
        doubt = sum(MAX_P_NOT_REPORTED < p < MIN_P_REPORTED for _, p in some)
        table.add_row(f"{question.id} {question.title}", f"{sum(t for t, _ in some)}", f"{agree} of {len(some)}", f"{doubt}")
    Console(width=100).print(table)


def _reliability(both: Sequence[tuple["Row", float]]) -> None:
    found = calibration("embedded", [(row.cell.reported, p) for row, p in both])
    table = Table(
        "cells", "said", "were reported", title=f"Reliability: Brier {found.brier:.3f}, calibration error {found.ece:.3f}"
    )
    for one in found.bins:
        table.add_row(f"{one.n}", f"{one.mean_p:.2f}", f"{one.share_yes:.2f}")
    Console(width=100).print(table)
