"""Expansion of users' questions: how often the shipped question that asks the same is found, and what that improves.

    python -m benchmarks.similar_questions GOLD [--published QUESTIONS.txt]

Each question of benchmarks/data/own-questions.toml is asked about the gold papers twice: as it is, and expanded.
`--published` takes a file with paraphrases of the 28 questions, in the order of the shipped set.
"""

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from methodlens import retrieval
from methodlens.engine.expand import expand_questions
from methodlens.evaluation.counts import count, kappa
from methodlens.questions import load
from methodlens.readers.embedded import EmbeddedReader
from methodlens.records import Question
from methodlens.retrieval import limit
from methodlens.settings import RetrievalSettings
from training import gold

OWN = Path(__file__).parent / "data" / "own-questions.toml"


def load_pairs(published: Path | None) -> list[tuple[Question, str]]:
    """Questions with the id of the shipped question that asks the same; empty if there is none."""
    if published:
        lines = [line.strip() for line in published.read_text(encoding="utf-8").splitlines() if line.strip()]
        return [(Question(f"Q{n}", re.sub(r"^(?:CQ)?\d+\W+", "", line)), f"CQ{n}") for n, line in enumerate(lines, 1)]
    tables = tomllib.loads(OWN.read_text(encoding="utf-8"))["question"]
    return [(Question(f"Q{n}", table["text"]), table["like"]) for n, table in enumerate(tables, 1)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("--published", type=Path)
    args = parser.parse_args()
    known = load_pairs(args.published)
    settings = RetrievalSettings()
    expanded = expand_questions([question for question, _ in known], settings)
    right = sum(one.like == like for one, (_, like) in zip(expanded, known, strict=True) if like)
    none = sum(not one.like for one, (_, like) in zip(expanded, known, strict=True) if not like)
    with_like, without = sum(bool(like) for _, like in known), sum(not like for _, like in known)
    print(f"similar question found: {right} of {with_like}; correctly left as they are: {none} of {without}")
    for one, (_, like) in zip(expanded, known, strict=True):
        if one.like != like:
            print(f"  {one.text}  expanded as {one.like or 'none'}, expected {like or 'none'}")
    papers = gold.read(args.gold)
    table = Table("asked", "evidence 4,000", "8,000", "forced kappa", title=f"{len(papers)} papers")
    ids = {question.id: number for number, question in enumerate(load("dl-methods").questions, 1)}
    pairs = [(bare, one, ids[like]) for one, (bare, like) in zip(expanded, known, strict=True) if like]
    table.add_row("bare", *_measured(papers, [(cq, bare) for bare, _, cq in pairs], args.gold))
    table.add_row("expanded", *_measured(papers, [(cq, one) for _, one, cq in pairs], args.gold))
    shipped = load("dl-methods").questions
    table.add_row("the shipped questions", *_measured(papers, list(enumerate(shipped, 1)), args.gold))
    Console(width=100).print(table)
    return 0


def _measured(papers: Sequence[gold.GoldPaper], questions: Sequence[tuple[int, Question]], folder: Path) -> list[str]:
    settings, reader = RetrievalSettings(), EmbeddedReader()
    retriever = retrieval.create(settings, {})
    found: list[gold.Found] = []
    verdicts: list[tuple[bool, bool]] = []
    for one in papers:
        index = retriever.index(one.passages)
        labels = [json.loads(line) for line in (folder / f"{one.name}.jsonl").read_text(encoding="utf-8").splitlines()]
        truth = {label["cq"]: bool(label["reported"]) for label in labels}
        hits = {cq: index.rank(question) for cq, question in questions}
        found.append(gold.score(one, {cq: [hit.passage.text for hit in some] for cq, some in hits.items()}.__getitem__))
        for cq, question in questions:
            kept, shown = limit(hits[cq], shown_chars=settings.shown_chars, kept_chars=settings.kept_chars)
            verdicts.append((truth[cq], (reader.read(question, one.paper, kept[:shown]).p_reported or 0) >= 0.5))
    return [*(f"{rate:.3f}" for rate in gold.rates(found)), f"{float(kappa(count(verdicts))):.3f}"]


if __name__ == "__main__":
    sys.exit(main())
