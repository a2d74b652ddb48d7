"""New papers in a watched folder: each is taken once its file has stopped changing."""

import os
from pathlib import Path
from typing import NamedTuple

from methodlens.papers import PaperFile, list_files, paper_suffixes
from methodlens.papers.forms.suffixes import MARKDOWN, TEXT

Snapshot = dict[str, tuple[int, int]]
"""Size and modification time of each file."""


class Batch(NamedTuple):
    new: list[PaperFile]
    """Papers to do now."""
    all: list[PaperFile]
    """All papers of the run: new ones and those done before."""


class Arrivals:
    """Scan it at intervals: a file that has not changed since the last scan is complete.

    No other sign works on every system, network share and sync client. Two numbers per paper are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._suffixes = folder, paper_suffixes()
        self._before: Snapshot = {}
        self._done: Snapshot = {}

    def scan(self) -> Batch:
        """Complete files. Those that changed after `mark_done` are new again."""
        papers = [paper for paper in list_files([self._folder], suffixes=self._suffixes) if not self._is_note(paper.name)]
        now = {paper.location: state for paper in papers if (state := _state(paper.location))}
        settled = [paper for paper in papers if paper.location in now and now[paper.location] == self._before.get(paper.location)]
        self._before = now
        self._done = {location: state for location, state in self._done.items() if location in now}
        return Batch([paper for paper in settled if self._done.get(paper.location) != now[paper.location]], settled)

    def _is_note(self, name: str) -> bool:
        """Text that arrives before the first PDF is no sign of a folder of texts."""
        return name.lower().endswith((*MARKDOWN, *TEXT)) and not name.lower().endswith(tuple(self._suffixes))

    def mark_done(self, batch: Batch) -> None:
        self._done |= {paper.location: self._before[paper.location] for paper in batch.new}


def _state(location: str) -> tuple[int, int] | None:
    """None if it is gone."""
    try:
        stat = os.stat(location)
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns
