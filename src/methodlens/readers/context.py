"""What of a paper a model is shown: the best passages, or all of it."""

from collections.abc import Sequence

from methodlens.records import Paper, SectionKind

CHARS_PER_TOKEN = 4
"""An estimate that fits English prose; tokens differ from model to model, and nothing here depends on more."""
WHOLE_PAPER_TOKENS = 100_000


def tokens_of(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def around_the_edges(best_first: Sequence[str]) -> list[str]:
    """Best first, second best last, the weakest in the middle: models overlook what stands there.

    >>> around_the_edges(["1", "2", "3", "4", "5"])
    ['1', '3', '5', '4', '2']
    """
    return [*best_first[0::2], *reversed(best_first[1::2])]


def whole(paper: Paper, *, most_chars: int) -> list[str]:
    """All of the paper but its references, or nothing when that is more than may be shown."""
    cuts = [section for section in paper.sections if section.kind is SectionKind.REFERENCES]
    text, at = "", 0
    for cut in cuts:
        text += paper.text[at : cut.start]
        at = cut.end
    text += paper.text[at:]
    return [text.strip()] if text.strip() and len(text) <= most_chars else []
