"""What every form is read into: the metadata and the blocks of a document, in reading order."""

from collections.abc import Sequence
from typing import NamedTuple

from methodlens.papers.metadata.entries import Metadata
from methodlens.records import PaperStatus, SectionKind


class Heading(NamedTuple):
    """`level` is 1 for a main section. `kind` is set where the markup says what the section is."""

    text: str
    level: int = 1
    kind: SectionKind | None = None


class Paragraph(NamedTuple):
    text: str


class TableBlock(NamedTuple):
    """`rows` include the header rows, of which there are `header_rows`. Each row has one text per column."""

    caption: str
    rows: Sequence[Sequence[str]]
    header_rows: int = 1


Block = Heading | Paragraph | TableBlock


class Document(NamedTuple):
    metadata: Metadata
    blocks: Sequence[Block]
    hides_text: bool = False
    """Some of its text is not displayed; it is left out."""


class NotReadable(Exception):
    """The file cannot be read as a paper: the status it gets, and why."""

    def __init__(self, status: PaperStatus, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason
