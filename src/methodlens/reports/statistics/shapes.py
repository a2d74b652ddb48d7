"""The shapes of a plot: SVG elements as data, which HTML templates and figure files draw.

A shape's class says what it is; the stylesheet of a page, or `figures.style` for print, says how it looks.
"""

from collections.abc import Sequence
from typing import NamedTuple

from methodlens.text.printable import one_line

WIDTH = 360
"""Of plots in pages, so that a phone shows them unscaled."""


class Shape(NamedTuple):
    """One SVG element; `title` is its tooltip."""

    tag: str
    attributes: dict[str, str | float]
    text: str = ""
    title: str = ""


class Plot(NamedTuple):
    title: str
    width: float
    height: float
    shapes: list[Shape]

    @property
    def is_wide(self) -> bool:
        """Whether it keeps its size and scrolls on a phone."""
        return self.width > WIDTH


def points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def rect(x: float, y: float, width: float, height: float, *, css: str) -> Shape:
    sides = {"x": x, "y": y, "width": width, "height": height}
    return Shape("rect", {"class": css, **{name: round(value, 1) for name, value in sides.items()}})


def line(x0: float, y0: float, x1: float, y1: float, *, css: str) -> Shape:
    ends = {"x1": x0, "y1": y0, "x2": x1, "y2": y1}
    return Shape("line", {"class": css, **{name: round(value, 1) for name, value in ends.items()}})


def circle(x: float, y: float, radius: float, *, css: str, title: str = "") -> Shape:
    return Shape("circle", {"class": css, "cx": round(x, 1), "cy": round(y, 1), "r": round(radius, 1)}, title=title)


def text(x: float, y: float, text: str, anchor: str, *, css: str = "", title: str = "", upwards: bool = False) -> Shape:
    """`upwards`: turned by 90 degrees around its anchor, so that it reads from bottom to top."""
    place: dict[str, str | float] = {"class": css} if css else {}
    place |= {"x": round(x, 1), "y": round(y, 1), "text-anchor": anchor}
    if upwards:
        place["transform"] = f"rotate(-90 {place['x']} {place['y']})"
    return Shape("text", place, text, title)


def shortened(name: str, longest: int) -> str:
    plain = one_line(name)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
