"""What an export format is: the contract of the built-in formats and of plugins."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from methodlens.ledger.store import Ledger, Run
from methodlens.records import Row
from methodlens.reports.output_files import atomic_path
from methodlens.settings import Settings

Item = TypeVar("Item")


class Exported(NamedTuple):
    """How many cells were written, and what the user should know about the file."""

    cells: int
    note: str = ""
    lines: str = ""
    """What the file's lines are, if there is not one per cell: "124 facts"."""


class Format(Protocol):
    """Writes the rows of a run to a file, or to a folder if `suffix` is empty. The rows of a paper are consecutive.

    Rows are read as they are needed, so that a format that writes them one by one can export a corpus of any size.
    """

    name: str
    suffix: str
    """Of the file, such as ".csv"."""
    description: str

    def write(self, rows: Iterable[Row], path: Path) -> Exported: ...


@runtime_checkable
class RunFormat(Format, Protocol):
    """A format that needs more than the rows, such as the files of the papers, or their text."""

    def for_run(self, run: Run, ledger: Ledger, settings: Settings) -> Format:
        """The format that writes this run."""
        ...


class StreamFormat(ABC):
    """A format that can be sent while rows are read: to stdout and to a browser. Subclasses implement `stream`."""

    name: str
    suffix: str
    description: str

    @abstractmethod
    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]: ...

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        counted = Counted(rows)
        with atomic_path(path) as draft, draft.open("wb") as out:
            out.writelines(self.stream(counted))
        return Exported(counted.count)


class Counted(Generic[Item]):
    """Counts items as they are read."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items, self.count = items, 0

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            self.count += 1
            yield item
