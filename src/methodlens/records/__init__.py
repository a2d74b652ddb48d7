"""The types of methodlens: frozen, without I/O. Read this package as the glossary, in the order in which data flows:
papers, questions, verdicts, answers, cells; `code` has those of a repository beside a paper.

msgspec gives each its JSON form, so messages to workers, ledger and exports share one format, typed and validated.
"""

from methodlens.records.answers import Answer, Evidence, FactConfidence, Facts, Match, Place, ReaderInfo, Usage
from methodlens.records.cells import Annotation, Cell, CellRef, ContentRef, Row, Source, SourceKind, SupplementCell
from methodlens.records.papers import (
    Box,
    HiddenText,
    Line,
    Page,
    Paper,
    PaperEntry,
    PaperStatus,
    Passage,
    Section,
    SectionKind,
    Table,
    TableRow,
    Word,
)
from methodlens.records.questions import AnswerForm, Hit, Question
from methodlens.records.verdicts import Status, Step, Tally, Verdict

__all__ = [
    "Annotation",
    "Answer",
    "AnswerForm",
    "Box",
    "Cell",
    "CellRef",
    "ContentRef",
    "Evidence",
    "FactConfidence",
    "Facts",
    "HiddenText",
    "Hit",
    "Line",
    "Match",
    "Page",
    "Paper",
    "PaperEntry",
    "PaperStatus",
    "Passage",
    "Place",
    "Question",
    "ReaderInfo",
    "Row",
    "Section",
    "SectionKind",
    "Source",
    "SourceKind",
    "Status",
    "Step",
    "SupplementCell",
    "Table",
    "TableRow",
    "Tally",
    "Usage",
    "Verdict",
    "Word",
]
