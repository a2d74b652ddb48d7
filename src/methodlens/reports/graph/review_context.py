"""What the graph states beyond the rows: the run they belong to, and the text around each quote."""

from collections.abc import Callable
from functools import partial

from msgspec import Struct
from sqlalchemy import select

from methodlens.ledger.store import Ledger, Run
from methodlens.ledger.tables import RUNS
from methodlens.records import PaperEntry


class ReviewContext(Struct, frozen=True):
    """Without a run, as for rows that come from no ledger, the graph names none and quotes have no context."""

    run: Run | None = None
    started_at: str = ""
    ended_at: str = ""
    text_of: Callable[[PaperEntry], str] = lambda paper: ""

    @classmethod
    def of_run(cls, ledger: Ledger, run: Run) -> "ReviewContext":
        (times,) = ledger.fetch(select(RUNS.c.started_at, RUNS.c.ended_at).where(RUNS.c.run == run.id))
        return cls(run, times["started_at"] or "", times["ended_at"] or "", partial(_text, ledger, run))


def _text(ledger: Ledger, run: Run, paper: PaperEntry) -> str:
    _, parser = ledger.entries_of(run, [paper.sha256]).get(paper.sha256, (None, ""))
    read = ledger.paper(paper.sha256, parser)
    return read.text if read else ""
