"""A report of many papers is split into several files: their names, the papers in each, and the links between them.

Each file says in its head which part of which report it is and which papers it holds. Workbooks use this to link to the right
file, and no file is replaced or removed unless it is part of the same report.
"""

import re
from collections.abc import Callable, Iterable
from html import unescape
from pathlib import Path

from msgspec import Struct

from methodlens.errors import OutputError

_META = re.compile(r'<meta name="methodlens-(part|papers)" content="([^"]*)">')
_MOST_LINKS = 12
"""With more parts than this, the bar links to the first, the last and the nearest ones only."""
_NEAREST = 2
_BLOCK = 1 << 16


class PartRange(Struct, frozen=True):
    """A file and its papers, counted from 1 over the whole report."""

    number: int
    file: str
    first: int
    last: int
    first_name: str
    last_name: str
    first_key: str
    last_key: str


class ReportSplit(Struct, frozen=True):
    """One part among all parts of a report. Files that were written together have the same `stamp`."""

    part: PartRange
    parts: tuple[PartRange, ...]
    stamp: str

    @property
    def papers(self) -> int:
        return self.parts[-1].last

    @property
    def report(self) -> str:
        return self.parts[0].file

    @property
    def papers_per_file(self) -> int:
        return self.parts[0].last

    @property
    def linked_parts(self) -> tuple[PartRange, ...]:
        """The parts that the bar at the top links to."""
        if len(self.parts) <= _MOST_LINKS:
            return self.parts
        ends = (1, len(self.parts))
        return tuple(part for part in self.parts if part.number in ends or abs(part.number - self.part.number) <= _NEAREST)

    def neighbour(self, step: int) -> PartRange | None:
        """The part before (-1) or after (1)."""
        index = self.part.number - 1 + step
        return self.parts[index] if 0 <= index < len(self.parts) else None

    def address(self, part: PartRange) -> str:
        """The file of another part, with the stamp that it should have: an interrupted run can leave files of two reports."""
        return f"{part.file}?of={self.stamp}"


def part_ranges(path: Path, parts: Iterable[tuple[int, tuple[str, str], tuple[str, str]]]) -> tuple[PartRange, ...]:
    """From the number of papers of each part, and the name and key of its first and last paper."""
    ranges: list[PartRange] = []
    before = 0
    for number, (papers, first, last) in enumerate(parts, 1):
        names, keys = zip(first, last, strict=True)
        ranges.append(PartRange(number, part_path(path, number).name, before + 1, before + papers, *names, *keys))
        before += papers
    return tuple(ranges)


def part_path(path: Path, number: int) -> Path:
    """
    >>> part_path(Path("out/report.html"), 2).name
    'report-2.html'
    """
    return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


def refuse_to_overwrite(path: Path, parts: int) -> None:
    """Raise an error if a file that is not part of this report has the name of a part."""
    for number in range(2, parts + 1):
        file = part_path(path, number)
        if file.exists() and not _is_part(file, path.name):
            raise OutputError(
                f"{file} exists and is not part of {path.name}, which needs {parts} files", "move it, or choose another --to"
            )


def remove_leftovers(path: Path, parts: int) -> None:
    """Remove parts of an earlier, longer report with the same name."""
    for file in path.parent.glob("*"):
        number = re.fullmatch(rf"{re.escape(path.stem)}-(\d+){re.escape(path.suffix)}", file.name)
        if number and int(number[1]) > parts and _is_part(file, path.name):
            file.unlink(missing_ok=True)


def file_of_paper(path: Path) -> Callable[[str], str]:
    """A function from a paper's key to the name of the report file that shows it; '' if there is none, or no report."""
    if not path.is_file():
        return lambda key: ""
    if "part" not in _metadata(path):
        return lambda key: path.name
    numbers: dict[int, int] = {}  # by the hash of the key, to save memory: there may be millions
    number = 1
    while (file := part_path(path, number)).is_file() and _is_part(file, path.name):
        numbers.update((hash(key), number) for key in _metadata(file).get("papers", "").split())
        number += 1
    return lambda key: part_path(path, numbers[hash(key)]).name if hash(key) in numbers else ""


def _is_part(file: Path, report: str) -> bool:
    return _metadata(file).get("part", "").partition(" of ")[2] == report


def _metadata(file: Path) -> dict[str, str]:
    """The meta elements of a report file, which come before its title."""
    head = b""
    try:
        with file.open("rb") as opened:
            while b"<title>" not in head[-_BLOCK - 16 :] and (block := opened.read(_BLOCK)):
                head += block
                if b"<html" not in head[:512]:
                    break
    except OSError:
        return {}
    text = head.partition(b"<title>")[0].decode("utf-8", "replace")
    return {name: unescape(value) for name, value in _META.findall(text)}
