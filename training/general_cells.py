"""What the general model learns from: questions put to papers, with the features of every sentence and which of them answer.

Four sources: the gold papers with the 28 built-in questions (their wording only, as if they were a user's own), questions of
readers to those that have some (benchmarks/open_papers.py), clinical papers with checklist items, and papers with questions by
experts. A question of another paper is not answered by this one.
"""

import json
import lzma
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from methodlens.papers import from_text, split
from methodlens.questions import load
from methodlens.records import Paper, Passage, Question
from methodlens.relevance.features import AskedQuestion, features, prepare
from methodlens.relevance.sentence_table import Chunk, SentenceTable
from methodlens.settings import RetrievalSettings
from methodlens.text.vectors import Matrix, load_vectors
from training import gold
from training.gold import squeeze

GOLD, CHECKLIST, EXPERT, READER = "built-in questions", "checklist items", "expert questions", "readers' questions"
_OTHERS_PER_QUESTION = 1
_SEED = 1


class Asked(Struct, frozen=True):
    """A question to a paper, with what people said."""

    source: str
    key: str
    text: str
    reported: bool
    quotes: tuple[str, ...]
    firm: bool = True


class GeneralCell(Struct, frozen=True):
    paper: str
    question: Asked
    prepared: AskedQuestion
    table: SentenceTable
    passages: Sequence[Passage]
    rows: Matrix
    answers: npt.NDArray[np.bool_]
    """Which sentences answer."""


_Work = tuple[str, Paper, Sequence[Asked]]


def read_all(gold_folder: Path, general_folder: Path) -> list[GeneralCell]:
    work = [
        *_gold(gold_folder),
        *_documents(general_folder / "checklist.json.xz", CHECKLIST),
        *_documents(general_folder / "questions.json.xz", EXPERT),
    ]
    with ProcessPoolExecutor(2) as pool:
        return [cell for cells in pool.map(_of_paper, work) for cell in cells]


def _gold(folder: Path) -> Iterator[_Work]:
    asked = {f"CQ{number}": question.text for number, question in enumerate(load("dl-methods").questions, 1)}
    read = dict(_readers_questions(folder))
    for one in gold.read(folder):
        labels = [json.loads(line) for line in (folder / f"{one.name}.jsonl").read_text(encoding="utf-8").splitlines()]
        yield (
            one.name,
            one.paper,
            [
                Asked(
                    GOLD,
                    f"CQ{label['cq']}",
                    asked[f"CQ{label['cq']}"],
                    label["reported"],
                    tuple(quote["text"] for quote in label["quotes"]),
                    not label["partial"],
                )
                for label in labels
            ]
            + read.get(one.name, []),
        )


def _readers_questions(folder: Path) -> Iterator[tuple[str, list[Asked]]]:
    """By paper: its own questions, some of which it does not answer, and as many of other papers as it answers."""
    by_paper: dict[str, list[Asked]] = {}
    for path in sorted(folder.glob("questions/*.jsonl")):
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        by_paper[path.stem] = [
            Asked(READER, f"{path.stem}-{number}", row["text"], row["answerable"], tuple(row["evidence"]))
            for number, row in enumerate(rows, 1)
        ]
    for name, asked in by_paper.items():
        others = [one for other in by_paper if other != name for one in by_paper[other] if one.reported]
        drawn = random.Random(name).sample(others, min(len(others), sum(one.reported for one in asked)))
        yield name, [*asked, *(Asked(READER, one.key, one.text, False, ()) for one in drawn)]


def _documents(path: Path, source: str) -> Iterator[_Work]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        tree = json.load(file)
    by_document: dict[str, list[Asked]] = {document["id"]: [] for document in tree["docs"]}
    chance, names = random.Random(_SEED), sorted(by_document)
    for question in tree["questions"]:
        asked = Asked(
            source, question.get("item") or question["qid"], question["text"], question["answerable"], tuple(question["evidence"])
        )
        by_document[question["doc"]].append(asked)
        if source == EXPERT:
            for _ in range(_OTHERS_PER_QUESTION):
                other = chance.choice([name for name in names if name != question["doc"]])
                by_document[other].append(Asked(source, asked.key, asked.text, False, ()))
    for document in tree["docs"]:
        yield document["id"], as_paper(document), by_document[document["id"]]


def as_paper(document: Mapping[str, Any]) -> Paper:
    """A document of headings and paragraphs, as a paper."""
    blocks = [block for heading, paragraphs in document["sections"] for block in ([heading] if heading else []) + paragraphs]
    return from_text(blocks, title=document["title"])


def _of_paper(work: _Work) -> list[GeneralCell]:
    name, paper, questions = work
    encoder = load_vectors()
    passages = split(paper, size=RetrievalSettings().passage_chars)
    table = SentenceTable([Chunk(passage.start, passage.section, passage.text) for passage in passages], encoder)
    answering = partial(_answering, [squeeze(row.text) for row in table.rows])
    cells: list[GeneralCell] = []
    for question in questions:
        prepared = prepare(Question("Q", question.text), encoder)
        cells.append(
            GeneralCell(name, question, prepared, table, passages, features(prepared, table), answering(question.quotes))
        )
    return cells


def _answering(squeezed: Sequence[str], quotes: Sequence[str]) -> npt.NDArray[np.bool_]:
    """The sentences that hold half of a quote, or that a quote holds half of."""
    found = np.zeros(len(squeezed), bool)
    for quote in map(squeeze, quotes):
        windows = _windows(quote)
        for number, text in enumerate(squeezed):
            if len(text) < 12:
                continue
            holds = sum(window in text for window in windows) * 2 >= len(windows)
            own = _windows(text)
            found[number] |= holds or (len(text) >= 20 and sum(window in quote for window in own) * 2 >= len(own))
    return found


def _windows(text: str) -> list[str]:
    return [text[start : start + 30] for start in range(0, max(1, len(text) - 29), 15)]
