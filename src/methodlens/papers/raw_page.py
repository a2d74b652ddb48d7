"""Characters, words and lines of a page with their boxes, before they become text. Does not import PDFium."""

from typing import NamedTuple

from methodlens.records import Box


class Glyph(NamedTuple):
    """A character on the page. `number` is PDFium's index; the box is in points from the top left of the displayed page.

    Characters that PDFium inserts (spaces between words, line ends) have no box: all zeros.
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
    """A printed line as PDFium gives it. `broken`: its last word continues on the next line. `upright`: not rotated."""

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
    """`image_share` is how much of the page images cover, measured where there is little text."""

    number: int
    width: float
    height: float
    lines: list[RawLine]
    image_share: float = 0.0
    blank: bool = False
