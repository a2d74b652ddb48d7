"""A report of many papers is several files: what they are called, which papers each holds, and how one finds the others.

The head of each file says which part of which report it is and which papers it holds, so that links from workbooks go to the
right one, and so that nothing is ever replaced or removed that is not a part of that very report.
"""

import re
from collections.abc import Callable, Iterable
from html import unescape
from pathlib import Path

from msgspec import Struct

from methodlens.errors import OutputError

_META = re.compile(r'<meta name="methodlens-(part|papers)" content="([^"]*)">')
_ALL = 12
"""So many parts are all named in the bar; of more, the first, the last and those around."""
_AROUND = 2
_PIECE = 1 << 16


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
    """One file among the others of its report. `stamp` is the same in files that were written together."""

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
    def largest(self) -> int:
        return self.parts[0].last

    @property
    def near(self) -> tuple[PartRange, ...]:
        """Those that the bar names."""
        here = self.part.number
        ends = (1, len(self.parts))
        few = len(self.parts) <= _ALL
        return tuple(part for part in self.parts if few or part.number in ends or abs(part.number - here) <= _AROUND)

    def beside(self, step: int) -> PartRange | None:
        """The part before (-1) or after (1)."""
        place = self.part.number - 1 + step
        return self.parts[place] if 0 <= place < len(self.parts) else None

    def address(self, part: PartRange) -> str:
        """Of another file, with the stamp that it should have: a kill may leave files of two writings beside each other."""
        return f"{part.file}?of={self.stamp}"


def ranges(path: Path, held: Iterable[tuple[int, tuple[str, str], tuple[str, str]]]) -> tuple[PartRange, ...]:
    """Of how many papers each part holds, and the name and key of its first and of its last."""
    found: list[PartRange] = []
    before = 0
    for number, (papers, first, last) in enumerate(held, 1):
        names, keys = zip(first, last, strict=True)
        found.append(PartRange(number, part_path(path, number).name, before + 1, before + papers, *names, *keys))
        before += papers
    return tuple(found)


def part_path(path: Path, number: int) -> Path:
    """
    >>> part_path(Path("out/report.html"), 2).name
    'report-2.html'
    """
    return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


def refuse_strangers(path: Path, parts: int) -> None:
    """A file of the user's own may have the name of a part: better to stop than to write over it."""
    for number in range(2, parts + 1):
        there = part_path(path, number)
        if there.exists() and not _is_part(there, path.name):
            raise OutputError(
                f"{there} is in the way: it is no part of {path.name}, which needs {parts} files",
                "move it away, or choose another --to",
            )


def remove_leftovers(path: Path, parts: int) -> None:
    """Parts of an earlier, longer report of the same name."""
    for there in path.parent.glob("*"):
        number = re.fullmatch(rf"{re.escape(path.stem)}-(\d+){re.escape(path.suffix)}", there.name)
        if number and int(number[1]) > parts and _is_part(there, path.name):
            there.unlink(missing_ok=True)


def file_of_paper(path: Path) -> Callable[[str], str]:
    """The name of the file of this report that holds a paper, by the paper's key; '' if none does, or there is no report."""
    if not path.is_file():
        return lambda key: ""
    if "part" not in _head(path):
        return lambda key: path.name
    found: dict[int, int] = {}  # by a hash of 64 bits: there may be millions
    number = 1
    while (there := part_path(path, number)).is_file() and _is_part(there, path.name):
        found.update((hash(key), number) for key in _head(there).get("papers", "").split())
        number += 1
    return lambda key: part_path(path, found[hash(key)]).name if hash(key) in found else ""


def _is_part(file: Path, report: str) -> bool:
    return _head(file).get("part", "").partition(" of ")[2] == report


def _head(file: Path) -> dict[str, str]:
    """What a report's file says of itself, before its title."""
    head = b""
    try:
        with file.open("rb") as opened:
            while b"<title>" not in head[-_PIECE - 16 :] and (piece := opened.read(_PIECE)):
                head += piece
                if b"<html" not in head[:512]:
                    break
    except OSError:
        return {}
    text = head.partition(b"<title>")[0].decode("utf-8", "replace")
    return {name: unescape(value) for name, value in _META.findall(text)}
