"""The engine with child processes, each of which does whole papers, so that every core is busy."""

from types import TracebackType
from typing import Self

from methodlens.confined import pipe
from methodlens.confined.child import Child, Children
from methodlens.confined.limited_worker import WALL_FACTOR
from methodlens.engine.engines import PaperLost
from methodlens.engine.execute import Task
from methodlens.engine.messages import Job, decode_reply, decode_result, encode, encode_task
from methodlens.errors import EngineError
from methodlens.ledger.paper_results import PaperResult
from methodlens.records import PaperStatus
from methodlens.settings import Settings

_ATTEMPTS = 3  # another process may have used up the memory; after three deaths, the paper is the cause
_PAPERS_PER_CHILD = 1000  # then it is replaced, so that leaks stay bounded
_MIN_PAPERS = 12  # with fewer, starting children takes longer than it saves
_START_S = 120.0
_MARGIN_S = 600.0
_CELL_S = 1.0


def should_use_children(papers: int, settings: Settings) -> bool:
    """Whether children are possible and faster. An embeddings server is asked from this process, which has its key."""
    return settings.worker_count > 1 and papers >= _MIN_PAPERS and settings.retrieval.embeddings is None


class ChildEngine:
    """An Engine and a context manager. No child outlives it or this process, however it ends."""

    local_files = True  # children hold no credentials

    def __init__(self, job: Job, *, size: int, deadline_s: float | None = None) -> None:
        self.at_once = max(1, size)
        self._job = encode(job)
        self._children = Children("methodlens.engine.worker", size, max_requests=_PAPERS_PER_CHILD)
        self._deadline_s = deadline_s or _deadline_of(job)
        self._abandoned = False

    def execute(self, task: Task) -> PaperResult | None:
        started, message = False, encode_task(task)
        with self._children.borrow() as child:
            for _ in range(_ATTEMPTS):
                if self._abandoned:
                    return None
                if self._prepare(child):
                    started = True
                    if reply := self._request(child, message):
                        return decode_result(reply)
                child.kill()
        if self._abandoned:
            return None
        if not started:
            raise EngineError("no child process can be started", "free some memory, or use --workers 1")
        raise PaperLost(PaperStatus.CRASHED, f"its worker died {_ATTEMPTS} times; free memory, or read it alone: methodlens show")

    def _prepare(self, child: Child) -> bool:
        """False if the child died before it saw a paper."""
        if not child.fresh:
            return True
        try:
            reply = child.request(self._job, timeout_s=_START_S)
        except (pipe.PipeTimeout, pipe.PipeTooBig):
            return False
        if reply is not None:
            decode_reply(reply)
        return reply is not None

    def _request(self, child: Child, message: bytes) -> bytes | None:
        """None if the child died."""
        try:
            return child.request(message, timeout_s=self._deadline_s)
        except pipe.PipeTimeout:
            status, reason = PaperStatus.TIMEOUT, f"its questions took over {self._deadline_s:,.0f} s; please report this"
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


def _deadline_of(job: Job) -> float:
    """Parsing has its own timeouts and the rest takes seconds, so a child that takes longer hangs."""
    limits, cells = job.settings.papers, len(job.questions) * (len(job.readers) + len(job.deferred))
    return WALL_FACTOR * (limits.timeout_s + limits.ocr_timeout_s) + _MARGIN_S + _CELL_S * cells
