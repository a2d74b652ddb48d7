"""One part (one file) of a report: its papers and their verdicts, without the cells."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field

from methodlens.records import PaperEntry, Question, Status
from methodlens.reports.verdict_matrix import Statuses, decode_statuses, encode_statuses
from methodlens.reports.wide.wide_cell import WideCell

TEXT = 0
"""Among the quoted pages: the text itself, for quotes that are on no page."""


class ReportPart(Struct):
    """Lists have one item per paper. Parts are stored on disk until the last one is known, so they are plain data."""

    papers: list[PaperEntry] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    verdicts: dict[str, list[str]] = field(default_factory=dict)
    """By reader: encoded statuses, one letter for each question that was known at the time."""
    facts: dict[str, dict[str, dict[str, list[int]]]] = field(default_factory=dict)
    """By question, fact key and value: the indexes of the papers that have it."""
    wide: list[dict[str, WideCell]] = field(default_factory=list)
    """The cells of the wide table, by question."""
    quoted_pages: list[list[int]] = field(default_factory=list)

    def add_verdicts(self, by_reader: Mapping[str, Statuses], questions: Mapping[str, Question]) -> None:
        """Add the verdicts on the last paper."""
        for reader, statuses in by_reader.items():
            codes = self.verdicts.setdefault(reader, [])
            codes += [""] * (len(self.papers) - 1 - len(codes)) + [encode_statuses(statuses, questions)]

    def codes(self, reader: str) -> list[str]:
        """The encoded statuses of each paper, which may be shorter than the list of questions."""
        codes = self.verdicts.get(reader, [])
        return [*codes, *[""] * (len(self.papers) - len(codes))]

    def statuses(self, reader: str, questions: int) -> list[tuple[Status | None, ...]]:
        return [decode_statuses(codes, questions) for codes in self.codes(reader)]

    def counts(self, reader: str, questions: Mapping[str, Question]) -> dict[str, Counter[Status]]:
        """The number of papers per status, by question."""
        columns = zip(*self.statuses(reader, len(questions)), strict=True)
        counts = (Counter(status for status in column if status) for column in columns)
        return dict(zip(questions, counts, strict=False))
