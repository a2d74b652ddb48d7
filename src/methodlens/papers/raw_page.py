"""Characters, words and lines of a page with their boxes, before they become text. Does not import PDFium."""

from typing import NamedTuple

from methodlens.records import Box

UNMAPPED = 0x10F000
"""Added to the code of a character that PDFium gives only because the font does not say which one it is."""


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
    """`raised` is how many of its last characters, not counting a final comma, are a superscript."""

    text: str
    x0: float
    x1: float
    raised: int = 0

    @property
    def unmarked(self) -> str:
        """The text with a semicolon in place of its superscript."""
        end = len(self.text) - self.text.endswith((",", ";"))
        return f"{self.text[: end - self.raised]};{self.text[end:]}" if self.raised else self.text


class RawLine(NamedTuple):
    """A printed line as PDFium gives it. `broken`: its last word continues on the next line. `upright`: not rotated.

    `font` is the name of its first character's font, and `lead` how many words at its start are in that font.
    """

    words: tuple[RawWord, ...]
    box: Box
    size: float
    broken: bool = False
    bold: bool = False
    upright: bool = True
    italic: bool = False
    font: str = ""
    lead: int = 0

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
