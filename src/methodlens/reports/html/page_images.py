"""Images of the pages that are quoted, for reports. A paper whose file moved or changed has none."""

import base64
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from methodlens.ledger.store import Run
from methodlens.papers import WorkerPool, locate_all, sha256_of
from methodlens.records import PaperEntry
from methodlens.reports.output_files import atomic_path

SCALE = 1.6
"""Pixels per point: 115 dpi, enough to read small print."""
_FILE_NAME = re.compile(r"([0-9a-f]{16})-([0-9]{1,6})\.png")
_MOST_NAMES = 5


class ReportImage(NamedTuple):
    """`source` is a data: URL or a file next to the report. It is empty if there is no image; `reason` says why."""

    page: int
    source: str
    reason: str = ""
    size: tuple[float, float] = (0.0, 0.0)
    """Of the page, in points."""
    text: tuple[tuple[str, tuple[tuple[int, str], ...]], ...] = ()
    """In place of an image: the sections of a paper without pages, each with its title and its paragraphs by offset."""


class PageIllustrator:
    """Draws pages and remembers which it has drawn, in a few bytes per paper. Images in the folder are not drawn again."""

    def __init__(self, run: Run, folder: Path, pool: WorkerPool, *, workers: int) -> None:
        self._folder, self._pool, self._workers = folder, pool, workers
        self._paths = {name: file.location for name, file in locate_all(run.sources).items()}
        self._shown: dict[str, int] = {}
        """By the start of a paper's hash: its pages, as bits."""
        self._missing = 0
        self._missing_names: list[str] = []

    def images(self, paper: PaperEntry, pages: Sequence[int], *, embed: bool) -> Iterator[ReportImage]:
        """Images of the pages, embedded or as files. Pages of a paper that moved or changed are left out unless drawn before."""
        sources = {} if embed else {page: self._source(paper, page) for page in pages if self._file(paper, page).is_file()}
        images = {page: ReportImage(page, source) for page, source in sources.items()}
        to_draw = [page for page in pages if page not in images]
        if to_draw and (path := self._path(paper)):
            for page, png, reason in draw_pages(path, to_draw, self._pool, workers=self._workers):
                images[page] = ReportImage(page, self._keep(paper, page, png, embed=embed) if png else "", reason)
        elif to_draw:
            self._missing += 1
            self._missing_names += [paper.name] if self._missing <= _MOST_NAMES else []
        if not embed:
            bits = sum(1 << page for page in images)
            self._shown[paper.sha256[:16]] = self._shown.get(paper.sha256[:16], 0) | bits
        yield from (images[page] for page in pages if page in images)

    def _keep(self, paper: PaperEntry, page: int, png: bytes, *, embed: bool) -> str:
        if embed:
            return f"data:image/png;base64,{base64.b64encode(png).decode()}"
        with atomic_path(self._file(paper, page)) as draft:
            draft.write_bytes(png)
        return self._source(paper, page)

    def _file(self, paper: PaperEntry, page: int) -> Path:
        return self._folder / f"{paper.sha256[:16]}-{page}.png"

    def _source(self, paper: PaperEntry, page: int) -> str:
        return f"{self._folder.name}/{self._file(paper, page).name}"

    def _path(self, paper: PaperEntry) -> Path | None:
        """The file of a paper, if it is still there with the same content."""
        path = Path(self._paths.get(paper.name, ""))
        return path if paper.sha256 and paper.name in self._paths and sha256_of(path) == paper.sha256 else None

    @property
    def note(self) -> str:
        if not self._missing:
            return ""
        more = f" and {self._missing - _MOST_NAMES:,} more" if self._missing > _MOST_NAMES else ""
        files = "the file was" if self._missing == 1 else "their files were"
        return f"No page images of {', '.join(self._missing_names)}{more}: {files} moved or changed after the run."

    def remove_unused(self) -> None:
        """Remove images that no file of the report shows any more, and the folder if it is then empty."""
        try:
            for name in os.listdir(self._folder):
                match = _FILE_NAME.fullmatch(name)
                if match and not self._shown.get(match[1], 0) >> int(match[2]) & 1:
                    (self._folder / name).unlink(missing_ok=True)
            self._folder.rmdir()
        except OSError:  # missing, not empty, or not writable: leftovers do no harm
            return


def draw_pages(path: Path, pages: Sequence[int], pool: WorkerPool, *, workers: int) -> Iterator[tuple[int, bytes, str]]:
    """Each page with its PNG, or with the reason why it could not be drawn; `workers` at once, in child processes."""

    def draw(page: int) -> tuple[int, bytes, str]:
        image = pool.render(path, page, scale=SCALE, grey=True)
        return page, image.png, image.reason

    with ThreadPoolExecutor(max(1, workers), thread_name_prefix="page") as threads:
        yield from threads.map(draw, pages)
