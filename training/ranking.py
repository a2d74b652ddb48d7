"""Learn the ranking: per-question terms from the study and the gold papers, and the weights of the signals from the gold.

    python -m training.ranking GOLD STUDY/records.jsonl.xz [--to FILE]

Prints the cross-validated figures first: every gold paper is ranked with numbers learned without it, and without its twin in
the study. Then it learns from all and writes the file that ships. Deterministic: the same input gives the same bytes.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace
from scipy.optimize import minimize

from methodlens.questions import load
from methodlens.records import Question
from methodlens.retrieval.fusion import FusedRetriever, repetitions, spread, weight_row
from methodlens.retrieval.query import Query
from methodlens.retrieval.ranking import LearnedRanking, LearnedTerms, Ranking, load_ranking, question_fingerprint
from methodlens.retrieval.signals import NAMES, Signals
from methodlens.text.vectors import load_vectors
from training import gold, study
from training.gold import Found, GoldPaper
from training.layout import layout
from training.terms import Corpus

TO = Path(__file__).parent.parent / "src" / "methodlens" / "retrieval" / "data" / "ranking.json"
_PULL = 3.0  # how strongly weights are held at 0
_FOLDS = 8  # groups of papers that are left out together
_INNER = 4  # folds in which the terms for the weights' own fit are learned
Terms = Mapping[int, Mapping[str, float]]
Array = npt.NDArray[np.float64]
Lists = list[tuple[Array, npt.NDArray[np.bool_]]]


class Bench(Struct, frozen=True):
    """The gold papers made ready once, and the texts to learn terms from."""

    papers: Sequence[GoldPaper]
    signals: Mapping[str, Signals]
    corpus: Corpus
    questions: Sequence[Question]
    answers: Mapping[tuple[str, int], npt.NDArray[np.bool_]]


class Fold(Struct, frozen=True):
    tests: Sequence[GoldPaper]
    lists: Lists
    terms: Terms


def prepare(gold_folder: Path, records: Path) -> Bench:
    papers = gold.read(gold_folder)
    encoder = load_vectors()
    questions = load("dl-methods").questions
    signals = {one.name: Signals(one.passages, encoder) for one in papers}
    corpus = Corpus([*study.read(records), *map(gold.as_document, papers)])
    answers = {(one.name, cq): _answering(one, quotes) for one in papers for cq, quotes in one.quotes.items()}
    return Bench(papers, signals, corpus, questions, answers)


def _answering(one: GoldPaper, quotes: Sequence[str]) -> npt.NDArray[np.bool_]:
    """The passages that hold nearly half of a quote or more: a quote may be cut in two."""
    squeezed = [gold.squeeze(passage.text) for passage in one.passages]
    found = np.zeros(len(squeezed), bool)
    for quote in quotes:
        needle = gold.squeeze(quote)
        windows = [needle[start : start + 30] for start in range(0, max(1, len(needle) - 29), 15)]
        found |= np.array([sum(window in text for window in windows) >= 0.45 * len(windows) for text in squeezed])
    return found


def folds(bench: Bench) -> list[Fold]:
    """Groups of papers with the rows of the others to learn from, and with terms learned without them. The slow half."""
    made: list[Fold] = []
    for start in range(min(_FOLDS, len(bench.papers))):
        tests = bench.papers[start::_FOLDS]
        names = frozenset(one.name for one in tests)
        lists = learning_rows(bench, [one for one in bench.papers if one.name not in names])
        made.append(Fold(tests, lists, bench.corpus.terms(without=names)))
    return made


def cross_validate(bench: Bench, made: Sequence[Fold], *, leave_out: frozenset[str] = frozenset()) -> list[Found]:
    """Each paper ranked by what was learned without it. `leave_out` names signals that are not used, for an ablation."""
    found: list[Found] = []
    for fold in made:
        weights = fit(fold.lists, leave_out=leave_out)
        for test in fold.tests:
            texts = {
                cq: [test.passages[index].text for index, _ in ranked(bench, test, cq, fold.terms, weights)] for cq in test.quotes
            }
            found.append(gold.score(test, texts.__getitem__))
    return found


def learning_rows(bench: Bench, papers: Sequence[GoldPaper]) -> Lists:
    """The signals of these papers' passages, with those that answer. Terms are learned outside each inner fold, so that the
    weight of terms is not fitted to terms that know the answer."""
    outside = frozenset(one.name for one in bench.papers) - {one.name for one in papers}
    lists: Lists = []
    for fold in range(_INNER):
        inner = papers[fold::_INNER]
        terms = bench.corpus.terms(without=outside | {one.name for one in inner})
        for one in inner:
            for cq in one.quotes:
                answer = bench.answers[one.name, cq]
                if answer.any():
                    lists.append((_rows(bench, one, cq, terms), answer))
    return lists


def fit(lists: Lists, *, leave_out: frozenset[str] = frozenset()) -> dict[str, float]:
    """The weights that rank the answering passages first. A name means all signals that begin with it."""
    used = [index for index, name in enumerate(NAMES) if name.split(".")[0].split("_rank")[0] not in leave_out]
    return dict(zip((NAMES[index] for index in used), _listwise([(rows[:, used], a) for rows, a in lists]), strict=True))


def _listwise(lists: Sequence[tuple[Array, npt.NDArray[np.bool_]]]) -> list[float]:
    """Softmax over the passages of a paper; what is raised is the share of those that answer. All lists at once."""
    rows = np.concatenate([rows for rows, _ in lists])
    answer = np.concatenate([answer for _, answer in lists]).astype(np.float64)
    sizes = [len(rows) for rows, _ in lists]
    firsts = np.cumsum([0, *sizes])[:-1]

    def shares(values: Array) -> Array:
        return np.asarray(values / np.repeat(np.add.reduceat(values, firsts), sizes))

    def loss(weights: Array) -> tuple[float, Array]:
        scores = rows @ weights
        share = shares(np.exp(scores - np.repeat(np.maximum.reduceat(scores, firsts), sizes)))
        sure = np.add.reduceat(share * answer, firsts) + 1e-12
        right = share * answer / np.repeat(sure, sizes)
        return _PULL * float(weights @ weights) / 2 - float(np.log(sure).sum()), _PULL * weights - (right - share) @ rows

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return [round(weight, 3) for weight in found.x.tolist()]


def _rows(bench: Bench, one: GoldPaper, cq: int, terms: Terms) -> Array:
    return bench.signals[one.name].of(_query(bench, cq, terms))[0].astype(np.float64)


def _query(bench: Bench, cq: int, terms: Terms) -> Query:
    made, _ = _RETRIEVER.query(bench.questions[cq - 1])
    return replace(made, terms=terms.get(cq, {}))


def ranked(bench: Bench, one: GoldPaper, cq: int, terms: Terms, weights: Mapping[str, float]) -> list[tuple[int, float]]:
    """The paper's passages by number, best first, with their scores."""
    signals = bench.signals[one.name]
    rows, related = signals.of(_query(bench, cq, terms))
    scores = np.where(related, rows @ weight_row(weights), -np.inf)
    return spread(scores, repetitions(signals.vectors, alike=_PLAIN.alike, damping=_PLAIN.damping))


