"""Papers that come into a folder while it is watched: each is taken when its file has stopped changing."""

import os
from pathlib import Path
from typing import NamedTuple

from methodlens.papers import PaperFile, list_files, paper_suffixes

Look = dict[str, tuple[int, int]]
"""Size and time of change of each file."""


class Batch(NamedTuple):
    new: list[PaperFile]
    """To be done now."""
    all: list[PaperFile]
    """... and what was done before: together they are the run's papers."""


class Arrivals:
    """Look now and then. A file that is as it was at the look before has arrived: nobody is writing it any more.

    There is no other sign that every system, network share and sync client gives. Two numbers a paper are remembered.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._suffixes = folder, paper_suffixes()
        self._before: Look = {}
        self._done: Look = {}

    def look(self) -> Batch:
        """What has arrived since it was last `taken`; files that changed after that are new again."""
        papers = list_files([self._folder], suffixes=self._suffixes)
        now = {paper.location: seen for paper in papers if (seen := _seen(paper.location))}
        settled = [paper for paper in papers if paper.location in now and now[paper.location] == self._before.get(paper.location)]
        self._before = now
        self._done = {location: seen for location, seen in self._done.items() if location in now}
        return Batch([paper for paper in settled if self._done.get(paper.location) != now[paper.location]], settled)

    def taken(self, batch: Batch) -> None:
        self._done |= {paper.location: self._before[paper.location] for paper in batch.new}


def _seen(location: str) -> tuple[int, int] | None:
    """None: it is gone again."""
    try:
        found = os.stat(location)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
