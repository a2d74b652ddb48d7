"""Pictures of the pages that quotes stand on, for reports that show them. A paper that has moved since has none."""

import base64
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from methodlens.ledger.ledger import Run
from methodlens.papers import WorkerPool, locate_all, sha256_of
from methodlens.records import PaperEntry
from methodlens.reports.output_files import atomic_path

SCALE = 1.6
"""Pixels a point: 115 dpi, at which small print can still be read."""
_NAME = re.compile(r"([0-9a-f]{16})-([0-9]{1,6})\.png")
_LOST_NAMED = 5


class PageWanted(NamedTuple):
    path: Path
    sha256: str
    page: int


class PagePicture(NamedTuple):
    """`png` is empty when the page could not be drawn, and `reason` says why."""

    wanted: PageWanted
    png: bytes
    reason: str = ""


class ShownPage(NamedTuple):
    """Where the picture of a page is, or why there is none."""

    page: int
    source: str
    reason: str = ""


class PictureStore:
    """Inside the report, as data in its addresses; or in a folder beside it, where what stands is not drawn again."""

    def __init__(self, folder: Path, *, inside: bool) -> None:
        self._folder, self._inside = folder, inside

    def source(self, sha256: str, page: int) -> str:
        """The address of a picture that stands already, or ''."""
        name = _name(sha256, page)
        return f"{self._folder.name}/{name}" if not self._inside and (self._folder / name).is_file() else ""

    def keep(self, picture: PagePicture) -> str:
        """Its address; '' when it could not be drawn."""
        if not picture.png:
            return ""
        if self._inside:
            return f"data:image/png;base64,{base64.b64encode(picture.png).decode()}"
        sha256, page = picture.wanted.sha256, picture.wanted.page
        with atomic_path(self._folder / _name(sha256, page)) as draft:
            draft.write_bytes(picture.png)
        return self.source(sha256, page)


class Illustrator:
    """Draws what a report shows, paper by paper, and remembers what it shows: a few bytes a paper, there may be many."""

    def __init__(self, run: Run, folder: Path, pool: WorkerPool, *, workers: int) -> None:
        self._folder, self._pool, self._workers = folder, pool, workers
        self._paths = {name: file.location for name, file in locate_all(run.sources).items()}
        self._shown: dict[str, int] = {}
        """By the beginning of a paper's hash: its pages, as bits."""
        self.lost = 0
        self._lost_names: list[str] = []

    def pages(self, paper: PaperEntry, pages: Sequence[int], *, inside: bool) -> Iterator[ShownPage]:
        """Nothing of a paper that is not what was read, except what was drawn of it before."""
        store = PictureStore(self._folder, inside=inside)
        found = {page: ShownPage(page, source) for page in pages if (source := store.source(paper.sha256, page))}
        missing = [page for page in pages if page not in found]
        if missing and (path := self._path(paper)):
            wanted = [PageWanted(path, paper.sha256, page) for page in missing]
            for picture in pictures(wanted, self._pool, workers=self._workers):
                page = picture.wanted.page
                found[page] = ShownPage(page, store.keep(picture), picture.reason)
        elif missing:
            self.lost += 1
            self._lost_names += [paper.name] if self.lost <= _LOST_NAMED else []
        if not inside:
            bits = sum(1 << page for page in found)
            self._shown[paper.sha256[:16]] = self._shown.get(paper.sha256[:16], 0) | bits
        yield from (found[page] for page in pages if page in found)

    def _path(self, paper: PaperEntry) -> Path | None:
        """Where it is, if it is still what was read: there, and the same bytes."""
        path = Path(self._paths.get(paper.name, ""))
        return path if paper.sha256 and paper.name in self._paths and sha256_of(path) == paper.sha256 else None

    @property
    def note(self) -> str:
        if not self.lost:
            return ""
        names = ", ".join(self._lost_names) + (f" and {self.lost - _LOST_NAMED:,} more" if self.lost > _LOST_NAMED else "")
        return (
            f"No page pictures of {names}: no longer where {'it was' if self.lost == 1 else 'they were'} read, or changed since."
        )

    def tidy(self) -> None:
        """Pictures that no file of the report shows any more go; whatever else lies there stays."""
        try:
            for name in os.listdir(self._folder):
                ours = _NAME.fullmatch(name)
                if ours and not self._shown.get(ours[1], 0) >> int(ours[2]) & 1:
                    (self._folder / name).unlink(missing_ok=True)
            self._folder.rmdir()  # which works when nothing is left
        except OSError:  # not there, not empty, not ours to change: what is left over does no harm
            return


def _name(sha256: str, page: int) -> str:
    return f"{sha256[:16]}-{page}.png"


def pictures(wanted: Sequence[PageWanted], pool: WorkerPool, *, workers: int) -> Iterator[PagePicture]:
    """Each page, in the order asked for; drawn in child processes, `workers` at once."""

    def draw(page: PageWanted) -> PagePicture:
        drawn = pool.render(page.path, page.page, scale=SCALE, grey=True)
        return PagePicture(page, drawn.png, drawn.reason)

    with ThreadPoolExecutor(max(1, workers), thread_name_prefix="page") as threads:
        yield from threads.map(draw, wanted)
