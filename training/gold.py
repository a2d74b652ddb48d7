"""The gold papers: what people found in them, whether a ranking finds it too, and the papers as documents to learn from."""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from methodlens.papers import WorkerPool, find, split
from methodlens.records import Paper, PaperStatus, Passage
from methodlens.settings import RetrievalSettings, Settings
from methodlens.text import sentences
from training.documents import Document, document

BUDGETS = (4000, 8000)
"""Characters of ranked passages, whatever their size: as in the gold's own score."""


class GoldPaper(Struct, frozen=True):
    name: str
    paper: Paper
    passages: tuple[Passage, ...]
    quotes: Mapping[int, Sequence[str]]
    """Of the questions that the paper answers, by number."""


class Found(Struct, frozen=True):
    """For one paper: of its answered questions, which a ranking found within each budget."""

    paper: str
    hits: Mapping[int, tuple[bool, ...]]


def read(folder: Path) -> list[GoldPaper]:
    settings = Settings()
    papers: list[GoldPaper] = []
    with WorkerPool(1, settings.papers, settings.reading) as pool:
        for file in find([folder / "pdfs"]):
            name = Path(file.name).stem
            quotes = folder / f"{name}.jsonl"
            paper = pool.parse(file.path)
            if quotes.is_file() and paper.status is PaperStatus.OK:
                passages = split(paper, size=RetrievalSettings().passage_chars)
                papers.append(GoldPaper(name, paper, passages, dict(_quotes(quotes))))
    return papers


def _quotes(path: Path) -> Iterator[tuple[int, list[str]]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        cell = json.loads(line)
        if cell["reported"] and cell["quotes"]:
            yield cell["cq"], [quote["text"] for quote in cell["quotes"]]


def squeeze(text: str) -> str:
    return re.sub(r"[\s\-\u2010\u2011\u00ad\ufffe\x02]+", "", text).lower()


def contains(squeezed: str, quote: str) -> bool:
    """Whether the squeezed text contains at least half of the quote's windows of 30 characters, as in the project's scorer."""
    needle = squeeze(quote)
    windows = [needle[start : start + 30] for start in range(0, max(1, len(needle) - 29), 15)]
    return sum(window in squeezed for window in windows) * 2 >= len(windows)


def within(texts: Iterable[str], quotes: Sequence[str], budget: int) -> bool:
    parts: list[str] = []
    used = 0
    for text in texts:
        parts.append(text[: budget - used])
        used += len(text)
        if used >= budget:
            break
    joined = squeeze(" ".join(parts))
    return any(contains(joined, quote) for quote in quotes)


def score(gold: GoldPaper, ranked: Callable[[int], Sequence[str]]) -> Found:
    """`ranked` gives the texts for a question's number, best first."""
    return Found(
        gold.name,
        {cq: tuple(within(ranked(cq), quotes, budget) for budget in BUDGETS) for cq, quotes in gold.quotes.items()},
    )


def rates(found: Sequence[Found]) -> tuple[float, ...]:
    cells = [hits for one in found for hits in one.hits.values()]
    return tuple(sum(hit[place] for hit in cells) / len(cells) for place in range(len(BUDGETS)))


def intervals(found: Sequence[Found], *, draws: int = 2000, seed: int = 4) -> tuple[tuple[float, float], ...]:
    """95% intervals by bootstrap over papers, since the cells of a paper are not independent."""
    chance = random.Random(seed)
    drawn = [rates(chance.choices(found, k=len(found))) for _ in range(draws)]
    sides = [sorted(rate[place] for rate in drawn) for place in range(len(BUDGETS))]
    return tuple((side[int(0.025 * draws)], side[int(0.975 * draws) - 1]) for side in sides)


def as_document(gold: GoldPaper) -> Document:
    """Its sentences; those that overlap a quote answer the question."""
    spans = [(passage.start + start, passage.start + end) for passage in gold.passages for start, end in sentences(passage.text)]
    texts = [gold.paper.text[start:end] for start, end in spans]
    squeezed = [squeeze(text) for text in texts]
    answers = {
        cq: [
            index
            for index, text in enumerate(squeezed)
            if len(text) >= 20 and any(contains(text, quote) or contains(squeeze(quote), texts[index]) for quote in quotes)
        ]
        for cq, quotes in gold.quotes.items()
    }
    return document(gold.name, texts, {cq: found for cq, found in answers.items() if found})
