"""Removes running heads, page numbers, line numbers and rotated stamps."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from methodlens.papers.raw_page import RawLine, RawPage, RawWord

_MARGIN = 0.12  # share of the page's height, at the top and bottom, where running heads are printed
_PAGE_NUMBERS = frozenset({"#", "-#-", "–#–", "page#", "#of#", "page#of#", "#/#", "(#)", "[#]"})
_LABEL = re.compile(r"(?:table|tab\.|figure|fig\.?)[a-z]?#[.:]?")  # many pages may begin with a float
_MIN_NUMBERED = 6  # lines: a shorter column of numbers is a list or a table


def without_margins(pages: Sequence[RawPage]) -> list[RawPage]:
    """The pages with only the lines that belong to the text, in the same order."""
    upright = [page._replace(lines=_upright(page.lines)) for page in pages]
    running = _running_heads(upright)
    fixed = _repeated_in_place(upright)
    return [_without_line_numbers(page._replace(lines=_kept(page, running, fixed))) for page in upright]


def _kept(page: RawPage, running: frozenset[str], fixed: frozenset[tuple[str, int, int]]) -> list[RawLine]:
    return [
        line for line in page.lines if not (_in_margin(line, page) and _mask(line.text) in running) and _spot(line) not in fixed
    ]


def _upright(lines: list[RawLine]) -> list[RawLine]:
    """Drops rotated lines, which are stamps and axis labels, unless the whole page is a rotated table."""
    sideways = sum(len(line.text) for line in lines if not line.upright)
    if 2 * sideways > sum(len(line.text) for line in lines):
        return lines
    return [line for line in lines if line.upright]


def _running_heads(pages: Sequence[RawPage]) -> frozenset[str]:
    """Lines in the margin, with numbers masked, that occur on at least a third of the pages (and on three, or on both of two)."""
    on_pages: Counter[str] = Counter()
    for page in pages:
        on_pages.update({_mask(line.text) for line in page.lines if _in_margin(line, page)})
    least = max(min(3, len(pages)), len(pages) / 3, 2)
    repeated = {text for text, count in on_pages.items() if count >= least and not _LABEL.fullmatch(text)}
    return frozenset(repeated | _PAGE_NUMBERS)


def _repeated_in_place(pages: Sequence[RawPage]) -> frozenset[tuple[str, int, int]]:
    """The same words in the same place on most pages: a watermark or a banner."""
    on_pages = Counter(spot for page in pages for spot in {_spot(line) for line in page.lines})
    return frozenset(spot for spot, count in on_pages.items() if count >= max(3, 0.6 * len(pages)))


def _spot(line: RawLine) -> tuple[str, int, int]:
    return line.text, round(line.box[0] / 4), round(line.box[1] / 4)


def _in_margin(line: RawLine, page: RawPage) -> bool:
    return line.box[1] < _MARGIN * page.height or line.box[3] > (1 - _MARGIN) * page.height


@lru_cache(maxsize=1 << 14)
def _mask(text: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\s+", "", text.lower()))


# --- line numbers of manuscripts ------------------------------------------------------------------------------------


def _without_line_numbers(page: RawPage) -> RawPage:
    """Removes a column of consecutive numbers outside the block of text."""
    drop = _line_numbers(page.lines)
    if not drop:
        return page
    lines = []
    for line in page.lines:
        words = tuple(word for word in line.words if (round(line.box[1]), word) not in drop)
        if words:
            box = line.box if words == line.words else (words[0].x0, line.box[1], words[-1].x1, line.box[3])
            lines.append(line._replace(words=words, box=box))
    return page._replace(lines=lines)


def _line_numbers(lines: Sequence[RawLine]) -> frozenset[tuple[int, RawWord]]:
    by_edge: defaultdict[int, list[tuple[int, RawWord]]] = defaultdict(list)
    others: list[RawWord] = []
    for line in lines:
        for index, word in enumerate(line.words):
            at_end = index in (0, len(line.words) - 1)
            if at_end and word.text.isdigit() and len(word.text) <= 4:
                by_edge[round(word.x1 / 3)].append((round(line.box[1]), word))
            else:
                others.append(word)
    if not others:
        return frozenset()
    left = sorted(word.x0 for word in others)[len(others) // 50]
    right = sorted(word.x1 for word in others)[-1 - len(others) // 50]
    numbers: set[tuple[int, RawWord]] = set()
    for edge in by_edge:
        column = sorted({*by_edge[edge], *by_edge.get(edge + 1, ())})
        outside = all(word.x1 < left + 1 for _, word in column) or all(word.x0 > right - 1 for _, word in column)
        if len(column) >= _MIN_NUMBERED and outside and _are_consecutive(word for _, word in column):
            numbers.update(column)
    return frozenset(numbers)


def _are_consecutive(words: Iterable[RawWord]) -> bool:
    steps = [int(after.text) - int(before.text) for before, after in pairwise(words)]
    return sum(step == 1 or step == 5 for step in steps) >= 0.8 * len(steps)
