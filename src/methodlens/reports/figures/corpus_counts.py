"""What the figures count, in one pass over a run.

Memory grows with the questions, the years and the distinct names of products and methods, but not with the papers: only small
corpora are kept paper by paper.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from methodlens.ledger.final_words import is_adjudication
from methodlens.questions import is_calibrated
from methodlens.records import Annotation, Answer, Cell, PaperEntry, PaperStatus, Question, Row, SourceKind, Status
from methodlens.reports.figures.fact_counts import FactCounts, FactKind, names_in
from methodlens.reports.figures.proportions import PairCounts, Share
from methodlens.reports.figures.rater_pairs import PERSON, READER, Rater, RaterPairs
from methodlens.reports.html.run_summary import ReviewCounts
from methodlens.reports.verdict_matrix import status_label
from methodlens.verdicts import NO_DL

MOST_LINES = 80
"""Papers that the matrix shows one by one: more would not be legible on a page."""
BY_PEOPLE = (SourceKind.ADJUDICATED, SourceKind.PERSON, SourceKind.DISPUTED)


class FlowCounts:
    """How many papers there are at each step. A paper leaves at the first step that excludes it."""

    def __init__(self, found: int) -> None:
        self.found = found
        self.read = self.duplicate = self.no_dl = self.answered = self.reviewed = 0
        self.unreadable: Counter[str] = Counter()

    @property
    def not_read_yet(self) -> int:
        return self.found - self.read

    @property
    def assessed(self) -> int:
        """The papers that the figures count."""
        return self.read - self.duplicate - self.unreadable.total() - self.no_dl


class PaperLine(NamedTuple):
    """A paper of a small corpus, with the status of each question; None if it was not asked."""

    paper: PaperEntry
    statuses: tuple[Status | None, ...]


class CorpusCounts:
    """Call `add` once per paper."""

    def __init__(self, questions: Sequence[Question], found: int) -> None:
        """`found` is the number of papers that the run lists."""
        size = len(questions)
        self.questions = tuple(questions)
        self.about_deep_learning = any(map(is_calibrated, questions))
        """Otherwise a paper without deep learning is like any other."""
        self.flow = FlowCounts(found)
        self.statuses: tuple[Counter[Status], ...] = tuple(Counter() for _ in questions)
        self.years: Counter[int] = Counter()
        self.facts: Mapping[FactKind, FactCounts] = {kind: FactCounts() for kind in FactKind}
        self.raters = RaterPairs()
        self.calibration: dict[str, list[tuple[bool, float]]] = {}
        """By reader: what people said of a cell, and the reader's probability. Without recalibrated questions: their
        probabilities were fitted to what people said."""
        self.sources: Counter[SourceKind] = Counter()
        """The cells by whose word is final."""
        self.reviewers: set[str] = set()
        self.lines: list[PaperLine] | None = []
        """None if there are more than `MOST_LINES`."""
        self.by_reported = np.zeros((size + 1, size), dtype=np.int64)
        """By how many questions a paper reports: the papers that report each question."""
        self.papers_by_reported = np.zeros(size + 1, dtype=np.int64)
        self._recalibrated: set[str] = set()
        self._unread: set[str] = set()
        """Papers of which a readable copy has not been seen yet: it counts, although it is a duplicate."""
        self._by_year: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.int64]]] = {}
        self._pairs = np.zeros((4, size, size), dtype=np.int64)

    def add(self, rows: Sequence[Row], annotations: Sequence[Annotation] = ()) -> None:
        """All rows of a paper, and the annotations of people on it. The last row of a question is its final word."""
        paper = rows[0].paper
        self.flow.read += 1
        if paper.duplicate_of and paper.duplicate_of not in self._unread:
            self.flow.duplicate += 1
        elif paper.status is not PaperStatus.OK:
            self.flow.unreadable[status_label(paper.status)] += 1
            self._unread.add(paper.name)
        elif self.about_deep_learning and NO_DL in paper.flags:
            self.flow.no_dl += 1
        else:
            self._unread.discard(paper.duplicate_of)
            final = {row.question.id: row for row in rows}
            cells = [final[question.id].cell if question.id in final else None for question in self.questions]
            self._add_verdicts(paper, [cell.verdict.status if cell else None for cell in cells])
            self._add_facts(paper.year, [cell.answer for cell in cells if cell and cell.verdict.status is Status.REPORTED])
            self._add_review(rows, final, [annotation for annotation in annotations if annotation.question in final])

    @property
    def papers(self) -> int:
        """The papers that the figures count."""
        return self.flow.assessed

    @property
    def reviewed_cells(self) -> int:
        """The cells of these papers that people have annotated."""
        return sum(self.sources[kind] for kind in BY_PEOPLE)

    @property
    def recalibrated(self) -> list[str]:
        """The ids of the questions whose probabilities were refitted to what people decided."""
        return [question.id for question in self.questions if question.id in self._recalibrated]

    @property
    def review(self) -> ReviewCounts:
        return ReviewCounts(
            papers=self.papers,
            cells=self.sources.total(),
            reviewed=self.reviewed_cells,
            adjudicated=self.sources[SourceKind.ADJUDICATED],
            disputed=self.sources[SourceKind.DISPUTED],
            reviewers=len(self.reviewers),
        )

    def share(self, question: int) -> Share:
        """The papers that report the question, among those that were asked: withheld and failed cells count as not reported."""
        counts = self.statuses[question]
        return Share(counts[Status.REPORTED], counts.total())

    def share_in(self, question: int, first: int, last: int) -> Share:
        """The same for the papers of some years."""
        years = [counts for year, counts in self._by_year.items() if first <= year <= last]
        reported, asked = (sum(int(counts[row][question]) for counts in years) for row in range(2))
        return Share(reported, asked)

    def pair(self, first: int, second: int) -> PairCounts:
        """Of the papers in which both questions were decided."""
        return PairCounts(*(int(counts[first][second]) for counts in self._pairs))

    def _add_verdicts(self, paper: PaperEntry, statuses: Sequence[Status | None]) -> None:
        for counts, status in zip(self.statuses, statuses, strict=True):
            if status:
                counts[status] += 1
        reported = np.array([status is Status.REPORTED for status in statuses], dtype=np.int64)
        silent = np.array([status is Status.NOT_REPORTED for status in statuses], dtype=np.int64)
        asked = np.array([status is not None for status in statuses], dtype=np.int64)
        outcomes = ((reported, reported), (reported, silent), (silent, reported), (silent, silent))
        self._pairs += np.array([np.outer(first, second) for first, second in outcomes])
        if paper.year is not None:
            self.years[paper.year] += 1
            self._by_year.setdefault(paper.year, np.zeros((2, len(statuses)), dtype=np.int64))[:] += (reported, asked)
        self.by_reported[reported.sum()] += reported
        self.papers_by_reported[reported.sum()] += 1
        self.flow.answered += bool(reported.any() or silent.any())
        if self.lines is not None:
            self.lines.append(PaperLine(paper, tuple(statuses)))
            if len(self.lines) > MOST_LINES:
                self.lines = None

    def _add_facts(self, year: int | None, answers: Sequence[Answer]) -> None:
        values: dict[FactKind, set[str]] = {kind: set() for kind in FactKind}
        for answer in answers:
            for kind in FactKind:
                values[kind] |= names_in(answer, kind)
        for kind, names in values.items():
            self.facts[kind].add(year, names)

    def _add_review(self, rows: Sequence[Row], final: Mapping[str, Row], annotations: Sequence[Annotation]) -> None:
        decisions: dict[Rater, dict[str, bool]] = {}
        for row in filter(_is_reader, rows):
            if (reported := row.cell.verdict.status.reported) is not None:
                decisions.setdefault(Rater(READER, row.cell.reader), {})[row.question.id] = reported
            if row.question.calibrated_on:
                self._recalibrated.add(row.question.id)
            elif (source := final[row.question.id].final) and source.kind in BY_PEOPLE:
                self._add_probability(row.cell, final[row.question.id].cell.verdict.status.reported)
        for annotation in annotations:  # who adjudicates has seen what the others said
            if (reported := annotation.status.reported) is not None and not is_adjudication(annotation):
                decisions.setdefault(Rater(PERSON, annotation.annotator), {})[annotation.question] = reported
        self.raters.add(decisions)
        sources = [_source(row) for row in final.values()]
        self.sources.update(sources)
        self.flow.reviewed += any(kind in BY_PEOPLE for kind in sources)
        self.reviewers.update(annotation.annotator for annotation in annotations)

    def _add_probability(self, cell: Cell, truth: bool | None) -> None:
        if truth is not None and cell.answer.p_reported is not None:
            self.calibration.setdefault(cell.reader, []).append((truth, cell.answer.p_reported))


def _is_reader(row: Row) -> bool:
    return row.votes is None and row.final is None


def _source(row: Row) -> SourceKind:
    if row.final:
        return row.final.kind
    return SourceKind.READER if row.votes is None else SourceKind.VOTE
