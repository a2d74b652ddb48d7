"""What the threads of a driver share: the lock for writing, whether the run stops, what was spent, and the totals."""

import threading
from collections.abc import Callable

from methodlens.engine.budget import Budget
from methodlens.engine.totals import Totals
from methodlens.records import Verdict

Watch = Callable[[int, int], None]
"""Called with the papers read and the cells done so far."""


def unwatched(_papers: int, _cells: int) -> None:
    """The `Watch` of a run that nobody watches."""


class RunState:
    """Change the totals and `left` only while holding `writing`, the lock for writing to the ledger."""

    def __init__(self, budget: Budget, watch: Watch) -> None:
        self.budget, self._watch = budget, watch
        self.writing = threading.Lock()
        self.finishing = threading.Event()
        """Set when nothing new may be started."""
        self.failure: BaseException | None = None
        self.totals = Totals()
        self.left = 0
        """Cells that were not asked, because the run stops or the budget is spent."""

    @property
    def stopped(self) -> bool:
        """Whether no further call may be made."""
        return self.finishing.is_set() or bool(self.budget.exhausted)

    def fail(self, error: BaseException) -> None:
        """Stop the run; the first error is raised when all threads have ended."""
        self.failure = self.failure or error
        self.finishing.set()

    def count(self, verdict: Verdict, *, known: bool = False) -> None:
        self.totals.add_cell(verdict, known=known)
        self.report()

    def report(self) -> None:
        self.budget.note_asked(self.totals.asked)
        self._watch(self.totals.papers.total(), self.totals.cells.total())
