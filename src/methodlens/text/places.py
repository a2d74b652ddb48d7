"""From a span of a paper's text to its boxes on the pages, or to its section and paragraph."""

from bisect import bisect_right

from methodlens.records import Box, Evidence, Line, Match, Paper, Passage, Place


def page_of(paper: Paper, offset: int) -> int:
    """The number of the page with the character at `offset`; 1 for a bare text, 0 for a paper without pages."""
    if not paper.has_pages:
        return 0
    index = bisect_right(paper.lines, offset, key=lambda line: line.start) - 1
    return paper.lines[max(index, 0)].page if paper.lines else 1


def places(paper: Paper, start: int, end: int) -> tuple[Place, ...]:
    """One place per page with one box per line, as wide as the words that the span touches."""
    boxes: dict[int, list[Box]] = {}
    first = max(0, bisect_right(paper.lines, start, key=lambda line: line.start) - 1)
    for line in paper.lines[first:]:
        if line.start >= end:
            break
        if box := _touched(line, start - line.start, end - line.start):
            boxes.setdefault(line.page, []).append(box)
    return tuple(Place(page, tuple(on_page)) for page, on_page in sorted(boxes.items()))


def evidence_at(paper: Paper, start: int, end: int, quote: str, match: Match = Match.EXACT) -> Evidence:
    """A quote with its places; where it is on no page, with its section and paragraph."""
    found = places(paper, start, end)
    section, paragraph = ("", 0) if found else section_place(paper, start)
    return Evidence(quote, match, start, end, found, section, paragraph)


def passage_place(passage: Passage) -> str:
    """ "p. 4, methods", or "methods" in a paper without pages."""
    return f"p. {passage.page}, {passage.section}" if passage.page else passage.section


def section_place(paper: Paper, offset: int) -> tuple[str, int]:
    """The heading above `offset`, and the paragraph there, counted from 1; ("", 0) if the paper has no sections."""
    index = bisect_right(paper.sections, offset, key=lambda section: section.start) - 1
    if index < 0:
        return "", 0
    section = paper.sections[index]
    start = section.start + len(section.title) + 1 if section.title else section.start  # the heading is no paragraph
    return section.title or section.kind.value.title(), 1 + paper.text.count("\n", min(start, offset), offset)


def _touched(line: Line, start: int, end: int) -> Box | None:
    """The part of a line between two offsets. The characters of a word count as equally wide."""
    words = [word for word in line.words if word.start < end and word.end > start]
    if not words:
        return None
    left, right = words[0], words[-1]
    if line.words[-1].x0 < line.words[0].x0:  # right to left: whole words, because the order of their characters is unknown
        return (min(word.x0 for word in words), line.top, max(word.x1 for word in words), line.bottom)
    x0 = left.x0 + (left.x1 - left.x0) * max(0, start - left.start) / (left.end - left.start)
    x1 = right.x1 - (right.x1 - right.x0) * max(0, right.end - end) / (right.end - right.start)
    return (round(x0, 1), line.top, round(x1, 1), line.bottom)
