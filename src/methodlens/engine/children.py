"""Hands on this machine: child processes that do whole papers, so that every core has something to do (decision 15)."""

from types import TracebackType
from typing import Self

from methodlens.engine.messages import Job, encode, ready
from methodlens.engine.plan import Plan
from methodlens.engine.remote import PaperLost
from methodlens.errors import EngineError
from methodlens.papers import pipe
from methodlens.papers.child import Child, Children
from methodlens.readers import EMBEDDED
from methodlens.records import PaperStatus
from methodlens.settings import Settings

_TRIES = 3  # what killed a child may have been another's hunger for memory; three times it is the paper
_PAPERS_PER_CHILD = 1000  # then a fresh one: whatever a library leaks stays bounded
_FROM_PAPERS = 12  # fewer are done sooner in this process than children are started
_TO_START_S = 120.0
_BEYOND_READING_S = 600.0
_CELL_S = 1.0


def worth_it(plan: Plan, settings: Settings) -> bool:
    """Whether children do this plan sooner than this process, and may do it at all.

    They make their readers anew, by name: only the embedded one is light enough to be there once a child. Readers that ask
    someone else are asked by the driver in any case. An embeddings server is too, where its key is.
    """
    light = all(reader.info.remote or reader.info.name == EMBEDDED for reader in plan.readers)
    several = settings.worker_count > 1 and len(plan.papers) >= _FROM_PAPERS
    return several and light and settings.retrieval.embeddings is None


class ChildHands:
    """Hands. A context manager: no child outlives it, nor this process, however it ends."""

    fetch = True  # children hold no credentials

    def __init__(self, job: Job, *, size: int, deadline_s: float | None = None) -> None:
        self.at_once = max(1, size)
        self._job = encode(job)
        self._children = Children("methodlens.engine.worker_main", size, max_requests=_PAPERS_PER_CHILD)
        self._deadline_s = deadline_s or _generous(job)
        self._abandoned = False

    def do(self, task: bytes) -> bytes | None:
        started = False
        with self._children.borrow() as child:
            for _ in range(_TRIES):
                if self._abandoned:
                    return None
                if self._got_ready(child):
                    started = True
                    if parcel := self._asked(child, task):
                        return parcel
                child.kill()
        if self._abandoned:
            return None
        if not started:
            raise EngineError("no child process can be started to do papers", "free some memory, or do without: --workers 1")
        raise PaperLost(PaperStatus.CRASHED, f"its worker died {_TRIES} times; free memory, or read it alone: methodlens show")

    def _got_ready(self, child: Child) -> bool:
        """False: it died before it saw a paper."""
        if not child.fresh:
            return True
        try:
            answer = child.request(self._job, timeout_s=_TO_START_S)
        except (pipe.PipeTimeout, pipe.PipeTooBig):
            return False
        if answer is None:
            return False
        ready(answer)
        return True

    def _asked(self, child: Child, task: bytes) -> bytes | None:
        """None: it died."""
        try:
            return child.request(task, timeout_s=self._deadline_s)
        except pipe.PipeTimeout:
            status, reason = PaperStatus.TIMEOUT, f"its questions took over {self._deadline_s:,.0f} s; please report that"
        except pipe.PipeTooBig:
            status, reason = PaperStatus.TOO_BIG, "it holds more text than a paper can; split it"
        child.kill()
        raise PaperLost(status, reason)

    def abandon(self) -> None:
        self._abandoned = True
        self._children.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._children.close()


def _generous(job: Job) -> float:
    """Reading has limits of its own, all else takes seconds: what is not back by then hangs, and a run would never end."""
    limits, cells = job.settings.papers, len(job.questions) * (len(job.own) + len(job.absent))
    return limits.timeout_s + limits.ocr_timeout_s + _BEYOND_READING_S + _CELL_S * cells
