"""The text of a paper without pages, as a reviewer reads it: quotes are marked, and sentences can be picked."""

from collections.abc import Sequence

from msgspec import Struct

from methodlens.records import Paper
from methodlens.text import sentences
from methodlens.text.printable import one_line

Span = tuple[int, int]


class ReadingSentence(Struct, frozen=True):
    """`mark` is quote, picked, passage or ''."""

    start: int
    end: int
    text: str
    mark: str = ""


class ReadingSection(Struct, frozen=True):
    title: str
    kind: str
    paragraphs: tuple[tuple[ReadingSentence, ...], ...]


def reading_view(
    paper: Paper, *, quotes: Sequence[Span] = (), picked: Sequence[Span] = (), passages: Sequence[Span] = ()
) -> tuple[ReadingSection, ...]:
    """Empty for a paper with pages, which are shown instead."""
    if paper.pages:
        return ()
    marks = (("picked", picked), ("quote", quotes), ("passage", passages))

    def mark(start: int, end: int) -> str:
        return next((name for name, spans in marks if any(first < end and start < last for first, last in spans)), "")

    sections = []
    for section in paper.sections:
        paragraphs = []
        begin = section.start + len(section.title) + 1 if section.title else section.start
        while begin < section.end:
            stop = paper.text.find("\n", begin, section.end)
            stop = section.end if stop < 0 else stop
            found = sentences(paper.text, begin, stop)
            paragraphs.append(tuple(ReadingSentence(a, b, one_line(paper.text[a:b]), mark(a, b)) for a, b in found))
            begin = stop + 1
        sections.append(ReadingSection(one_line(section.title), section.kind.value, tuple(filter(None, paragraphs))))
    return tuple(sections)
