"""A page of a paper: its image, and the sentences on it that a reviewer can pick as evidence."""

import threading
from collections.abc import Iterable
from pathlib import Path

from cachetools import LRUCache, cachedmethod
from msgspec import Struct

from methodlens.errors import InputError
from methodlens.papers import PaperFile, WorkerPool, sha256_of
from methodlens.records import Box, Evidence, Page, Paper
from methodlens.text import evidence_at, places, quotable, quote

_SCALE = 2.0  # pixels per point: sharp on a laptop, about 200 kB per page
_CACHED_BYTES = 96 << 20
_CACHED_CHECKS = 1000


class PageUnavailable(InputError):
    """The PDF was moved or changed, or the page cannot be rendered."""


class PageRenderer:
    """Renders pages as PNG and caches them. Thread-safe."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._images: LRUCache[tuple[str, int], bytes] = LRUCache(_CACHED_BYTES, getsizeof=len)
        self._verified: LRUCache[tuple[Path, str], None] = LRUCache(_CACHED_CHECKS)

    @cachedmethod(
        lambda self: self._images, key=lambda _self, sha256, number, _file: (sha256, number), lock=lambda self: self._lock
    )
    def png(self, sha256: str, number: int, file: PaperFile | None) -> bytes:
        if file is None or not file.path.is_file():
            raise PageUnavailable("the PDF is no longer where the run found it", "put it back, or run again")
        self._verify(file, sha256)
        image = self._pool.render(file.path, number, scale=_SCALE)
        if not image.png:
            raise PageUnavailable(f"page {number} of {file.name} cannot be rendered", image.reason)
        return image.png

    @cachedmethod(lambda self: self._verified, key=lambda _self, file, sha256: (file.path, sha256), lock=lambda self: self._lock)
    def _verify(self, file: PaperFile, sha256: str) -> None:
        if sha256_of(file.path) != sha256:
            raise PageUnavailable(f"{file.name} has changed since the run", "run again, so that text and pages match")


class Sentence(Struct, frozen=True):
    """A sentence that can be picked as evidence, with its boxes on one page."""

    start: int
    end: int
    text: str
    boxes: tuple[Box, ...]


class PageText(Struct, frozen=True):
    page: int
    pages: int
    width: float
    height: float
    sentences: tuple[Sentence, ...]


def page_text(paper: Paper, number: int) -> PageText:
    """All sentences of which at least a part is on the page."""
    page = page_of(paper, number)
    lines = [line for line in paper.lines if line.page == number]
    on_page: list[Sentence] = []
    if lines:
        first, last = min(line.start for line in lines), max(line.end for line in lines)
        # a sentence may begin on the previous page: start at the beginning of its paragraph
        begin = paper.text.rfind("\n", 0, first) + 1
        end = paper.text.find("\n", last)
        for start, stop, text in quotable(paper, begin, len(paper.text) if end < 0 else end):
            boxes = tuple(box for place in places(paper, start, stop) if place.page == number for box in place.boxes)
            if boxes:
                on_page.append(Sentence(start, stop, " ".join(text.split()), boxes))
    return PageText(number, len(paper.pages), page.width, page.height, tuple(on_page))


def picked_evidence(paper: Paper, spans: Iterable[tuple[int, int]]) -> tuple[Evidence, ...]:
    """The sentences that a reviewer picked, given as spans of the paper's text."""
    evidence = []
    for start, end in spans:
        text = " ".join(quote(paper, start, end).split()) if 0 <= start < end <= len(paper.text) else ""
        if not text:
            raise InputError("a picked sentence is not in the paper", "reload the page and pick it again")
        evidence.append(evidence_at(paper, start, end, text))
    return tuple(evidence)


def page_of(paper: Paper, number: int) -> Page:
    for page in paper.pages:
        if page.number == number:
            return page
    raise PageUnavailable(f"there is no page {number}", f"the paper has {len(paper.pages)} pages")
