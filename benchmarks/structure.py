"""How many authors and headings are found in fictional papers in the layouts of many journals.

    python -m benchmarks.structure [--show]

Authors count as right if all of a paper are, in order. Headings are compared by their letters; `--show` lists what is missing
or false. The layouts are ours, so the figures say less about real papers than about which layouts work.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.journal_pages import JournalPaper, write_papers
from methodlens.papers import WorkerPool
from methodlens.records import Paper
from methodlens.settings import PaperLimits, ReadingSettings


class Score(NamedTuple):
    """Of one paper: right and wanted headings, false and found ones."""

    authors_right: bool
    top: tuple[int, int]
    below: tuple[int, int]
    false: tuple[int, int]


def letters(heading: str) -> str:
    return "".join(char for char in heading.casefold() if char.isalpha())


def _found(wanted: Sequence[str], found: Iterable[str]) -> list[str]:
    """The wanted headings that are found; a letter or Roman number may precede them."""
    return [
        title for title in wanted if any(name.endswith(letters(title)) and len(name) < len(letters(title)) + 6 for name in found)
    ]


def _is_same(found: str, wanted: str) -> bool:
    return found.endswith(wanted) and len(found) < len(wanted) + 6


def measure(wanted: JournalPaper, paper: Paper) -> tuple[Score, list[str]]:
    """The score, and what is missing or false."""
    found = {letters(section.title) for section in paper.sections if section.title} - {"abstract"}
    top, below = _found(wanted.top, found), _found(wanted.below, found)
    every = [letters(title) for title in wanted.top + wanted.below]
    false = [name for name in found if not any(_is_same(name, title) for title in every)]
    problems = [f"missing: {title}" for title in wanted.top + wanted.below if title not in top + below]
    problems += [f"false: {name}" for name in false]
    right = paper.authors == wanted.authors
    problems += [] if right else [f"authors: {paper.authors} instead of {wanted.authors}"]
    return Score(right, (len(top), len(wanted.top)), (len(below), len(wanted.below)), (len(false), len(found))), problems


def add_up(scores: Sequence[Score]) -> dict[str, tuple[int, int]]:
    """What is right, and of how many."""

    def total(column: str) -> tuple[int, int]:
        return sum(getattr(score, column)[0] for score in scores), sum(getattr(score, column)[1] for score in scores)

    false, found = total("false")
    return {
        "papers with all authors right": (sum(score.authors_right for score in scores), len(scores)),
        "headings of the first level found": total("top"),
        "deeper headings found": total("below"),
        "found headings that are headings": (found - false, found),
    }


def table(scores: Sequence[Score]) -> Table:
    shown = Table(title=f"{len(scores)} fictional papers")
    for name in ("", "right", "of", "share"):
        shown.add_column(name, justify="right" if name else "left")
    for name, (right, count) in add_up(scores).items():
        shown.add_row(name, str(right), str(count), f"{right / count:.3f}")
    return shown


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--show", action="store_true", help="list what is missing or false")
    args = parser.parse_args()
    console = Console()
    scores: list[Score] = []
    with tempfile.TemporaryDirectory() as folder, WorkerPool(1, PaperLimits(), ReadingSettings(ocr="off")) as pool:
        for wanted in write_papers(Path(folder)):
            score, problems = measure(wanted, pool.parse(wanted.path))
            scores.append(score)
            if args.show and problems:
                console.print(wanted.name, *problems, sep="\n    ", markup=False)
    console.print(table(scores))
    return 0


if __name__ == "__main__":
    sys.exit(main())
