"""Pages as pictures, and what stands where on them. Both are asked for again and again, so both are kept for a while."""

import threading
from collections import OrderedDict
from collections.abc import Iterable

from msgspec import Struct

from methodlens.errors import InputError
from methodlens.papers import PaperFile, WorkerPool, sha256_of
from methodlens.records import Box, Evidence, Match, Page, Paper
from methodlens.text import places, sentences

SCALE = 2.0  # pixels a point: sharp on a laptop, about 200 kB a page
_MOST_BYTES = 96 << 20
_MOST_CHECKED = 1000


class PageGone(InputError):
    """The PDF is not where it was, or the page cannot be drawn."""


class Pictures:
    """PNGs by paper and page, the last ones used kept in memory. Safe to use from several threads."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()
        self._checked: OrderedDict[str, str] = OrderedDict()

    def page(self, sha256: str, number: int, file: PaperFile | None) -> bytes:
        key = (sha256, number)
        with self._lock:
            if found := self._kept.get(key):
                self._kept.move_to_end(key)
                return found
        picture = self._draw(sha256, number, file)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = picture
                self._size += len(picture)
            while self._size > _MOST_BYTES and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped)
        return picture

    def _draw(self, sha256: str, number: int, file: PaperFile | None) -> bytes:
        if file is None or not file.path.is_file():
            raise PageGone("the PDF is no longer where the run found it", "put it back, or run again")
        if self._checked.get(str(file.path)) != sha256:
            if sha256_of(file.path) != sha256:
                raise PageGone(f"{file.name} has changed since the run", "run again, so that text and pages fit")
            self._checked[str(file.path)] = sha256
            while len(self._checked) > _MOST_CHECKED:
                self._checked.popitem(last=False)
        picture = self._pool.render(file.path, number, scale=SCALE)
        if not picture.png:
            raise PageGone(f"page {number} of {file.name} cannot be drawn", picture.reason)
        return picture.png


class Sentence(Struct, frozen=True):
    """A sentence that can be picked, with its boxes on one page."""

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
    """The sentences that stand on a page, or begin or end there."""
    page = page_of(paper, number)
    lines = [line for line in paper.lines if line.page == number]
    found: list[Sentence] = []
    if lines:
        first, last = min(line.start for line in lines), max(line.end for line in lines)
        # a sentence may have begun on the page before: look back as far as sentences go
        begin = paper.text.rfind("\n", 0, first) + 1
        end = paper.text.find("\n", last)
        for start, stop in sentences(paper.text, begin, len(paper.text) if end < 0 else end):
            boxes = tuple(box for place in places(paper, start, stop) if place.page == number for box in place.boxes)
            if boxes:
                found.append(Sentence(start, stop, " ".join(paper.text[start:stop].split()), boxes))
    return PageText(number, len(paper.pages), page.width, page.height, tuple(found))


def picked(paper: Paper, spans: Iterable[tuple[int, int]]) -> tuple[Evidence, ...]:
    """Sentences that a person clicked, as evidence; each must be a span of the paper's text."""
    found = []
    for start, end in spans:
        text = " ".join(paper.text[start:end].split()) if 0 <= start < end <= len(paper.text) else ""
        if not text:
            raise InputError("a picked sentence is not in the paper", "reload the page and pick it again")
        found.append(Evidence(text, Match.EXACT, start, end, places(paper, start, end)))
    return tuple(found)


def page_of(paper: Paper, number: int) -> Page:
    for page in paper.pages:
        if page.number == number:
            return page
    raise PageGone(f"there is no page {number}", f"the paper has {len(paper.pages)} pages")
