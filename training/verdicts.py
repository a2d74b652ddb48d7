"""Learn the embedded reader's verdicts: the words of answers, and the weights of a cell's features.

    python -m training.verdicts GOLD STUDY/records.jsonl.xz [--to FILE]

Prints first how the reader does on papers it never saw: each gold paper is judged by numbers learned without it and without its
twin in the study, on passages from a ranking learned without it. Then it learns from all and writes the file that ships.
Deterministic: the same input gives the same bytes.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace
from scipy.optimize import minimize

from methodlens.readers.embedded.candidates import CandidateSentence
from methodlens.readers.embedded.probability import NO_REQUIRED_FACT, NOTHING_OWN, features, lacks_required_fact, p_reported
from methodlens.readers.embedded.weights import LearnedQuestion, LearnedVerdicts, load_weights, question_fingerprint
from methodlens.text import words
from training import answer_words, people, ranking, verdict_figures
from training.answer_words import AnswerWords, Contexts, Label
from training.cells import GoldCell, StudyCell, gold_cells, questions, study_cells
from training.layout import layout

TO = Path(__file__).parent.parent / "src" / "methodlens" / "readers" / "embedded" / "data" / "learned.json"
NAMES = ("best", "second", "sentences", "signs", "fact", "facts", "words")
_PULL, _PULL_BIAS = 0.3, 1.0  # how strongly weights (of features on one scale) and the questions' biases are held at 0
Array = npt.NDArray[np.float64]


class Row(Struct, frozen=True):
    """A gold cell as numbers; `settled` where a rule decides and nothing is learned."""

    cell: GoldCell
    values: Mapping[str, float]
    settled: float | None


def rows(cells: Sequence[GoldCell], words_without: Callable[[str], AnswerWords]) -> list[Row]:
    """`words_without` a paper gives words that were learned without it."""
    weights, made = load_weights(), questions()
    found: list[Row] = []
    for cell in cells:
        own, question = said(cell.own, words_without(cell.paper)[cell.cq]), made[cell.cq]
        settled = NOTHING_OWN if not own else NO_REQUIRED_FACT if lacks_required_fact(question, own) else None
        found.append(Row(cell, features(question, own, weights) if own else {}, settled))
    return found


def said(own: Sequence[CandidateSentence], learned: LearnedQuestion) -> list[CandidateSentence]:
    """The sentences with what these words say of them."""
    return [replace(one, word_score=learned.score(set(words(one.text)))) for one in own]


def fit(some: Sequence[Row]) -> tuple[dict[str, float], dict[int, float]]:
    """The weights and each question's bias: a logistic regression, held near 0 on features of one scale."""
    used = [row for row in some if row.settled is None]
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


def put_together(
    weights: Mapping[str, float], biases: Mapping[int, float], words_for: AnswerWords, typical: float
) -> LearnedVerdicts:
    made = questions()
    return LearnedVerdicts(
        note="made by training/verdicts.py; `asked` is a digest of what it was learned for",
        reported=weights,
        typical_words=typical,
        questions={
            made[cq].id: replace(words_for[cq], asked=question_fingerprint(made[cq]), bias=biases[cq]) for cq in sorted(words_for)
        },
    )


def cross_validate(some: Sequence[Row], words_without: Callable[[str], AnswerWords]) -> list[float]:
    """For each row, the probability by what was learned without its paper."""
    made, hand = questions(), load_weights()
    given: dict[int, float] = {}
    for paper in sorted({row.cell.paper for row in some}):
        weights, biases = fit([row for row in some if row.cell.paper != paper])
        learned = put_together(weights, biases, words_without(paper), 0.0)
        for index, row in enumerate(some):
            if row.cell.paper == paper:
                question = made[row.cell.cq]
                own = said(row.cell.own, learned.of(question))
                given[index] = p_reported(question, own, hand, learned)
    return [given[index] for index in range(len(some))]


def learn(
    gold: Sequence[GoldCell], contexts: Contexts, label: Label = answer_words.mixtral
) -> tuple[LearnedVerdicts, list[Row], list[float]]:
    """What ships, with the rows and their cross-validated probabilities. The weights are fitted to words of unseen papers,
    which is what they will meet; the words that ship are learned from all."""
    words_without = answer_words.unseen(contexts, label)
    some = rows(gold, words_without)
    typical = float(np.mean([row.values["words"] for row in some if row.settled is None]))
    return (
        put_together(*fit(some), contexts.learn(label), round(typical, 2)),
        some,
        cross_validate(some, words_without),
    )


def learned_without(learned: LearnedVerdicts, words_without: Callable[[str], AnswerWords]) -> Callable[[str], LearnedVerdicts]:
    """For a paper of the study, the same weights with words that were learned without it."""
    biases = {cq: learned.of(question).bias for cq, question in questions().items()}
    return lambda paper: put_together(learned.reported, biases, words_without(paper), learned.typical_words)


def prepare(gold_folder: Path, records: Path) -> tuple[list[GoldCell], list[StudyCell]]:
    return gold_cells(gold_folder, ranking.prepare(gold_folder, records)), study_cells(records)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("records", type=Path)
    parser.add_argument("--to", type=Path, default=TO)
    args = parser.parse_args()
    gold, study = prepare(args.gold, args.records)
    contexts = Contexts(study)
    learned, some, given = learn(gold, contexts)
    verdict_figures.show(some, given)
    _, other, given_votes = learn(gold, contexts, answer_words.vote)
    print("\nWith the vote of all five models as label, instead of Mixtral's and people's:")
    verdict_figures.show(other, given_votes, brief=True)
    without = learned_without(learned, answer_words.unseen(contexts))
    verdict_figures.show_study(contexts, without)
    people.show(args.records, args.records.parent / "human_labels.csv", study, without)
    args.to.write_text(as_file(learned), encoding="utf-8")
    print(f"\n{sum(len(one.words) for one in learned.questions.values())} words written to {args.to}")
    return 0


def as_file(learned: LearnedVerdicts) -> str:
    head = {"note": learned.note, "reported": dict(learned.reported), "typical_words": learned.typical_words}
    return layout(
        head,
        {
            name: {"asked": one.asked, "bias": one.bias, "start": one.start, "words": dict(one.words)}
            for name, one in learned.questions.items()
        },
    )


if __name__ == "__main__":
    sys.exit(main())
