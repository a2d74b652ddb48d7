"""From a span of a paper's text to the boxes it fills on the pages."""

from bisect import bisect_right

from methodlens.records import Box, Paper, Place


def page_of(paper: Paper, offset: int) -> int:
    """The number of the page that holds the character at `offset`; 1 for a paper that has no pages."""
    index = bisect_right(paper.pages, offset, key=lambda page: page.start) - 1
    return paper.pages[max(index, 0)].number if paper.pages else 1


def places(paper: Paper, start: int, end: int) -> tuple[Place, ...]:
    """One place a page, one box a line, each as wide as the part of the line that the span covers."""
    boxes: dict[int, list[Box]] = {}
    first = max(0, bisect_right(paper.lines, start, key=lambda line: line.start) - 1)
    for line in paper.lines[first:]:
        if line.start >= end:
            break
        if line.end <= start:
            continue
        x0, y0, x1, y1 = line.box
        step = (x1 - x0) / max(1, line.end - line.start)
        left = x0 + step * max(0, start - line.start)
        right = x1 - step * max(0, line.end - end)
        boxes.setdefault(line.page, []).append((round(left, 1), round(y0, 1), round(right, 1), round(y1, 1)))
    return tuple(Place(page, tuple(on_page)) for page, on_page in sorted(boxes.items()))
