"""The figures of a report: totals of the whole run, collected row by row, and summaries of the run and of one part.

Totals grow with the number of readers and questions, not with the number of papers.
"""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from methodlens.records import PaperEntry, PaperStatus, Question, Row, Status
from methodlens.records.code import CheckItem, Repository, RepositoryStatus
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.verdict_matrix import question_labels, status_label

FLAGS = {
    "no_dl": "uses no deep learning itself; interpret its verdicts accordingly",
    "ocr": "read by OCR from images of its pages; quotes may contain errors",
    "unread_pages": "more than a tenth of its pages could not be read, so nothing is called not reported",
    "hidden_text": "contains text that is invisible on the page and was not shown to readers",
}
"""What the flags of a paper mean."""

StatusCounts = tuple[tuple[Status, int], ...]
KeyedPapers = tuple[tuple[str, PaperEntry], ...]


class RunTotals:
    """Call `add_paper` once per paper, and `add` once per row."""

    def __init__(self) -> None:
        self.questions: dict[str, Question] = {}
        self.readers: dict[str, str] = {}
        """Their models by name, the final word first, then the vote."""
        self.verdicts: dict[str, dict[str, Counter[Status]]] = {}
        """By reader and question."""
        self.paper_statuses: Counter[PaperStatus] = Counter()
        self.flags: Counter[str] = Counter()
        self.papers = self.cells = self.with_hidden_text = self.duplicates = 0
        self.repositories: Counter[RepositoryStatus] = Counter()
        self.checks_met: Counter[CheckItem] = Counter()
        self.checked = 0
        self._passages: Counter[int] = Counter()
        self._characters: Counter[int] = Counter()

    def add_paper(self, paper: PaperEntry) -> None:
        self.papers += 1
        self.paper_statuses[paper.status] += 1
        self.flags.update(dict.fromkeys(paper.flags, 1))
        self.with_hidden_text += bool(paper.hidden)
        self.duplicates += bool(paper.duplicate_of)

    def add_code(self, repository: Repository) -> None:
        self.repositories[repository.status] += 1
        self.checked += bool(repository.checks)
        self.checks_met.update(check.item for check in repository.checks if check.met)

    def add(self, row: Row) -> None:
        self.questions.setdefault(row.question.id, row.question)
        reader, is_derived = row.cell.reader, row.votes is not None or row.final is not None
        self.cells += not is_derived
        if is_derived and reader not in self.readers:
            self.readers = {reader: row.cell.model, **self.readers}
        self.readers.setdefault(reader, row.cell.model)
        self.verdicts.setdefault(reader, {}).setdefault(row.question.id, Counter())[row.cell.verdict.status] += 1
        if not is_derived and (lengths := [len(hit.passage.text) for hit in row.cell.context]):
            self._passages[len(lengths)] += 1
            self._characters[sum(lengths)] += 1

    @property
    def lead(self) -> str:
        """Whose verdicts the report shows first: the final ones, or those of the only reader."""
        return next(iter(self.readers), "")

    @property
    def passages(self) -> int:
        """The median number of passages that a reader was given per cell."""
        return median(self._passages)

    @property
    def characters(self) -> int:
        """The median number of characters of these passages."""
        return median(self._characters)


def median(counts: Counter[int]) -> int:
    """The rounded median of numbers of which only the counts are known; 0 if there are none.

    >>> median(Counter([1, 2, 4, 8]))
    3
    """
    total = counts.total()
    if not total:
        return 0
    lower = upper = seen = 0
    for value in sorted(counts):
        before, seen = seen, seen + counts[value]
        if before <= (total - 1) // 2 < seen:
            lower = value
        if before <= total // 2 < seen:
            upper = value
    return round((lower + upper) / 2)


class ReviewCounts(Struct, frozen=True):
    """Of the papers that figures count: not duplicates, readable, and with deep learning if the questions are about it."""

    papers: int
    cells: int
    reviewed: int
    """Cells that people have annotated; `adjudicated` and `disputed` are some of them."""
    adjudicated: int
    disputed: int
    reviewers: int


class QuestionShare(Struct, frozen=True):
    """The verdicts on one question; `asked` counts the papers that could be read."""

    question: Question
    label: str
    counts: StatusCounts
    reported: int
    asked: int

    @property
    def share(self) -> float | None:
        return self.reported / self.asked if self.asked else None


