"""Learn the model for any question: linear weights and a likeness over sentences, a second look at the best, and a decision.

    python -m training.general GOLD GENERAL [--to FILE]

Prints first how it does on papers and questions it never saw: papers and questions are both cut into folds, similar questions
into the same one, and each cell is judged by numbers learned without its paper and without its question. Then it learns from
all and writes the file that ships. Deterministic: the same input gives the same bytes.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct, to_builtins
from scipy.optimize import minimize

from methodlens.readers.general.facts_asked import sentences_with_facts, weigh_facts
from methodlens.readers.general.quotes import candidate_sentences, choose_quotes, further_quotes
from methodlens.records import Hit, Question
from methodlens.relevance.cell_features import cell_features
from methodlens.relevance.cell_model import CellModel
from methodlens.relevance.features import NAMES
from methodlens.relevance.model import LearnedModel, Likeness, Relevance, matrix, sentence_scores
from methodlens.relevance.rerank_features import candidates, rerank_features
from methodlens.relevance.reranker import Reranker, redistributed
from methodlens.relevance.sentence_table import FIXED
from methodlens.text.vectors import Matrix, load_vectors
from training.general_cells import GeneralCell, read_all
from training.general_decision import fit_cell
from training.general_rerank import Rivals, fit_network

TO = Path(__file__).parent.parent / "src" / "methodlens" / "relevance" / "data" / "general.json"
_QUESTION_FOLDS, _PAPER_FOLDS = 4, 4
_SAME_TOPIC = 0.75  # cosine from which two questions belong to one fold
_PULL, _PULL_LIKENESS = 3.0, 1.0  # how strongly the linear weights and the likeness are held at 0
_RANK, _LARGEST = 32, 127  # the likeness is stored as two matrices of small integers
_HARD, _OTHERS = 30, 30  # sentences per cell, besides those that answer, to learn linear weights from
_SEED = 7

Array = npt.NDArray[np.float64]
Fold = tuple[int, int]


class Judged(Struct, frozen=True):
    """A cell with the first scores of its sentences and its probability, by a model that saw neither its paper nor question."""

    cell: GeneralCell
    scores: Array
    p: float
    quoted: Sequence[int]
    """The sentences that the reader quotes if it answers, best first."""


# --- folds ----------------------------------------------------------------------------------------------------------


def folds(cells: Sequence[GeneralCell]) -> list[Fold]:
    topics = _topics(sorted({cell.question.text for cell in cells}))
    papers = {name: number % _PAPER_FOLDS for number, name in enumerate(sorted({cell.paper for cell in cells}))}
    return [(topics[cell.question.text], papers[cell.paper]) for cell in cells]


def _topics(texts: Sequence[str]) -> dict[str, int]:
    vectors = load_vectors().encode(texts)
    near = vectors @ vectors.T > _SAME_TOPIC
    group = list(range(len(texts)))
    for one, other in zip(*np.nonzero(np.triu(near, 1)), strict=True):
        old, new = max(group[one], group[other]), min(group[one], group[other])
        group = [new if number == old else number for number in group]
    order = np.random.default_rng(_SEED).permutation(len(texts))
    return {text: int(order[number] % _QUESTION_FOLDS) for text, number in zip(texts, group, strict=True)}


def out_of_fold(places: Sequence[Fold], test: Fold) -> list[int]:
    """The cells that share neither the question's fold nor the paper's."""
    return [number for number, place in enumerate(places) if place[0] != test[0] and place[1] != test[1]]


def in_fold(places: Sequence[Fold], test: Fold) -> list[int]:
    return [number for number, place in enumerate(places) if place == test]


# --- fits -----------------------------------------------------------------------------------------------------------


class Ranking(NamedTuple):
    """What scores the sentences: linear weights, and the likeness as a matrix and as it is stored."""

    weights: Array
    likeness: Matrix
    stored: Likeness


def fit_ranking(cells: Sequence[GeneralCell]) -> Ranking:
    """Softmax over the sentences of a paper; what is raised is the share of those that answer."""
    chance = np.random.default_rng(_SEED)
    used = [cell for cell in cells if cell.answers.any()]
    lists = [_sample(cell, _first_guess(cell), _HARD, _OTHERS, chance) for cell in used]
    rows = np.concatenate([cell.rows[chosen] for cell, chosen in zip(used, lists, strict=True)]).astype(np.float64)
    answer = np.concatenate([cell.answers[chosen] for cell, chosen in zip(used, lists, strict=True)]).astype(np.float64)
    vectors = [cell.table.vectors[chosen] for cell, chosen in zip(used, lists, strict=True)]
    asked = np.array([cell.prepared.text_vector for cell in used])
    sizes = [len(chosen) for chosen in lists]
    firsts = np.cumsum([0, *sizes])[:-1]
    features, dimensions = rows.shape[1], asked.shape[1]

    def loss(values: Array) -> tuple[float, Array]:
        weights, likeness = values[:features], values[features:].reshape(dimensions, dimensions)
        wanted = asked @ likeness.T.astype(np.float32)
        scores = rows @ weights + np.concatenate([own @ one for own, one in zip(vectors, wanted, strict=True)])
        raised = np.exp(scores - np.repeat(np.maximum.reduceat(scores, firsts), sizes))
        share = raised / np.repeat(np.add.reduceat(raised, firsts), sizes)
        sure = np.add.reduceat(share * answer, firsts) + 1e-12
        gain = share * answer / np.repeat(sure, sizes) - share
        parts = np.split(gain.astype(np.float32), firsts[1:])
        moved = np.array([part @ own for part, own in zip(parts, vectors, strict=True)])
        held = _PULL * float(weights @ weights) / 2 + _PULL_LIKENESS * float(values[features:] @ values[features:]) / 2
        slopes = (_PULL * weights - gain @ rows, (_PULL_LIKENESS * likeness - moved.T @ asked).ravel())
        return held - float(np.log(sure).sum()), np.concatenate(slopes)

    found = minimize(
        loss,
        np.zeros(features + dimensions**2),
        jac=True,
        method="L-BFGS-B",
        bounds=[*(_bounds(name) for name in NAMES), *[(None, None)] * dimensions**2],
        options={"maxiter": 120},
    )
    stored = _compressed(found.x[features:].reshape(dimensions, dimensions))
    return Ranking(np.round(found.x[:features], 3), matrix(stored), stored)


def _compressed(likeness: Array) -> Likeness:
    """Its largest directions, in small integers."""
    left, strength, right = np.linalg.svd(likeness)
    sides = (side[:, :_RANK] * np.sqrt(strength[:_RANK]) for side in (left, right.T))
    steps = [(side, float(np.abs(side).max()) / _LARGEST or 1.0) for side in sides]
    sentences, questions = (np.round(side / step).astype(int).tolist() for side, step in steps)
    return Likeness(float(f"{steps[0][1] * steps[1][1]:.6g}"), sentences, questions)


def _bounds(name: str) -> tuple[float | None, float | None]:
    """A better match never counts against a sentence, and a missing value never for it: this holds for unseen questions too."""
    if name in FIXED or name.startswith("section."):
        return None, None
    return (None, 0.0) if name.startswith("lacks.") else (0.0, None)


def _first_guess(cell: GeneralCell) -> Array:
    return np.asarray(cell.rows[:, NAMES.index("near_words")] + cell.rows[:, NAMES.index("text_meaning")], np.float64)


def _sample(cell: GeneralCell, scores: Array, hard: int, others: int, chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """The sentences that answer, those that come nearest, and some of the rest."""
    order = np.argsort(-np.where(cell.table.is_heading, -np.inf, scores), kind="stable")
    rest = order[hard:]
    drawn = chance.choice(rest, min(others, len(rest)), replace=False) if len(rest) else rest
    return np.unique(np.concatenate([order[:hard], drawn, np.flatnonzero(cell.answers)]))


# --- scores ---------------------------------------------------------------------------------------------------------


def score(cell: GeneralCell, ranking: Ranking) -> Array:
    return sentence_scores(cell.prepared, cell.rows, cell.table, ranking.weights.astype(np.float32), ranking.likeness)


def judge(cell: GeneralCell, first: Array, second: Array, p: float) -> Judged:
    """As the reader does: by what was learned, and by the facts that the question asks for."""
    question = Question(cell.question.key, cell.question.text)
    relevance = Relevance(cell.prepared, cell.table, cell.rows, second, first)
    context = [Hit(passage, 0.0) for passage in cell.passages]
    candidates = candidate_sentences(relevance, context)
    with_facts = sentences_with_facts(question, relevance, candidates)
    weighed = weigh_facts(question, p, found=bool(with_facts), in_best=with_facts[:1] == candidates[:1])
    chosen = with_facts or choose_quotes(relevance, context)
    return Judged(cell, first, weighed, [*chosen, *further_quotes(relevance, context, chosen)])


def cell_values(cell: GeneralCell, scores: Array) -> Array:
    return cell_features(cell.prepared, cell.rows, scores, cell.table)


def rivals(cell: GeneralCell, scores: Array) -> Rivals:
    order = candidates(scores, cell.table)
    features = rerank_features(cell.prepared, cell.rows, scores, cell.table, order)
    return Rivals(cell.question.source, features, scores[order], cell.answers[order])


def learn(cells: Sequence[GeneralCell], *, say: Callable[[str], None] = print) -> tuple[LearnedModel, list[Judged]]:
    """What ships, and each cell judged by what was learned without its paper and its question."""
    places = folds(cells)
    tests = sorted(set(places))
    first = _held_out_scores(cells, places, tests)
    say("ranking fitted")
    lists = [rivals(cell, row) for cell, row in zip(cells, first, strict=True)]
    second = _second_scores(cells, first, lists, places)
    say("reranking fitted")
    values = [cell_values(cell, row) for cell, row in zip(cells, first, strict=True)]
    judged: dict[int, Judged] = {}
    for test in tests:
        train, held = out_of_fold(places, test), in_fold(places, test)
        model = CellModel(fit_cell([cells[n].question for n in train], [values[n] for n in train]))
        for number, p in zip(held, model.probabilities(np.array([values[n] for n in held])), strict=True):
            judged[number] = judge(cells[number], first[number], second[number], p)
    ranking = fit_ranking(cells)
    learned = LearnedModel(
        note="made by training/general.py",
        linear=dict(zip(NAMES, ranking.weights.tolist(), strict=True)),
        likeness=ranking.stored,
        reranking=fit_network(lists),
        cell=fit_cell([cell.question for cell in cells], values),
    )
    return learned, [judged[number] for number in range(len(cells))]


def _second_scores(
    cells: Sequence[GeneralCell], first: Sequence[Array], lists: Sequence[Rivals], places: Sequence[Fold]
) -> list[Array]:
    found = list(first)
    for test in sorted(set(places)):
        reranker = Reranker(fit_network([lists[number] for number in out_of_fold(places, test)]))
        for number in in_fold(places, test):
            second = reranker.second_scores(lists[number].features, lists[number].scores)
            found[number] = redistributed(first[number], candidates(first[number], cells[number].table), second)
    return found


def _held_out_scores(cells: Sequence[GeneralCell], places: Sequence[Fold], tests: Sequence[Fold]) -> list[Array]:
    """Two processes, which share the cells: these are too large to be sent."""
    global _shared
    _shared = (cells, places)
    found: dict[int, Array] = {}
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        for scores in pool.map(_scores_of_fold, tests):
            found |= scores
    return [found[number] for number in range(len(cells))]


_shared: tuple[Sequence[GeneralCell], Sequence[Fold]] | None = None


def _scores_of_fold(test: Fold) -> dict[int, Array]:
    if _shared is None:
        raise RuntimeError("the cells are set before the processes start")
    cells, places = _shared
    ranking = fit_ranking([cells[number] for number in out_of_fold(places, test)])
    return {number: score(cells[number], ranking) for number in in_fold(places, test)}


def main() -> int:
    from benchmarks.questions import show

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("general", type=Path)
    parser.add_argument("--to", type=Path, default=TO)
    args = parser.parse_args()
    learned, judged = learn(read_all(args.gold, args.general))
    show(judged)
    args.to.write_text(json.dumps(to_builtins(learned), separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{args.to.stat().st_size:,} bytes written to {args.to}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
