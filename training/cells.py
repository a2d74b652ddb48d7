"""What the embedded reader learns its verdicts from: the sentences it would choose among, cell by cell, with their labels.

A gold cell has passages from a ranking that was learned without its paper and others of the same fold. A study cell has the
context that the published pipeline retrieved, which is what its models judged.
"""

import json
import lzma
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from msgspec import Struct

from methodlens import retrieval
from methodlens.papers import from_text, split
from methodlens.questions import load
from methodlens.readers.embedded.candidates import CandidateSentence, candidate_sentences
from methodlens.records import Hit, Question
from methodlens.retrieval import limit
from methodlens.settings import RetrievalSettings
from training import ranking
from training.documents import number_of
from training.ranking import Bench

_AT_ONCE = 28  # records handed to a process: one paper


class GoldCell(Struct, frozen=True):
    paper: str
    cq: int
    reported: bool
    firm: bool
    answer: str
    quotes: Sequence[str]
    hits: Sequence[Hit]
    """The best part of the ranking; a reader is given the first `shown`."""
    shown: int
    own: Sequence[CandidateSentence]


class StudyCell(Struct, frozen=True):
    paper: str
    cq: int
    said: Mapping[str, bool]
    """By model: did it hold its own answer for one?"""
    human: Mapping[str, bool]
    own: Sequence[CandidateSentence]


def questions() -> dict[int, Question]:
    return {number_of(question.id): question for question in load("dl-methods").questions}


FOLDS = 8
"""Groups of gold papers that are left out together."""


def fold_of(papers: Iterable[str]) -> dict[str, int]:
    return {paper: number % FOLDS for number, paper in enumerate(sorted(papers))}


def gold_cells(folder: Path, bench: Bench) -> list[GoldCell]:
    """The bench's papers, each ranked by what was learned without its fold. Two processes: learning the ranking is slow."""
    global _bench  # for the forked processes, since a bench is too large to be sent
    _bench = bench
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        cells = [cell for some in pool.map(partial(_of_fold, folder), range(FOLDS)) for cell in some]
    return sorted(cells, key=lambda cell: (cell.paper, cell.cq))


_bench: Bench | None = None


def _of_fold(folder: Path, fold: int) -> list[GoldCell]:
    bench = _bench
    if bench is None:
        raise RuntimeError("gold_cells sets the bench before it starts processes")
    number, asked, settings = fold_of(one.name for one in bench.papers), questions(), RetrievalSettings()
    weights = ranking.fit(ranking.learning_rows(bench, [one for one in bench.papers if number[one.name] != fold]))
    terms = bench.corpus.terms(without=frozenset(name for name, at in number.items() if at == fold))
    cells: list[GoldCell] = []
    for one in bench.papers:
        if number[one.name] != fold:
            continue
        for line in (folder / f"{one.name}.jsonl").read_text(encoding="utf-8").splitlines():
            label = json.loads(line)
            cq = label["cq"]
            hits = [Hit(one.passages[index], score) for index, score in ranking.ranked(bench, one, cq, terms, weights)]
            kept, shown = limit(hits, shown_chars=settings.shown_chars, kept_chars=settings.kept_chars)
            own = [found for found in candidate_sentences(asked[cq], one.paper, kept[:shown]) if found.own]
            quotes = [quote["text"] for quote in label["quotes"]]
            firm, answer = not label["partial"], label["answer"]
            cells.append(GoldCell(one.name, cq, label["reported"], firm, answer, quotes, kept, shown, own))
    return cells


def study_cells(records: Path, *, watch: Callable[[int], None] = lambda _: None) -> list[StudyCell]:
    """Two processes: most of the work is to rank each context's sentences as a reader would see them."""
    cells: list[StudyCell] = []
    with ProcessPoolExecutor(2) as pool:
        for made in pool.map(_of_paper, _papers(records)):
            cells += made
            watch(len(cells))
    return cells


def _papers(records: Path) -> Iterator[list[dict[str, Any]]]:
    with lzma.open(records, "rt", encoding="utf-8") as lines:
        while found := [json.loads(line) for _, line in zip(range(_AT_ONCE), lines, strict=False)]:
            yield found


def _of_paper(records: Sequence[Mapping[str, Any]]) -> list[StudyCell]:
    asked, settings = questions(), RetrievalSettings()
    retriever = retrieval.create(settings, {})
    cells: list[StudyCell] = []
    for record in records:
        question = asked[number_of(record["question"])]
        context = from_text(record["context"].split("\n\n"))
        ranked = retriever.index(split(context, size=settings.passage_chars)).rank(question)
        own = [found for found in candidate_sentences(question, context, ranked) if found.own]
        said = {model: bool(yes) for model, yes in record["reported"].items()}
        human = {model: bool(yes) for model, yes in (record["human"] or {}).items() if yes is not None}
        cells.append(StudyCell(record["paper"].removesuffix(".pdf"), number_of(record["question"]), said, human, own))
    return cells
