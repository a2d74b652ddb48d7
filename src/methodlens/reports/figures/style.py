"""How figures look in print: the attributes of each class of shape.

Colours are those of Okabe and Ito, which colour-blind people can distinguish; what differs in colour also differs in lightness
or in shape, so that a figure stays legible in grey.
"""

from collections.abc import Mapping

from methodlens.reports.statistics.shapes import Shape

POINTS_PER_MM = 72 / 25.4
COLUMN = 85 * POINTS_PER_MM
"""The width of one column of a journal, in points."""
PAGE = 170 * POINTS_PER_MM
"""The width of two columns."""
FONTS = "Helvetica, Arial, 'Liberation Sans', sans-serif"
SIZE = 7.0
"""Of text, in points."""
SMALL = 6.0

_INK, _BLUE, _ORANGE, _RED = "#000000", "#0072b2", "#e69f00", "#d55e00"
_DARK_GREY, _GREY, _PALE = "#595959", "#bfbfbf", "#e6e6e6"

Attributes = Mapping[str, str | float]

_CLASSES: Mapping[str, Attributes] = {
    "": {"font-size": SIZE, "fill": _INK},
    "small": {"font-size": SMALL, "fill": _INK},
    "soft": {"font-size": SMALL, "fill": _DARK_GREY},
    "bold": {"font-size": SIZE, "font-weight": "bold", "fill": _INK},
    "axis": {"stroke": _INK, "stroke-width": 0.6},
    "grid": {"stroke": _GREY, "stroke-width": 0.4},
    "ideal": {"stroke": _DARK_GREY, "stroke-width": 0.6, "stroke-dasharray": "3 2"},
    "curve": {"stroke": _BLUE, "stroke-width": 1.0, "fill": "none"},
    "interval": {"stroke": _BLUE, "stroke-width": 0.9},
    "dot": {"fill": _BLUE},
    "undecided": {"fill": _PALE},
    "reported": {"fill": _BLUE},
    "not_reported": {"fill": "none", "stroke": _GREY, "stroke-width": 0.4},
    "withheld": {"fill": _ORANGE},
    "failed": {"fill": "none", "stroke": _RED, "stroke-width": 0.8},
    "negative": {"fill": "#ffffff", "stroke": _RED, "stroke-width": 0.9},
    "box": {"fill": "#ffffff", "stroke": _INK, "stroke-width": 0.6},
    "arrow": {"fill": _INK},
    "shade": {"stroke": _GREY, "stroke-width": 0.3},
    "background": {"fill": "#ffffff"},
}


def tint(share: float) -> str:
    """From white to the blue of `reported`.

    >>> tint(0), tint(1)
    ('#ffffff', '#0072b2')
    """
    return "#" + "".join(f"{round(255 + (end - 255) * share):02x}" for end in (0x00, 0x72, 0xB2))


def attributes(shape: Shape) -> dict[str, str | float]:
    """The shape's attributes, with those of its class in place of the class."""
    own = dict(shape.attributes)
    css = str(own.pop("class", ""))
    looks = _CLASSES[css] if css or shape.tag == "text" else {}
    return {**looks, **own}
