"""Where papers are done: in this process, in child processes, or on a Ray cluster."""

import threading
from typing import Protocol

from methodlens.engine.execute import Stages, Task, execute
from methodlens.errors import ReaderAbandoned
from methodlens.ledger.paper_results import PaperResult
from methodlens.records import PaperStatus


class PaperLost(Exception):
    """The worker of a paper died or hung, after several attempts. The message is for users."""

    def __init__(self, status: PaperStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Engine(Protocol):
    """Executes tasks, called from `at_once` threads: no more are ever in progress, so memory does not grow with the corpus.

    Cells whose reader only the driver can ask are returned as due. Whatever a paper does to its worker becomes the paper's
    status (or PaperLost); any other exception means that no paper can be done.
    """

    at_once: int
    local_files: bool
    """Whether the driver downloads papers by URL; otherwise workers do, with the credentials of their machine."""

    def execute(self, task: Task) -> PaperResult | None:
        """None after `abandon`."""
        ...

    def abandon(self) -> None:
        """Stop waiting for tasks in progress, if that is possible. May be called twice."""
        ...


class LocalEngine:
    """In this process, for few papers and for parts that only this process has. PDFs are parsed in children (`papers.pool`)."""

    local_files = True

    def __init__(self, stages: Stages, *, at_once: int) -> None:
        self._stages = stages
        self._abandoned = threading.Event()
        self.at_once = at_once

    def execute(self, task: Task) -> PaperResult | None:
        try:
            return execute(task, self._stages, abandoned=self._abandoned.is_set)
        except ReaderAbandoned:
            return None

    def abandon(self) -> None:
        """Threads cannot be stopped; they end with their current cell."""
        self._abandoned.set()
