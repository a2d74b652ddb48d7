"""The embedded reader against what two people found in 68 papers of the study, category by category.

The people had the full text, the code and the supplements; the reader has all passages that the published pipeline retrieved
for any question of a paper, taken together. They judged "Dataset" by whether the data are available, so it is compared with
the question for its location (CQ9) as well as with the one the study took (CQ5).
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from methodlens import retrieval
from methodlens.evaluation.counts import ac1, accuracy, count, kappa
from methodlens.evaluation.vocabulary import load_mapping
from methodlens.papers import from_text, split
from methodlens.readers.embedded.candidates import candidate_sentences
from methodlens.readers.embedded.probability import p_reported
from methodlens.readers.embedded.sentence_scores import with_learned_scores
from methodlens.readers.embedded.weights import LearnedVerdicts
from methodlens.records import Paper
from methodlens.retrieval import limit
from methodlens.settings import RetrievalSettings
from training import answer_words, study
from training.cells import StudyCell, questions

_AVAILABLE = "Dataset (as availability)"
_ALL = "all six"
Said = dict[tuple[str, str], bool]


def show(records: Path, labels: Path, cells: Sequence[StudyCell], learned_without: Callable[[str], LearnedVerdicts]) -> None:
    """`learned_without` a paper gives numbers that never saw it."""
    truth, asked = _truth(labels), {**load_mapping("study-categories").categories, _AVAILABLE: "CQ9"}
    published = {(cell.paper, cell.cq): answer_words.vote(cell) for cell in cells}
    papers = {paper for paper, _ in truth}
    ours: Said = {}
    for paper, context in study.contexts(records):
        if paper in papers:
            for cq, reported in _read(from_text(context), sorted({_number(cq) for cq in asked.values()}), learned_without(paper)):
                ours[paper, f"CQ{cq}"] = reported
    most = 0
    table = Table("category", "papers", "always yes", "majority", "vote: accuracy, kappa, AC1", "ours: accuracy, kappa, AC1")
    for category in [*dict.fromkeys(category for _, category in truth), _AVAILABLE, _ALL]:
        some = [
            (yes, published[paper, _number(asked[of])], ours[paper, asked[of]])
            for (paper, of), yes in _rows(truth, category)
            if (paper, _number(asked[of])) in published
        ]
        yes = sum(one for one, _, _ in some)
        by_vote, by_us = ([(one[0], one[place]) for one in some] for place in (1, 2))
        majority = max(yes, len(some) - yes)
        if category == _ALL:
            majority = most  # the sum of the categories' own majorities
        elif category != _AVAILABLE:
            most += majority
        table.add_row(category, f"{len(some)}", f"{yes}", f"{majority}", _measures(by_vote), _measures(by_us))
    Console(width=130).print(table)


def _rows(truth: Said, category: str) -> list[tuple[tuple[str, str], bool]]:
    if category == _ALL:
        return list(truth.items())
    if category == _AVAILABLE:
        return [((paper, _AVAILABLE), yes) for (paper, of), yes in truth.items() if of == "Dataset"]
    return [(key, yes) for key, yes in truth.items() if key[1] == category]


def _truth(labels: Path) -> Said:
    known = load_mapping("study-categories").categories
    with labels.open(encoding="utf-8-sig", newline="") as lines:
        rows: list[Mapping[str, str]] = list(csv.DictReader(lines))
    return {
        (row["no"], category): row[category].strip().lower() == "y"
        for row in rows
        for category in known
        if row.get(category, "").strip().lower() in ("y", "n")
    }


def _read(paper: Paper, asked: Sequence[int], learned: LearnedVerdicts) -> list[tuple[int, bool]]:
    settings, made = RetrievalSettings(), questions()
    index = retrieval.create(settings, {}).index(split(paper, size=settings.passage_chars))
    found: list[tuple[int, bool]] = []
    for cq in asked:
        question = made[cq]
        hits, shown = limit(index.rank(question), shown_chars=settings.shown_chars, kept_chars=settings.kept_chars)
        own = [one for one in candidate_sentences(question, paper, hits[:shown], learned.of(question)) if one.own]
        own = with_learned_scores(question, own, learned.sentence_model(question))
        found.append((cq, p_reported(question, own, learned) >= 0.5))
    return found


def _measures(pairs: Sequence[tuple[bool, bool]]) -> str:
    found = count(pairs)
    return ", ".join(f"{float(measure(found)):.3f}" for measure in (accuracy, kappa, ac1))


def _number(question: str) -> int:
    return int(question.removeprefix("CQ"))
