"""The papers and the review that a server may read: only what is in the folders it was given."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from methodlens.errors import InputError
from methodlens.ledger import run_rows
from methodlens.ledger.database import FILE
from methodlens.ledger.store import Ledger, Run
from methodlens.lens import Lens
from methodlens.papers import PaperFile, list_files, paper_suffixes
from methodlens.papers.files import printable_name
from methodlens.papers.remote_files import is_url


class OpenReview(NamedTuple):
    ledger: Ledger
    run: Run


class Library:
    """Papers are named as a run names them, never by path: a client cannot reach other files, not even through a link."""

    def __init__(self, lens: Lens, sources: Sequence[str], *, index: Path, run: str = "") -> None:
        """`sources` are files and folders, by default those of the run; `index` is the folder of the search index."""
        self.lens, self.index, self._run = lens, index, run
        with self.review() as review:
            given = list(sources) or (list(review.run.sources) if review else [])
        if not given:
            raise InputError("there are no papers to serve", "name a folder of papers, or a review with --out")
        if remote := [source for source in given if is_url(source)]:
            raise InputError(f"{printable_name(remote[0])} is a URL", "name folders on this machine")
        self._sources = given
        self._roots = [os.path.realpath(source) for source in given]
        self.files()

    def files(self) -> dict[str, PaperFile]:
        """By name. Listed anew each time, so that new papers are found. Links that lead out of the folders are left out."""
        files = list_files(self._sources, suffixes=paper_suffixes(()))
        return {file.name: file for file in files if self._is_inside(os.path.realpath(file.location))}

    def _is_inside(self, path: str) -> bool:
        return any(path == root or path.startswith(os.path.join(root, "")) for root in self._roots)

    def file(self, name: str) -> PaperFile:
        files = self.files()
        if name not in files:
            raise InputError(f"there is no paper {name[:200]!r}", "list_papers gives the names")
        return files[name]

    @contextmanager
    def review(self) -> Iterator[OpenReview | None]:
        """The run that was asked for, or the latest; None if there is no review yet."""
        settings = self.lens.settings
        if not settings.ledger and not (Path(settings.out) / FILE).is_file():
            yield None
            return
        with self.lens.open_ledger() as ledger:
            yield OpenReview(ledger, run_rows.latest(ledger, self._run)) if self._run or ledger.runs() else None

    @contextmanager
    def existing_review(self) -> Iterator[OpenReview]:
        with self.review() as review:
            if review is None:
                raise InputError("there is no review yet", "use ask_paper, or start the server with --out REVIEW")
            yield review
