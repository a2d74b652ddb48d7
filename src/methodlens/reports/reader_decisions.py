"""How far the readers of a run agree, counted row by row."""

from collections import Counter

from methodlens.evaluation.raters import GroupAgreement, PairAgreement, Pattern, group_from_counts, pairwise_from_counts
from methodlens.records import Row


class ReaderDecisions:
    """Counts how the readers decided each cell. The vote and the final word are left out."""

    def __init__(self, readers: tuple[str, ...]) -> None:
        self._readers = readers
        self._answered: set[str] = set()
        self._cell: tuple[str, str, str] | None = None
        self._decisions: dict[str, bool | None] = {}
        self._patterns: Counter[Pattern] = Counter()

    def add(self, row: Row) -> None:
        """Rows of the same paper and question must be consecutive."""
        if row.votes is not None or row.final is not None:
            return
        cell = (row.paper.name, row.paper.sha256, row.question.id)
        if cell != self._cell:
            self._count()
            self._cell = cell
        self._answered.add(row.cell.reader)
        self._decisions[row.cell.reader] = row.cell.verdict.status.reported

    def _count(self) -> None:
        if self._decisions:
            self._patterns[tuple(map(self._decisions.get, self._readers))] += 1
        self._decisions = {}

    def agreement(self) -> tuple[GroupAgreement | None, tuple[PairAgreement, ...]]:
        """The agreement of all readers that have cells, and of each pair; none for a single reader."""
        self._count()
        readers = tuple(reader for reader in self._readers if reader in self._answered)
        if len(readers) < 2:
            return None, ()
        columns = [self._readers.index(reader) for reader in readers]
        patterns: Counter[Pattern] = Counter()
        for pattern, count in self._patterns.items():
            patterns[tuple(pattern[column] for column in columns)] += count
        return group_from_counts(readers, patterns), pairwise_from_counts(readers, patterns)
