"""What an export format is: the contract of the built-in formats and of plugins."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from methodlens.records import Row
from methodlens.reports.output_files import atomic_path


class Exported(NamedTuple):
    """How many cells were written, and what the user should know about the file."""

    cells: int
    note: str = ""


class Format(Protocol):
    """Writes the rows of a run to a file, or to a folder if `suffix` is empty. The rows of a paper are consecutive.

    Rows are read as they are needed, so that a format that writes them one by one can export a corpus of any size.
    """

    name: str
    suffix: str
    """Of the file, such as ".csv"."""
    description: str

    def write(self, rows: Iterable[Row], path: Path) -> Exported: ...


class StreamFormat(ABC):
    """A format that can be sent while rows are read: to stdout and to a browser. Subclasses implement `stream`."""

    name: str
    suffix: str
    description: str

    @abstractmethod
    def stream(self, rows: Iterable[Row]) -> Iterator[bytes]: ...

    def write(self, rows: Iterable[Row], path: Path) -> Exported:
        counted = _CountedRows(rows)
        with atomic_path(path) as draft, draft.open("wb") as out:
            out.writelines(self.stream(counted))
        return Exported(counted.count)


class _CountedRows:
    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.count += 1
            yield row
