"""One file of a report, apart from its papers' cells: which papers it holds, how they stand, what they name."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field

from methodlens.records import PaperEntry, Question, Status
from methodlens.reports.verdict_matrix import Statuses, decode_statuses, encode_statuses


class ReportPart(Struct):
    """Papers and what is said of each in their order. It is put on disk while other parts are gathered, so it is plain data."""

    papers: list[PaperEntry] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    verdicts: dict[str, list[str]] = field(default_factory=dict)
    """By reader: a letter for each of the questions that were known by then."""
    facts: dict[str, dict[str, dict[str, list[int]]]] = field(default_factory=dict)
    """By question, key and value: the papers that name it."""
    quoted: list[list[int]] = field(default_factory=list)
    """The pages that quotes stand on."""

    def keep_verdicts(self, by_reader: Mapping[str, Statuses], questions: Mapping[str, Question]) -> None:
        """Of the last of its papers."""
        for reader, statuses in by_reader.items():
            lines = self.verdicts.setdefault(reader, [])
            lines += [""] * (len(self.papers) - 1 - len(lines)) + [encode_statuses(statuses, questions)]

    def codes(self, reader: str) -> list[str]:
        """A line of letters for each paper, which may be shorter than there are questions."""
        found = self.verdicts.get(reader, [])
        return [*found, *[""] * (len(self.papers) - len(found))]

    def statuses(self, reader: str, questions: int) -> list[tuple[Status | None, ...]]:
        return [decode_statuses(codes, questions) for codes in self.codes(reader)]

    def counts(self, reader: str, questions: Mapping[str, Question]) -> dict[str, Counter[Status]]:
        """By question, how its papers stand."""
        columns = zip(*self.statuses(reader, len(questions)), strict=True)
        counted = (Counter(status for status in column if status) for column in columns)
        return dict(zip(questions, counted, strict=False))
