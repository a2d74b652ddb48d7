"""How wide a text is in print. Arial and Liberation Sans have the same widths as Helvetica."""

from collections.abc import Iterable
from functools import cache
from importlib import resources

import msgspec

from methodlens.reports.figures.style import SIZE
from methodlens.text.printable import one_line

ENCODING = "cp1252"
_FIRST = 32
_TOLERANCE = 0.01  # of sums of widths
_UNKNOWN = 600  # of letters that Helvetica does not have


@cache
def _widths() -> dict[str, list[int]]:
    """In thousandths of the font size, from the character 32 of Windows-1252."""
    data = resources.files("methodlens.reports.figures").joinpath("data", "helvetica.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, list[int]])


def text_width(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """In points.

    >>> text_width("iii") < text_width("mmm")
    True
    """
    widths = _widths()["bold" if bold else "regular"]
    encoded = (character.encode(ENCODING, "ignore") for character in text)
    return size / 1000 * sum(widths[code[0] - _FIRST] if code and code[0] >= _FIRST else _UNKNOWN for code in encoded)


def widest(texts: Iterable[str], most: float, size: float = SIZE) -> float:
    """The width that these texts need, at most `most`."""
    return min(most, max((text_width(one_line(text)[: int(most)], size) for text in texts), default=0.0))


def fitted(text: str, width: float, size: float = SIZE, *, bold: bool = False) -> str:
    """The text on one line, shortened if it is wider than `width`."""
    plain = one_line(text)
    if text_width(plain, size, bold=bold) <= width + _TOLERANCE:
        return plain
    plain = plain[: int(2 * width)]  # enough: no letter is narrower than half a point
    while plain and text_width(f"{plain}…", size, bold=bold) > width:
        plain = plain[:-1]
    return f"{plain.rstrip()}…"


def wrapped(text: str, width: float, size: float = SIZE) -> list[str]:
    """The text in lines of at most `width`."""
    lines = [""]
    for word in one_line(text).split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return [fitted(line, width, size) for line in lines]
