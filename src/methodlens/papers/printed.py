"""A page as it is printed: characters, words and lines with their boxes, before they become text.

Plain values: whoever handles them need not load PDFium.
"""

from typing import NamedTuple

from methodlens.records import Box


class Glyph(NamedTuple):
    """A character on the page. `number` is PDFium's; the box is in points from the page's top left, as it is displayed.

    Characters that PDFium makes up (blanks between words, line ends) have no box: all zeros.
    """

    number: int
    char: str
    x0: float
    top: float
    x1: float
    bottom: float


class RawWord(NamedTuple):
    text: str
    x0: float
    x1: float


class RawLine(NamedTuple):
    """A printed line as PDFium gives it. `broken`: its last word goes on in the next line. `upright`: not set sideways."""

    words: tuple[RawWord, ...]
    box: Box
    size: float
    broken: bool = False
    bold: bool = False
    upright: bool = True

    @property
    def text(self) -> str:
        return " ".join([word.text for word in self.words])


class RawPage(NamedTuple):
    number: int
    width: float
    height: float
    lines: list[RawLine]
