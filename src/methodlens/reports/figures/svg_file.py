"""A plot as an SVG file of its own: every shape carries its colours, so that it needs no stylesheet."""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from methodlens.reports.figures.style import FONTS, POINTS_PER_MM, attributes
from methodlens.reports.statistics.shapes import Plot, Shape, rect
from methodlens.text.printable import one_line


def svg(plot: Plot, *, description: str = "") -> str:
    """The plot, in millimetres, with the title and the description for those who cannot see it."""
    return "\n".join(_lines(plot, description)) + "\n"


def _lines(plot: Plot, description: str) -> Iterator[str]:
    width, height = (f"{side / POINTS_PER_MM:.1f}mm" for side in (plot.width, plot.height))
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {plot.width:.1f} {plot.height:.1f}" font-family="{FONTS}">'
    )
    yield f"<title>{escape(one_line(plot.title))}</title>"
    if description:
        yield f"<desc>{escape(one_line(description))}</desc>"
    for shape in (rect(0, 0, plot.width, plot.height, css="background"), *plot.shapes):
        yield _element(shape)
    yield "</svg>"


def _element(shape: Shape) -> str:
    listed = "".join(f" {name}={quoteattr(str(value))}" for name, value in attributes(shape).items())
    title = f"<title>{escape(one_line(shape.title))}</title>" if shape.title else ""
    content = title + escape(one_line(shape.text))
    return f"<{shape.tag}{listed}>{content}</{shape.tag}>" if content else f"<{shape.tag}{listed}/>"
