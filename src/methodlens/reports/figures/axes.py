"""Parts that several figures share: scales, axes, marks with intervals, legends."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from methodlens.reports.figures.proportions import Share
from methodlens.reports.figures.style import SIZE, SMALL
from methodlens.reports.figures.text_width import text_width
from methodlens.reports.statistics.shapes import Shape, circle, line, rect, text

Square = tuple[float, float, float]
"""Left, top and side."""


class Scale(NamedTuple):
    """Maps values from `low` to `high` to positions from `start` to `end`."""

    start: float
    end: float
    low: float = 0.0
    high: float = 1.0

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * share


def percent(value: float) -> str:
    """
    >>> percent(0.756)
    '76%'
    """
    return f"{100 * value:.0f}%"


def x_axis(scale: Scale, y: float, ticks: Sequence[tuple[float, str]], *, grid_top: float | None = None) -> Iterator[Shape]:
    """A horizontal axis with labels below, and grid lines up to `grid_top`."""
    if grid_top is not None:
        yield from (line(scale(value), grid_top, scale(value), y, css="grid") for value, _ in ticks)
    yield line(scale.start, y, scale.end, y, css="axis")
    for value, label in ticks:
        yield line(scale(value), y, scale(value), y + 2, css="axis")
        yield text(scale(value), y + 2.5 + SMALL, label, "middle", css="small")


def squares(places: Sequence[Square], *, css: str) -> Iterator[Shape]:
    """Many squares as one shape, which keeps files small; none for no places."""
    steps = (f"M{x:.1f},{y:.1f}h{side:.1f}v{side:.1f}h{-side:.1f}z" for x, y, side in places)
    if path := "".join(steps):
        yield Shape("path", {"class": css, "d": path})


def crosses(places: Sequence[Square], *, css: str) -> Iterator[Shape]:
    for x, y, side in places:
        yield line(x, y, x + side, y + side, css=css)
        yield line(x, y + side, x + side, y, css=css)


def whisker_across(share: Share, scale: Scale, y: float, *, title: str = "") -> Iterator[Shape]:
    """A share as a dot on its interval."""
    low, high = share.interval
    yield line(scale(low), y, scale(high), y, css="interval")
    yield circle(scale(share.value), y, 2.2, css="dot", title=title)


class LegendItem(NamedTuple):
    label: str
    draw: Callable[[float, float], Iterator[Shape]]
    """Draws a mark of about 6 points in width, from its left and its middle."""


def legend(x: float, y: float, items: Sequence[LegendItem]) -> Iterator[Shape]:
    """Marks with their meanings in one row; `y` is the middle."""
    for item in items:
        yield from item.draw(x, y)
        yield text(x + 9, baseline(y, SMALL), item.label, "start", css="small")
        x += 9 + text_width(item.label, SMALL) + 10


def square_mark(css: str, side: float = 5) -> Callable[[float, float], Iterator[Shape]]:
    return lambda x, y: squares([(x + (6 - side) / 2, y - side / 2, side)], css=css)


def bar_mark(css: str) -> Callable[[float, float], Iterator[Shape]]:
    return lambda x, y: iter([rect(x - 1, y - 2, 8, 4, css=css)])


def baseline(middle: float, size: float = SIZE) -> float:
    """Where text starts so that its small letters are centred on `middle`."""
    return middle + 0.35 * size
