"""What a run adds up: papers and cells by status, and the reasons why cells failed."""

from collections import Counter

from msgspec import Struct

from methodlens.engine.code_reading import ReadCode
from methodlens.ledger.paper_results import PaperResult
from methodlens.records import PaperStatus, Status, Verdict
from methodlens.records.code import RepositoryStatus

_MAX_REASONS = 100  # different reasons for failed cells that are counted apart


class Summary(Struct, frozen=True):
    """The result of a run. `asked` counts the calls to readers this time, `kept` the cells that were answered before.

    `left` cells were not asked, for the reason in `stopped`; `lost` calls of an earlier start were interrupted by a kill.
    """

    papers: dict[PaperStatus, int]
    cells: dict[Status, int]
    asked: int
    kept: int
    seconds: float
    left: int = 0
    stopped: str = ""
    lost: int = 0
    pending: int = 0
    """Cells in batches that their provider has not answered yet."""
    elsewhere: int = 0
    """Papers that other drivers of the same ledger did meanwhile."""
    failures: dict[str, int] = {}
    """How many cells failed, by reason."""
    code: dict[RepositoryStatus, int] = {}
    """Repositories of the papers, by status."""
    code_kept: int = 0
    """Those that have not changed since they were read."""
    supplements: dict[PaperStatus, int] = {}
    """Supplements of the papers, by status."""


class Totals:
    """Running totals; their size does not depend on the number of papers."""

    def __init__(self) -> None:
        self.papers: Counter[PaperStatus] = Counter()
        self.cells: Counter[Status] = Counter()
        self.failures: Counter[str] = Counter()
        self.code: Counter[RepositoryStatus] = Counter()
        self.asked = self.kept = self.code_kept = 0

    def add(self, result: PaperResult) -> None:
        self.papers[result.entry.status] += 1
        for records, known in ((result.answered, False), (result.known, True)):
            for record in records:
                if record.verdict:
                    self.add_cell(record.verdict, known=known)

    def add_cell(self, verdict: Verdict, *, known: bool) -> None:
        self.cells[verdict.status] += 1
        self.kept += known
        self.asked += not known and verdict.status is not Status.UNREADABLE
        if verdict.status is Status.FAILED:
            too_many = verdict.reason not in self.failures and len(self.failures) >= _MAX_REASONS
            self.failures["other reasons" if too_many else verdict.reason] += 1

    def add_code(self, code: ReadCode | None) -> None:
        if code:
            self.code[code.repository.status] += 1
            self.code_kept += code.known

    def summary(self, *, seconds: float, left: int, stopped: str, lost: int, pending: int, elsewhere: int) -> Summary:
        return Summary(
            dict(self.papers),
            dict(self.cells),
            self.asked,
            self.kept,
            seconds,
            left=left,
            stopped=stopped,
            lost=lost,
            pending=pending,
            elsewhere=elsewhere,
            failures=dict(self.failures),
            code=dict(self.code),
            code_kept=self.code_kept,
        )
