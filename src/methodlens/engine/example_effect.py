"""How the examples of a question change the ranking of a paper's passages."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from methodlens.papers import split
from methodlens.records import Hit, Paper, Passage, Question
from methodlens.seams import Retriever


class RankedPassage(Struct, frozen=True):
    """A passage's rank, from 1, and score; `rank_without` and `score_without` are those without the question's examples, None if
    it was not found."""

    passage: Passage
    rank: int
    score: float
    rank_without: int | None
    score_without: float | None


def example_effect(
    paper: Paper, question: Question, retriever: Retriever, *, passage_chars: int, top: int = 5
) -> list[RankedPassage]:
    """The best passages with the examples, and how they rank without."""
    index = retriever.index(split(paper, size=passage_chars))
    with_examples = index.rank(question)
    without = _by_start(index.rank(replace(question, examples=()))) if question.examples else _by_start(with_examples)
    return [
        RankedPassage(hit.passage, rank, hit.score, *without.get(hit.passage.start, (None, None)))
        for rank, hit in enumerate(with_examples[:top], 1)
    ]


def _by_start(hits: Sequence[Hit]) -> dict[int, tuple[int, float]]:
    return {hit.passage.start: (rank, hit.score) for rank, hit in enumerate(hits, 1)}
