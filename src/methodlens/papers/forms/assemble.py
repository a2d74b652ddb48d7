"""From the blocks of a document to a Paper: clean text, sections, tables. One paragraph per line; no pages."""

import re
import unicodedata
from collections.abc import Sequence

from msgspec.structs import replace

from methodlens.papers.forms.document import Block, Document, Heading, NotReadable, Paragraph, TableBlock
from methodlens.papers.forms.limits import MAX_COLUMNS, MAX_ROWS
from methodlens.papers.layout.headings import kind_of
from methodlens.papers.pdf.text_quality import has_text, is_garbled
from methodlens.records import Paper, PaperStatus, Section, SectionKind, Table, TableRow

HIDDEN_FLAG = "hidden_text"
_FOLDED = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
    | dict.fromkeys("\u2010\u2011", "-")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
    | dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "")
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MATHEMATICAL = re.compile("[\U0001d400-\U0001d7ff]")
_LABEL = re.compile(r"(?:Supplementary\s|Extended Data\s)?Table\s+[A-Z]?\d{0,3}[A-Z]?", re.IGNORECASE)
_BEFORE_PUNCTUATION = re.compile(r" (?=[,.;:!?)\]](?:\s|$))")
_INHERITED = (SectionKind.RESULTS, SectionKind.DISCUSSION, SectionKind.REFERENCES, SectionKind.APPENDIX)
_NOT_CONTINUED = (SectionKind.FRONT, SectionKind.ABSTRACT, SectionKind.INTRODUCTION, SectionKind.REFERENCES)


def clean(text: str) -> str:
    """One line, without control characters and ligatures.

    >>> clean("a  deﬁned\\n net\u00adwork .")
    'a defined network.'
    """
    text = _CONTROL.sub(" ", unicodedata.normalize("NFC", text).translate(_FOLDED))
    if _MATHEMATICAL.search(text):
        text = _MATHEMATICAL.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return _BEFORE_PUNCTUATION.sub("", " ".join(text.split()))


def assemble(document: Document, paper: Paper) -> Paper:
    """`paper` with the text of the document. Raises NotReadable if there is none."""
    about = document.metadata._replace(
        title=clean(document.metadata.title), authors=tuple(filter(None, map(clean, document.metadata.authors)))
    )
    builder = _Builder()
    builder.paragraph(about.title)
    builder.paragraph(", ".join(about.authors))
    for block in document.blocks:
        builder.add(block)
    text = "".join(builder.parts)
    if not has_text(text, pages=1):
        raise NotReadable(PaperStatus.NO_TEXT, "it contains no text; check that it is the whole paper")
    if is_garbled(text):
        raise NotReadable(PaperStatus.GARBLED, "its text is not readable characters; check its encoding and save it as UTF-8")
    flags = (*paper.flags, *([HIDDEN_FLAG] if document.hides_text else []))
    return replace(paper, **about._asdict(), text=text, sections=builder.sections(), tables=tuple(builder.tables), flags=flags)


class _Builder:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.tables: list[Table] = []
        self._starts: list[tuple[SectionKind, str, int]] = [(SectionKind.FRONT, "", 0)]
        self._parents: list[tuple[int, SectionKind | None]] = []

    def add(self, block: Block) -> None:
        if isinstance(block, Heading):
            self._heading(block)
        elif isinstance(block, Paragraph):
            self.paragraph(clean(block.text))
        else:
            self._table(block)

    def paragraph(self, text: str) -> int:
        """Where it starts."""
        start = self.length
        if text:
            self.parts.append(f"{text}\n")
            self.length += len(text) + 1
        return start

    def _heading(self, heading: Heading) -> None:
        title = clean(heading.text)
        if not title:
            return
        while self._parents and self._parents[-1][0] >= heading.level:
            self._parents.pop()
        parent = self._parents[-1][1] if self._parents else None
        if parent in (SectionKind.RESULTS, SectionKind.DISCUSSION) and kind_of(title) is SectionKind.INTRODUCTION:
            self._parents[-1] = (self._parents[-1][0], None)  # "Findings" around the whole paper: its parts have their own kinds
            parent = None
        kind = heading.kind or self._kind(title, parent)
        self._parents.append((heading.level, kind))
        self._starts.append((kind, title, self.paragraph(title)))

    def _kind(self, title: str, parent: SectionKind | None) -> SectionKind:
        """ "Models" below "Results" is about results; a heading of no known kind continues its parent, or the section before."""
        if parent in _INHERITED:
            return parent
        before = self._starts[-1][0]
        return kind_of(title) or parent or (SectionKind.OTHER if before in _NOT_CONTINUED else before)

    def _table(self, block: TableBlock) -> None:
        caption = clean(block.caption)
        label = _LABEL.match(caption)
        self.paragraph(caption)
        rows = _even([[clean(cell) for cell in row[:MAX_COLUMNS]] for row in block.rows[:MAX_ROWS]])
        start = self.length
        if len(rows) <= block.header_rows or not rows or len(rows[0]) < 2:  # a box, or layout: its text only
            for row in rows:
                self.paragraph(" ".join(filter(None, row)))
            return
        header = _merged(rows[: block.header_rows]) if block.header_rows else ("",) * len(rows[0])
        self.paragraph(" ".join(filter(None, header)))
        body: list[TableRow] = []
        for row in rows[block.header_rows :]:
            text = " ".join(filter(None, row))
            if text:
                first = self.paragraph(text)
                body.append(TableRow(first, first + len(text), tuple(row)))
        if body:
            title = label[0] if label else f"Table {len(self.tables) + 1}"
            self.tables.append(Table(title, start, self.length - 1, 1, header, tuple(body)))

    def sections(self) -> tuple[Section, ...]:
        ends = [start for _, _, start in self._starts[1:]] + [self.length]
        parts = [Section(kind, title, start, end) for (kind, title, start), end in zip(self._starts, ends, strict=True)]
        return tuple(section for section in parts if section.end > section.start)


def _even(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows]


def _merged(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Several header rows as one: "Training" above "epochs" is "Training epochs"."""
    return tuple(" ".join(dict.fromkeys(filter(None, column))) for column in zip(*rows, strict=True))
