"""The part of a paper that a model is given: the best passages, or the whole text."""

from collections.abc import Sequence

from methodlens.records import Paper, SectionKind

CHARS_PER_TOKEN = 4
"""An estimate for English prose; tokenisers differ from model to model."""
WHOLE_PAPER_TOKENS = 100_000


def estimate_tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def best_first_and_last(best_first: Sequence[str]) -> list[str]:
    """The best passage first, the second best last, the weakest in the middle, where models tend to overlook text.

    >>> best_first_and_last(["1", "2", "3", "4", "5"])
    ['1', '3', '5', '4', '2']
    """
    return [*best_first[0::2], *reversed(best_first[1::2])]


def whole_paper(paper: Paper, *, max_chars: int) -> list[str]:
    """The paper without its references; empty if that is longer than `max_chars`."""
    text, at = "", 0
    for section in paper.sections:
        if section.kind is SectionKind.REFERENCES:
            text += paper.text[at : section.start]
            at = section.end
    text += paper.text[at:]
    return [text.strip()] if text.strip() and len(text) <= max_chars else []
