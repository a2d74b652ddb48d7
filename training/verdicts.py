"""Learn the embedded reader's verdicts: the words of answers, which sentences answer, and the weights of a cell's features.

    python -m training.verdicts GOLD STUDY/records.jsonl.xz [--to FOLDER] [--compare-labels]

Prints first how the reader does on papers it never saw: each gold paper is judged by numbers learned without it and without its
twin in the study, on passages from a ranking learned without it. Then it learns from all and writes the files that ship:
learned.json, and word_use.json for the words of answers.
Deterministic: the same input gives the same bytes.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace
from scipy.optimize import minimize

from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.probability import features, lacks_required_fact, p_reported
from methodlens.readers.embedded.sentence_scores import with_learned_scores
from methodlens.readers.embedded.weights import (
    LearnedQuestion,
    LearnedVerdicts,
    SentenceModel,
    question_fingerprint,
)
from methodlens.records import Paper
from methodlens.text import words
from training import answer_words, people, ranking, sentence_scores, verdict_figures, word_use
from training.answer_words import AnswerWords, Contexts, Label
from training.cells import FOLDS, GoldCell, StudyCell, fold_of, gold_cells, questions, study_cells
from training.layout import layout
from training.sentence_scores import SentenceModels, SentenceTable

DATA = Path(__file__).parent.parent / "src" / "methodlens" / "readers" / "embedded" / "data"
NAMES = ("signs", "fact", "facts", "sentences", "words")
_PULL, _PULL_BIAS = 1.0, 1.0  # how strongly weights (of features on one scale) and the questions' biases are held at 0
Array = npt.NDArray[np.float64]


class Row(Struct, frozen=True):
    """A gold cell as numbers, its sentences scored by what was learned without its paper."""

    cell: GoldCell
    values: Mapping[str, float]
    lacks_fact: bool = False

    @property
    def settled(self) -> bool:
        """A rule decides, and the weights learn nothing from it."""
        return self.lacks_fact or not self.cell.own


def rows(cells: Sequence[GoldCell]) -> list[Row]:
    made = questions()
    found: list[Row] = []
    for cell in cells:
        question = made[cell.cq]
        lacks_fact = bool(cell.own) and lacks_required_fact(question, cell.own)
        found.append(Row(cell, features(question, cell.own) if cell.own else {}, lacks_fact))
    return found


def with_words(cells: Sequence[GoldCell], words_without: Callable[[str], AnswerWords]) -> list[GoldCell]:
    """The cells with what words that were learned without their paper say of their sentences."""
    return [replace(cell, own=said(cell.own, words_without(cell.paper)[cell.cq])) for cell in cells]


def said(own: Sequence[CandidateSentence], learned: LearnedQuestion) -> list[CandidateSentence]:
    """The sentences with what these words say of them."""
    return [replace(one, word_score=learned.score(set(words(one.text)))) for one in own]


def with_scores(cells: Sequence[GoldCell], tables: Sequence[SentenceTable]) -> list[GoldCell]:
    """The cells with their sentences scored by models that were learned without their fold."""
    number, made = fold_of({cell.paper for cell in cells}), questions()
    models = [sentence_scores.learn(tables, without=[p for p, at in number.items() if at == fold]) for fold in range(FOLDS)]
    return [
        replace(cell, own=with_learned_scores(made[cell.cq], cell.own, models[number[cell.paper]].questions[cell.cq]))
        for cell in cells
    ]


def fit(some: Sequence[Row]) -> tuple[dict[str, float], dict[int, float]]:
    """The weights and each question's bias: a logistic regression, held near 0 on features of one scale."""
    used = [row for row in some if not row.settled]
    plain = np.array([[row.values[name] for name in NAMES] for row in used])
    middle, spread = plain.mean(axis=0), plain.std(axis=0)
    of_question = np.array([[float(row.cell.cq == cq) for cq in range(1, 29)] for row in used])
    table = np.hstack([np.ones((len(used), 1)), (plain - middle) / spread, of_question])
    truth = np.array([float(row.cell.reported) for row in used])
    pull = np.array([0.01, *[_PULL] * len(NAMES), *[_PULL_BIAS] * 28])

    def loss(weights: Array) -> tuple[float, Array]:
        z = table @ weights
        p = 1 / (1 + np.exp(-z))
        held = float((pull * weights**2).sum()) / 2
        return held + float((np.logaddexp(0, z) - truth * z).sum()), pull * weights + table.T @ (p - truth)

    learned = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    slopes = learned[1 : 1 + len(NAMES)] / spread
    start = float(learned[0] - slopes @ middle)
    weights = {"start": round(start, 3), **{name: round(float(slope), 3) for name, slope in zip(NAMES, slopes, strict=True)}}
    return weights, {cq: round(float(bias), 3) for cq, bias in enumerate(learned[1 + len(NAMES) :], 1)}


