"""The papers from the folder to the figures, as in the flow diagram of PRISMA."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from methodlens.reports.figures.axes import baseline
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.figure import Figure, Skipped, Table
from methodlens.reports.figures.style import PAGE, SIZE
from methodlens.reports.figures.text_width import wrapped
from methodlens.reports.statistics.shapes import Plot, Shape, line, points, rect, text

_LEFT, _BOX = 30.0, 180.0
_SIDE_LEFT, _SIDE_BOX = 270.0, 190.0
_LINE = SIZE + 2.5
_PADDING = 6.0
_GAP = 16.0
_NOT_READ, _NO_DL, _NO_VERDICT = "Not read yet", "No deep learning of their own", "No verdict"


class Step(NamedTuple):
    """A box of the main column, and what is left out before the next one: (words, papers, details)."""

    words: str
    papers: int
    left_out: tuple[str, int, str] | None = None


def flow(counts: CorpusCounts) -> Figure | Skipped:
    if not counts.flow.found:
        return Skipped("flow", "the run lists no papers")
    steps = list(_steps(counts))
    rows: list[tuple[str, int, str]] = []
    for step in steps:
        rows.append((step.words, step.papers, ""))
        if step.left_out:
            rows.append((f"left out: {step.left_out[0]}", *step.left_out[1:]))
    caption = (
        "Flow of papers, after PRISMA 2020: found in the source folders, left out, assessed, answered (with at least one "
        "verdict) and reviewed by people. Duplicates have the DOI or the text of an earlier paper."
    )
    return Figure("flow", _plot(steps), Table(("step", "papers", "details"), rows), caption)


def _steps(counts: CorpusCounts) -> Iterator[Step]:
    papers = counts.flow
    reasons = ", ".join(f"{reason}: {count}" for reason, count in papers.unreadable.most_common())
    unusual = {_NOT_READ, _NO_VERDICT} | (set() if counts.about_deep_learning else {_NO_DL})
    left = papers.found
    name = "Papers found"
    for words, count, details, remaining in (
        (_NOT_READ, papers.not_read_yet, "", "Papers read"),
        ("Duplicates", papers.duplicate, "", "Different papers"),
        ("Unreadable", papers.unreadable.total(), reasons, "Readable papers"),
        (_NO_DL, papers.no_dl, "", "Papers that use deep learning"),
        (_NO_VERDICT, papers.assessed - papers.answered, "every cell withheld or failed", "Papers answered"),
    ):
        if count or words not in unusual:
            yield Step(name, left, (words, count, details if count else ""))
            left, name = left - count, remaining
    yield Step("Papers answered", left)
    yield Step(f"Papers reviewed by people ({counts.reviewed_cells:,} of {counts.sources.total():,} cells)", papers.reviewed)


def _plot(steps: Sequence[Step]) -> Plot:
    shapes: list[Shape] = []
    top = 4.0
    for number, step in enumerate(steps):
        bottom = _box_bottom(step.words, step.papers, top, _BOX)
        shapes += _box(_LEFT, top, _BOX, step.words, step.papers)
        last = number == len(steps) - 1
        following = bottom + _GAP
        if step.left_out:
            words, papers, details = step.left_out
            label = f"{words} ({details})" if details else words
            side_top = bottom + 4
            side_bottom = _box_bottom(label, papers, side_top, _SIDE_BOX)
            shapes += _box(_SIDE_LEFT, side_top, _SIDE_BOX, label, papers)
            middle = (side_top + side_bottom) / 2
            shapes += [line(_LEFT + _BOX / 2, middle, _SIDE_LEFT - 4, middle, css="axis"), _head(_SIDE_LEFT, middle, across=True)]
            following = max(following, side_bottom + 4)
        if not last:
            x = _LEFT + _BOX / 2
            shapes += [line(x, bottom, x, following - 4, css="axis"), _head(x, following, across=False)]
        top = following
        height = bottom
    return Plot("Flow of papers", PAGE, height + 4, shapes)


def _lines(words: str, papers: int, width: float) -> list[str]:
    return [*wrapped(words, width - 2 * _PADDING), f"n = {papers:,}"]


def _box_bottom(words: str, papers: int, top: float, width: float) -> float:
    return top + _LINE * len(_lines(words, papers, width)) + 2 * _PADDING - 2.5


def _box(x: float, top: float, width: float, words: str, papers: int) -> Iterator[Shape]:
    yield rect(x, top, width, _box_bottom(words, papers, top, width) - top, css="box")
    for number, words_line in enumerate(_lines(words, papers, width)):
        yield text(x + width / 2, baseline(top + _PADDING + SIZE / 2 + _LINE * number), words_line, "middle")


def _head(x: float, y: float, *, across: bool) -> Shape:
    corners = [(x, y), (x - 4, y - 2), (x - 4, y + 2)] if across else [(x, y), (x - 2, y - 4), (x + 2, y - 4)]
    return Shape("polygon", {"class": "arrow", "points": points(corners)})
