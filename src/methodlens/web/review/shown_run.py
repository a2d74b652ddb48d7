"""The run that the room shows, with its papers and their files."""

import threading

from cachetools import LRUCache, cachedmethod

from methodlens.errors import InputError
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import PaperFile, locate
from methodlens.records import Paper, PaperEntry, Question
from methodlens.web.review import run_order

_HEX = frozenset("0123456789abcdef")
_CACHED_PAPERS = 16
_CACHED_FILES = 500


class NotInRun(InputError):
    """The run has no such paper, question or page."""


def check_page(run: Run | None, page: int) -> int:
    """How many pages the papers of the run fill. Raises NotInRun if `page`, counted from 1, is none of them."""
    pages = run_order.page_count(run) if run else 1
    if page > pages:
        raise NotInRun(f"there is no page {page}", f"the last page is {pages}")
    return pages


class ShownRun:
    """Thread-safe. `run` is the start of a run's id; empty for always the newest."""

    def __init__(self, ledger: Ledger, *, run: str = "") -> None:
        self.ledger = ledger
        self._run_prefix = run
        self._last_page = 0
        self._cache_lock = threading.Lock()
        self._files: LRUCache[tuple[str, str], PaperFile] = LRUCache(_CACHED_FILES)
        self._papers: LRUCache[tuple[str, str], Paper] = LRUCache(_CACHED_PAPERS)

    def run(self) -> Run | None:
        """The requested run, or the newest; None if there is none yet."""
        return next((run for run in self.ledger.runs() if run.id.startswith(self._run_prefix)), None)

    def follow_newest(self) -> None:
        """Show the newest run from now on, because papers or questions are being added to it."""
        self._run_prefix = ""

    def existing_run(self) -> Run:
        run = self.run()
        if run is None:
            raise NotInRun("there is no run yet", "add papers first")
        return run

    def has_paper(self, name: str) -> bool:
        run = self.run()
        return run is not None and name in self.ledger.names(run)

    def matrix_page_of(self, sha256: str) -> int:
        """The page of the matrix with this paper, counted from 1."""
        run, (entry, _), _ = self.look_up(sha256)
        return self.page_of(run, entry.name) + 1

    def page_of(self, run: Run, name: str) -> int:
        """The page of the run with this paper, counted from 0."""
        guess = min(self._last_page, run_order.page_count(run) - 1)
        self._last_page = run_order.page_of(self.ledger, run, name, guess=guess)
        return self._last_page

    def paper_name(self, sha256: str) -> str:
        _, (entry, _), _ = self.look_up(sha256)
        return entry.name

    def paper(self, sha256: str) -> Paper:
        """As the run's parser read it."""
        _, (entry, parser), _ = self.look_up(sha256)
        return self.read_paper(entry, parser)

    @cachedmethod(
        lambda self: self._papers,
        key=lambda _self, entry, parser: (entry.sha256, parser),
        lock=lambda self: self._cache_lock,
    )
    def read_paper(self, entry: PaperEntry, parser: str) -> Paper:
        return self.ledger.paper(entry.sha256, parser) or Paper(entry.sha256, parser, entry.status, entry.reason)

    def file(self, sha256: str) -> PaperFile | None:
        run, (entry, _), _ = self.look_up(sha256)
        key = (run.id, entry.name)
        with self._cache_lock:
            file = self._files.get(key)
        if file is None and (file := locate(run.sources, entry.name)):  # a missing file may come back: not cached
            with self._cache_lock:
                self._files[key] = file
        return file

    def look_up(self, sha256: str, question_id: str | None = None) -> tuple[Run, tuple[PaperEntry, str], Question]:
        run = self.existing_run()
        # PostgreSQL rejects some characters, so only what can be a checksum is queried
        paper = self.ledger.entries_of(run, [sha256]).get(sha256) if _HEX.issuperset(sha256) else None
        if paper is None:
            raise NotInRun("there is no such paper in this run", "go back to the matrix")
        question = next((question for question in run.questions if question_id in (None, question.id)), None)
        if question is None:
            raise NotInRun("there is no such question in this run", "go back to the matrix")
        return run, paper, question