def missing_fact(some: Sequence[Row]) -> float:
    """How often a paper reports an answer although the required fact was not found."""
    reported = [row.cell.reported for row in some if row.lacks_fact]
    return round((sum(reported) + 0.5) / (len(reported) + 1), 3)


def put_together(
    some: Sequence[Row], words_for: AnswerWords, models: SentenceModels | None = None, typical: float = 0.0
) -> LearnedVerdicts:
    made = questions()
    weights, biases = fit(some)
    return LearnedVerdicts(
        note="made by training/verdicts.py; `asked` is a digest of what it was learned for",
        reported=weights,
        typical_words=typical,
        no_required_fact=missing_fact(some),
        any_question=models.any_question if models else SentenceModel(),
        questions={
            made[cq].id: replace(
                words_for[cq],
                asked=question_fingerprint(made[cq]),
                bias=biases[cq],
                sentences=models.questions[cq] if models else None,
            )
            for cq in sorted(words_for)
        },
    )


def cross_validate(some: Sequence[Row], words_for: AnswerWords) -> list[float]:
    """For each row, the probability by weights that were learned without its paper."""
    made = questions()
    given: dict[int, float] = {}
    for paper in sorted({row.cell.paper for row in some}):
        learned = put_together([row for row in some if row.cell.paper != paper], words_for)
        for index, row in enumerate(some):
            if row.cell.paper == paper:
                given[index] = p_reported(made[row.cell.cq], row.cell.own, learned)
    return [given[index] for index in range(len(some))]


def learn(
    gold: Sequence[GoldCell], contexts: Contexts, label: Label = answer_words.mixtral
) -> tuple[LearnedVerdicts, list[Row], list[float]]:
    """What ships, with the rows and their cross-validated probabilities. Each stage is fitted to what the one before gives for
    unseen papers, which is what it will meet; the words and sentence models that ship are learned from all."""
    made, words_for = questions(), contexts.learn(label)
    cells = with_words(gold, answer_words.unseen(contexts, label))
    tables = [sentence_scores.table(cell.paper, cell.cq, made[cell.cq], cell.own, cell.quotes) for cell in cells]
    some = rows(with_scores(cells, tables))
    typical = float(np.mean([row.values["words"] for row in some if not row.settled]))
    learned = put_together(some, words_for, sentence_scores.learn(tables), round(typical, 2))
    return learned, some, cross_validate(some, words_for)


def learned_without(learned: LearnedVerdicts, words_without: Callable[[str], AnswerWords]) -> Callable[[str], LearnedVerdicts]:
    """For a paper of the study that is not in the gold, the same numbers with words that were learned without it."""
    made = questions()

    def without(paper: str) -> LearnedVerdicts:
        known = {made[cq].id: one for cq, one in words_without(paper).items()}
        return replace(
            learned,
            questions={
                name: replace(one, start=known[name].start, words=known[name].words) for name, one in learned.questions.items()
            },
        )

    return without


def prepare(gold_folder: Path, records: Path) -> tuple[list[GoldCell], list[StudyCell], dict[str, Paper]]:
    """The cells of both, and the gold papers by name."""
    bench = ranking.prepare(gold_folder, records)
    return gold_cells(gold_folder, bench), study_cells(records), {one.name: one.paper for one in bench.papers}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("records", type=Path)
    parser.add_argument("--to", type=Path, default=DATA)
    parser.add_argument("--compare-labels", action="store_true", help="also learn from the vote of all five models, and compare")
    args = parser.parse_args()
    gold, study, papers = prepare(args.gold, args.records)
    contexts = Contexts(study)
    learned, some, given = learn(gold, contexts)
    verdict_figures.show(some, given)
    if args.compare_labels:
        _, other, given_votes = learn(gold, contexts, answer_words.vote)
        print("\nWith the vote of all five models as label, instead of Mixtral's and people's:")
        verdict_figures.show(other, given_votes, brief=True)
    without = learned_without(learned, answer_words.unseen(contexts))
    verdict_figures.show_study(contexts, without, papers)
    people.show(args.records, args.records.parent / "human_labels.csv", study, without)
    (args.to / "learned.json").write_text(as_file(learned), encoding="utf-8")
    answers = word_use.examples((row.cell for row in some), papers, answer_words.unseen(contexts))
    (args.to / "word_use.json").write_text(word_use.as_file(word_use.learn(answers)), encoding="utf-8")
    print(f"\nlearned.json and word_use.json written to {args.to}")
    return 0


def as_file(learned: LearnedVerdicts) -> str:
    plain = msgspec.to_builtins(learned)
    by_question = plain.pop("questions")
    return layout(plain, by_question)


if __name__ == "__main__":
    sys.exit(main())
