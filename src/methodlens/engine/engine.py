"""Where the work of a paper is done: on this machine, or on others. The driver, which alone writes, is always here."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from methodlens.engine.execute import Memory, Stages, Step, work
from methodlens.engine.messages import Parcel
from methodlens.papers import PaperFile


class PaperDone(NamedTuple):
    """A paper and all its cells that need nobody else, packed by the worker that did it: kept in one step."""

    parcel: Parcel


class Engine(Protocol):
    """Does one paper: its text, then its cells, each once. What the ledger knows is not done again.

    Asked from many threads, `at_once` of them: that is all that is ever under way, so nothing grows with the corpus. A cell
    whose reader asks someone else comes back as a CellDue: its call is booked and made here, by the driver's crew. Whatever
    a paper does to its machine becomes the paper's status; an exception means that no paper can be done.
    """

    at_once: int

    def work(self, file: PaperFile) -> Iterator[Step | PaperDone]: ...

    def abandon(self) -> None:
        """Nobody waits any more: let go of what is under way, if that can be done. It may be called twice."""
        ...


class LocalEngine:
    """In this process, for a few papers and for readers that must be here; PDFs are read in its children (papers.pool)."""

    def __init__(self, stages: Stages, memory: Memory, *, at_once: int) -> None:
        self._stages, self._memory = stages, memory
        self.at_once = at_once

    def work(self, file: PaperFile) -> Iterator[Step]:
        return work(file, self._stages, self._memory)

    def abandon(self) -> None:
        """Threads cannot be stopped; they end with the step they are at."""
