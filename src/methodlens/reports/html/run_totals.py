"""What a report says of a whole run, gathered row by row: counts, which grow with readers and questions and not with papers."""

from collections import Counter

from methodlens.records import PaperEntry, PaperStatus, Question, Row, Status

Counts = dict[str, Counter[Status]]
"""By question."""


class RunTotals:
    """Told of each paper once, and of each row."""

    def __init__(self) -> None:
        self.questions: dict[str, Question] = {}
        self.readers: dict[str, str] = {}
        """With the model each runs on, the vote first."""
        self.verdicts: dict[str, Counts] = {}
        """By reader."""
        self.states: Counter[PaperStatus] = Counter()
        self.flags: Counter[str] = Counter()
        self.papers = self.cells = self.hidden = self.again = 0
        self._passages: Counter[int] = Counter()
        self._characters: Counter[int] = Counter()

    def add_paper(self, paper: PaperEntry) -> None:
        self.papers += 1
        self.states[paper.status] += 1
        self.flags.update(dict.fromkeys(paper.flags, 1))
        self.hidden += bool(paper.hidden)
        self.again += bool(paper.duplicate_of)

    def add(self, row: Row) -> None:
        self.cells += 1
        self.questions.setdefault(row.question.id, row.question)
        reader, is_vote = row.cell.reader, row.votes is not None
        if is_vote and next(iter(self.readers), reader) != reader:
            self.readers = {reader: row.cell.model, **self.readers}
        self.readers.setdefault(reader, row.cell.model)
        self.verdicts.setdefault(reader, {}).setdefault(row.question.id, Counter())[row.cell.verdict.status] += 1
        if not is_vote and (given := [len(hit.passage.text) for hit in row.cell.context]):
            self._passages[len(given)] += 1
            self._characters[sum(given)] += 1

    @property
    def lead(self) -> str:
        """Whose verdicts the report shows first: the vote's, or the first reader's."""
        return next(iter(self.readers), "")

    @property
    def passages(self) -> int:
        """How many a reader was given for a cell, at the median."""
        return median(self._passages)

    @property
    def characters(self) -> int:
        return median(self._characters)


def median(counted: Counter[int]) -> int:
    """Of numbers that were counted and not kept, rounded; 0 of none.

    >>> median(Counter([1, 2, 4, 8]))
    3
    """
    total = counted.total()
    if not total:
        return 0
    lower = upper = seen = 0
    for value in sorted(counted):
        before, seen = seen, seen + counted[value]
        if before <= (total - 1) // 2 < seen:
            lower = value
        if before <= total // 2 < seen:
            upper = value
    return round((lower + upper) / 2)
