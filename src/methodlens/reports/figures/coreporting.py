"""Which items are reported together: phi for each pair of questions."""

import math
from collections.abc import Iterator
from itertools import combinations

from methodlens.reports.figures.axes import baseline, squares
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.figure import Figure, Skipped, Table, rounded
from methodlens.reports.figures.proportions import PairCounts, Share
from methodlens.reports.figures.shares import question_name
from methodlens.reports.figures.style import PAGE, SMALL
from methodlens.reports.figures.text_width import fitted, widest
from methodlens.reports.statistics.shapes import Plot, Shape, line, text

_LEAST_PAPERS = 10
"""With fewer papers, phi says little."""
_MOST_NAME = 120.0
_TOP = 4.0


def coreporting(counts: CorpusCounts) -> Figure | Skipped:
    size = len(counts.questions)
    pairs = {(first, second): counts.pair(first, second) for first, second in combinations(range(size), 2)}
    shown = {places: pair for places, pair in pairs.items() if pair.n >= _LEAST_PAPERS and not math.isnan(pair.phi)}
    if size < 2:
        return Skipped("coreporting", "only one question was asked")
    if not shown:
        return Skipped("coreporting", f"no two questions were both decided, and vary, in {_LEAST_PAPERS} or more papers")
    ids = [question.id for question in counts.questions]
    table = Table(
        (
            "first",
            "second",
            "both",
            "only_first",
            "only_second",
            "neither",
            "n",
            "phi",
            "second_given_first",
            "first_given_second",
        ),
        [
            (ids[first], ids[second], *pair, pair.n, rounded(pair.phi), *_conditional(pair))
            for (first, second), pair in pairs.items()
        ],
    )
    caption = (
        "Items that are reported together: phi coefficient (the correlation of two yes-or-no variables) for each pair of "
        f"questions, over the papers in which both were decided, for pairs with {_LEAST_PAPERS} or more of them. The area of "
        "a square is the size of phi; filled squares are positive, empty ones negative. The table also has the conditional "
        "shares."
    )
    return Figure("coreporting", _plot(counts, shown), table, caption)


def _conditional(pair: PairCounts) -> tuple[float | None, float | None]:
    """How many of the papers that report one question report the other."""
    first, second = Share(pair.both, pair.both + pair.first), Share(pair.both, pair.both + pair.second)
    return rounded(first.value), rounded(second.value)


def _plot(counts: CorpusCounts, pairs: dict[tuple[int, int], PairCounts]) -> Plot:
    names = [question_name(question) for question in counts.questions]
    left, below = widest(names[1:], _MOST_NAME, SMALL) + 6, widest(names[:-1], _MOST_NAME, SMALL) + 8
    cell = min((PAGE - left - 4) / (len(names) - 1), 12.0)
    bottom = _TOP + cell * (len(names) - 1)
    shapes = list(_grid(names, left, cell))
    for sign, css in ((1, "reported"), (-1, "negative")):
        places = []
        for (first, second), pair in pairs.items():
            if pair.phi * sign > 0:
                side = (cell - 1) * math.sqrt(abs(pair.phi))
                places.append((left + cell * (first + 0.5) - side / 2, _TOP + cell * (second - 0.5) - side / 2, side))
        shapes += squares(places, css=css)
    key = ((1.0, "reported"), (0.3, "reported"), (0.1, "reported"), (-0.3, "negative"))
    for index, (phi, css) in enumerate(key):  # at the right, in the empty half of the square or beside it
        side = (cell - 1) * math.sqrt(abs(phi))
        shapes += squares([(PAGE - 50 - side / 2, _TOP + 14 * index + 8 - side / 2, side)], css=css)
        label = f"phi = {phi}".replace("-", "–")
        shapes.append(text(PAGE - 40, baseline(_TOP + 14 * index + 8, SMALL), label, "start", css="small"))
    return Plot("Items reported together", PAGE, max(bottom, _TOP + 14 * len(key)) + below, shapes)


def _grid(names: list[str], left: float, cell: float) -> Iterator[Shape]:
    """The names of rows at the left, those of columns below."""
    size, last = min(SMALL, cell), len(names) - 1
    bottom = _TOP + cell * last
    for index, name in enumerate(names[1:]):
        middle = _TOP + cell * (index + 0.5)
        yield line(left, middle, left + cell * (index + 0.5), middle, css="grid")
        yield text(left - 4, baseline(middle, size), fitted(name, left - 6, size), "end", css="small", title=name)
    for index, name in enumerate(names[:-1]):
        x = left + cell * (index + 0.5)
        yield line(x, _TOP + cell * (index + 0.5), x, bottom, css="grid")
        yield text(baseline(x, size), bottom + 4, fitted(name, _MOST_NAME, size), "end", css="small", title=name, upwards=True)
