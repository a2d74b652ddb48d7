"""Papers as read, the passages they are split into, and papers as a run lists them."""

from enum import StrEnum

from msgspec import Struct

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points from the page's top left."""


class PaperStatus(StrEnum):
    """No reader is asked about a paper that is not `ok`; its reason says what to do."""

    OK = "ok"
    NO_TEXT = "no_text"
    GARBLED = "garbled"
    ENCRYPTED = "encrypted"
    MALFORMED = "malformed"
    TOO_BIG = "too_big"
    TIMEOUT = "timeout"
    CRASHED = "crashed"


class Page(Struct, frozen=True, array_like=True):
    """A page's size in points, as it is displayed."""

    number: int
    width: float
    height: float


class Word(Struct, frozen=True, array_like=True):
    """A printed word: its characters' offsets from the start of its line, and its left and right edge in points."""

    start: int
    end: int
    x0: float
    x1: float


class Line(Struct, frozen=True, array_like=True):
    """A printed line: its span of the paper's text, its page, its upper and lower edge, and its words."""

    start: int
    end: int
    page: int
    top: float
    bottom: float
    words: tuple[Word, ...]


class HiddenText(Struct, frozen=True):
    """Text in the file that is not visible on the page: white, tiny, covered, off the page, invisible."""

    page: int
    why: str
    text: str
    box: Box


class SectionKind(StrEnum):
    FRONT = "front"
    ABSTRACT = "abstract"
    INTRODUCTION = "introduction"
    METHODS = "methods"
    RESULTS = "results"
    DISCUSSION = "discussion"
    AVAILABILITY = "availability"
    ACKNOWLEDGEMENTS = "acknowledgements"
    REFERENCES = "references"
    APPENDIX = "appendix"
    OTHER = "other"


class Section(Struct, frozen=True, array_like=True):
    kind: SectionKind
    title: str
    start: int
    end: int


class TableRow(Struct, frozen=True, array_like=True):
    """A row of a table: its span of the paper's text, and one text per column, empty where the row has none."""

    start: int
    end: int
    cells: tuple[str, ...]


class Table(Struct, frozen=True, array_like=True):
    """A table with its label ("Table 2"), its span of the paper's text without the caption, and its rows below the header.

    The header has one text per column. The first `heads` columns name the row.
    """

    label: str
    start: int
    end: int
    heads: int
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]


class Paper(Struct, frozen=True):
    """One paper as read: clean text in reading order, and how to get from any span of it back to the page.

    `sha256` is that of the file's bytes and `parser` names what read it, with its revision: together they say which
    text this is. A paper that could not be read has a status, a reason and no text.
    """

    sha256: str
    parser: str
    status: PaperStatus = PaperStatus.OK
    reason: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    text: str = ""
    pages: tuple[Page, ...] = ()
    lines: tuple[Line, ...] = ()
    sections: tuple[Section, ...] = ()
    unread: tuple[int, ...] = ()
    """Pages that hold no legible text: pictures, or a text layer that is not language."""
    hidden: tuple[HiddenText, ...] = ()
    flags: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    """In reading order."""

    @property
    def has_pages(self) -> bool:
        """Whether quotes are on pages. JATS, HTML and the like have sections only; a bare text counts as one page."""
        return bool(self.pages) or not self.sections


class Passage(Struct, frozen=True):
    """A span of a paper, from sentence to sentence, small enough to rank and to show."""

    start: int
    end: int
    page: int
    """0 in a paper without pages."""
    section: str
    text: str


class PaperEntry(Struct, frozen=True):
    """A paper of a run without its text: its name below the source folder, its metadata and its status."""

    name: str
    sha256: str
    status: PaperStatus = PaperStatus.OK
    reason: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    pages: int = 0
    text_sha256: str = ""
    """Of its letters and digits, to detect the same text in another file."""
    duplicate_of: str = ""
    """The name of an earlier paper of the run with the same DOI or the same text."""
    hidden: tuple[HiddenText, ...] = ()
    flags: tuple[str, ...] = ()
