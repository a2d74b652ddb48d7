"""Split a paper into passages of whole sentences, about 400 characters each. Passages never span two sections."""

from bisect import bisect_right
from collections.abc import Iterator

from methodlens.papers.checklist_pages import checklist_spans
from methodlens.papers.chunks import chunk_spans
from methodlens.records import Paper, Passage, Section, SectionKind
from methodlens.settings import RetrievalSettings
from methodlens.text import page_of, sentences

_MIN_CHARS = 20  # shorter ones are stray labels


def cut(paper: Paper, settings: RetrievalSettings) -> tuple[Passage, ...]:
    """The passages that the settings ask for: whole sentences, or chunks of the whole text with its references."""
    if settings.passages == "sentences":
        return split(paper, size=settings.passage_chars)
    spans = chunk_spans(paper.text, size=settings.passage_chars, overlap=settings.overlap_chars)
    return tuple(
        Passage(start, end, page_of(paper, start), _section(paper, start), paper.text[start:end]) for start, end in spans
    )


def _section(paper: Paper, offset: int) -> str:
    at = bisect_right(paper.sections, offset, key=lambda section: section.start) - 1
    return (paper.sections[at].kind if at >= 0 else SectionKind.OTHER).value


def split(paper: Paper, *, size: int = 400) -> tuple[Passage, ...]:
    """The passages in reading order, without the references and without a checklist that the authors filled in.

    Each is `paper.text[start:end]`.
    """
    return tuple(
        Passage(start, end, page_of(paper, start), section, paper.text[start:end])
        for start, end, section in _spans(paper, size)
        if end - start >= _MIN_CHARS
    )


def _spans(paper: Paper, size: int) -> Iterator[tuple[int, int, str]]:
    borders = _borders(paper)
    for kind, start, end in _regions(paper):
        if kind is SectionKind.REFERENCES:
            continue
        begin: int | None = None
        last = start
        for first, stop in _units(paper.text, start, end, size):
            if begin is not None and (stop - begin > size or bisect_right(borders, begin) < bisect_right(borders, first)):
                yield begin, last, kind.value
                begin = None
            begin = first if begin is None else begin
            last = stop
        if begin is not None:
            yield begin, last, kind.value


def _borders(paper: Paper) -> list[int]:
    """Where a table with its caption begins and ends: its passages have no other text."""
    borders: list[int] = []
    for table in paper.tables:
        caption = paper.text.rfind("\n", 0, max(0, table.start - 1)) + 1
        borders += [caption if paper.text.startswith(table.label, caption) else table.start, table.end]
    return sorted(borders)


def _regions(paper: Paper) -> Iterator[tuple[SectionKind, int, int]]:
    """The sections, without the checklists in them."""
    checklists = checklist_spans(paper)
    for section in paper.sections or (Section(SectionKind.OTHER, "", 0, len(paper.text)),):
        start = section.start
        for first, last in checklists:
            if start < first < section.end:
                yield section.kind, start, first
            if first < section.end:
                start = max(start, last)
        if start < section.end:
            yield section.kind, start, section.end


def _units(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Sentences, paragraph by paragraph. A sentence longer than two passages is cut at spaces."""
    begin = start
    for stop in [*(i for i in range(start, end) if text[i] == "\n"), end]:
        for first, last in sentences(text, begin, stop):
            while last - first > 2 * size:
                cut = text.rfind(" ", first + size // 2, first + size)
                cut = cut if cut > first else first + size
                yield first, cut
                first = cut + (text[cut] == " ")
            yield first, last
        begin = stop + 1
