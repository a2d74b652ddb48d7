"""Pictures of the pages that quotes stand on, for reports that show them. A paper that has moved since has none."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from methodlens.papers import WorkerPool, sha256_of
from methodlens.records import PaperEntry
from methodlens.reports.files import replacing
from methodlens.runs.ledger import Run
from methodlens.runs.sources import files_of

SCALE = 1.6
"""Pixels a point: 115 dpi, at which small print can still be read."""


class PageWanted(NamedTuple):
    path: Path
    sha256: str
    page: int


class PagePicture(NamedTuple):
    """`png` is empty when the page could not be drawn, and `reason` says why."""

    wanted: PageWanted
    png: bytes
    reason: str = ""


class PictureStore:
    """Inside the report, as data in its addresses; or in a folder beside it, where what stands is not drawn again."""

    def __init__(self, folder: Path, *, inside: bool) -> None:
        self._folder, self._inside = folder, inside

    def source(self, page: PageWanted) -> str:
        """The address of a picture that stands already, or ''."""
        name = self._name(page)
        return f"{self._folder.name}/{name}" if not self._inside and (self._folder / name).is_file() else ""

    def keep(self, picture: PagePicture) -> str:
        """Its address; '' when it could not be drawn."""
        if not picture.png:
            return ""
        if self._inside:
            return f"data:image/png;base64,{base64.b64encode(picture.png).decode()}"
        with replacing(self._folder / self._name(picture.wanted)) as draft:
            draft.write_bytes(picture.png)
        return self.source(picture.wanted)

    @staticmethod
    def _name(page: PageWanted) -> str:
        return f"{page.sha256[:16]}-{page.page}.png"


def where_papers_are(run: Run, entries: Iterable[PaperEntry]) -> dict[str, Path]:
    """The files of a run by name, as far as they are still what was read: there, and the same bytes."""
    found = {name: file.path for name, file in files_of(run).items()}
    return {entry.name: found[entry.name] for entry in entries if entry.name in found and _same(found[entry.name], entry)}


def _same(path: Path, entry: PaperEntry) -> bool:
    return bool(entry.sha256) and sha256_of(path) == entry.sha256


def pictures(wanted: Sequence[PageWanted], pool: WorkerPool, *, workers: int) -> Iterator[PagePicture]:
    """Each page, in the order asked for; drawn in child processes, `workers` at once."""

    def draw(page: PageWanted) -> PagePicture:
        drawn = pool.picture(page.path, page.page, scale=SCALE, grey=True)
        return PagePicture(page, drawn.png, drawn.reason)

    with ThreadPoolExecutor(max(1, workers), thread_name_prefix="page") as threads:
        yield from threads.map(draw, wanted)
