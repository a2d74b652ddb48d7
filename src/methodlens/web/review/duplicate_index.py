"""Which papers of a run are duplicates of earlier ones."""

import threading
from collections.abc import Mapping

from methodlens.ledger import overview, run_rows
from methodlens.ledger.store import Ledger, Run

_MAX_PAPERS = 5000  # looking for duplicates reads the metadata of every paper


class DuplicateIndex:
    """Thread-safe. Looks again when papers are added. Finds none in runs of more than 5,000 papers."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._covered: tuple[str, int] = ("", 0)
        self._originals: dict[str, str] = {}

    def originals(self, run: Run) -> Mapping[str, str]:
        """By the name of a duplicate: the name of the earlier paper."""
        if run.papers > _MAX_PAPERS:
            return {}
        covered = run.id, overview.papers_read(self._ledger, run)
        with self._lock:
            if covered != self._covered:
                entries = (entry for entry, _ in run_rows.entries(self._ledger, run))
                self._originals = {entry.name: entry.duplicate_of for entry in entries if entry.duplicate_of}
                self._covered = covered
            return self._originals