class FlaggedPapers(Struct, frozen=True):
    """The papers of a part with a flag; `total` counts those of the whole run."""

    flag: str
    meaning: str
    papers: KeyedPapers
    total: int


class RunSummary(Struct, frozen=True):
    """The whole run. Verdicts are those of the lead: the final ones, or those of the only reader."""

    papers: int
    readable: int
    cells: StatusCounts
    asked: int
    questions: tuple[QuestionShare, ...]
    readers: tuple[tuple[str, StatusCounts], ...]
    unread_reasons: tuple[tuple[str, int], ...]
    """Such as ('encrypted', 2)."""
    with_hidden_text: int
    duplicates: int
    passages: int
    characters: int
    repositories: int = 0
    unread_repositories: int = 0
    checks: tuple[tuple[str, int, int], ...] = ()
    """The completeness checklist: an item, how many repositories meet it, and how many were checked."""

    @property
    def reported(self) -> int:
        return dict(self.cells).get(Status.REPORTED, 0)

    @property
    def unread(self) -> int:
        return self.papers - self.readable


class PartSummary(Struct, frozen=True):
    """The papers of one part."""

    readable: int
    questions: tuple[QuestionShare, ...]
    lines: tuple[tuple[PaperEntry, tuple[Status | None, ...]], ...]
    """The lead's verdicts on each paper."""
    unread: KeyedPapers
    with_hidden_text: KeyedPapers
    duplicates: KeyedPapers
    flags: tuple[FlaggedPapers, ...]


def summarise(totals: RunTotals) -> RunSummary:
    verdicts = totals.verdicts.get(totals.lead, {})
    counts = sum(verdicts.values(), Counter[Status]())
    unread = {status_label(status): n for status, n in totals.paper_statuses.most_common() if status is not PaperStatus.OK}
    return RunSummary(
        papers=totals.papers,
        readable=totals.paper_statuses[PaperStatus.OK],
        cells=_status_counts(counts),
        asked=counts.total() - counts[Status.UNREADABLE],
        questions=_shares(totals, verdicts),
        readers=tuple((reader, _status_counts(sum(totals.verdicts[reader].values(), Counter()))) for reader in totals.readers),
        unread_reasons=tuple(unread.items()),
        with_hidden_text=totals.with_hidden_text,
        duplicates=totals.duplicates,
        passages=totals.passages,
        characters=totals.characters,
        repositories=totals.repositories.total(),
        unread_repositories=totals.repositories.total() - totals.repositories[RepositoryStatus.OK],
        checks=tuple((str(item), totals.checks_met[item], totals.checked) for item in CheckItem) if totals.checked else (),
    )


def summarise_part(part: ReportPart, totals: RunTotals) -> PartSummary:
    papers = tuple(zip(part.keys, part.papers, strict=True))
    flags = dict.fromkeys(flag for paper in part.papers for flag in paper.flags)
    unread = tuple((key, paper) for key, paper in papers if paper.status is not PaperStatus.OK)
    return PartSummary(
        readable=len(papers) - len(unread),
        questions=_shares(totals, part.counts(totals.lead, totals.questions)),
        lines=tuple(zip(part.papers, part.statuses(totals.lead, len(totals.questions)), strict=True)),
        unread=unread,
        with_hidden_text=tuple((key, paper) for key, paper in papers if paper.hidden),
        duplicates=tuple((key, paper) for key, paper in papers if paper.duplicate_of),
        flags=tuple(
            FlaggedPapers(
                flag,
                FLAGS.get(flag, ""),
                tuple((key, paper) for key, paper in papers if flag in paper.flags),
                totals.flags[flag],
            )
            for flag in flags
        ),
    )


def _shares(totals: RunTotals, verdicts: Mapping[str, Counter[Status]]) -> tuple[QuestionShare, ...]:
    shares = []
    for label, question in zip(question_labels(totals.questions.values()), totals.questions.values(), strict=True):
        counts = verdicts.get(question.id, Counter())
        asked = counts.total() - counts[Status.UNREADABLE]
        shares.append(QuestionShare(question, label, _status_counts(counts), counts[Status.REPORTED], asked))
    return tuple(shares)


def _status_counts(counts: Counter[Status]) -> StatusCounts:
    return tuple((status, counts[status]) for status in Status if counts[status])