_PLAIN: Ranking = load_ranking(learned=False)
_RETRIEVER = FusedRetriever(load_vectors(), _PLAIN)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("records", type=Path)
    parser.add_argument("--to", type=Path, default=TO)
    args = parser.parse_args()
    bench = prepare(args.gold, args.records)
    found = cross_validate(bench, folds(bench))
    rates, sides = gold.rates(found), gold.intervals(found)
    for budget, rate, (low, high) in zip(gold.BUDGETS, rates, sides, strict=True):
        print(f"cross-validated evidence_hit_{budget}: {rate:.4f} (95% {low:.3f} to {high:.3f})")
    terms = bench.corpus.terms()
    learned = LearnedRanking(
        signals=fit(learning_rows(bench, bench.papers)),
        questions={q.id: LearnedTerms(question_fingerprint(q), terms[number]) for number, q in enumerate(bench.questions, 1)},
        note="made by training/ranking.py; `asked` is a digest of the question it was learned for",
    )
    args.to.write_text(as_file(learned), encoding="utf-8")
    print(f"{sum(len(one.terms) for one in learned.questions.values())} terms written to {args.to}")
    return 0


def as_file(learned: LearnedRanking) -> str:
    return layout(
        {"note": learned.note, "signals": dict(learned.signals)},
        {name: {"asked": one.asked, "terms": dict(one.terms)} for name, one in learned.questions.items()},
    )


if __name__ == "__main__":
    sys.exit(main())
