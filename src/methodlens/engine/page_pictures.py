"""Pictures of the pages of papers whose files this process has, for readers that see."""

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from cachetools import LRUCache

from methodlens.papers import PaperFile, WorkerPool, sha256_of
from methodlens.papers.remote_files import is_url
from methodlens.records import Box, Paper

_SCALE = 2.5  # pixels per point: small print stays legible
_LONGEST_SIDE = 1568  # pixels; providers shrink larger pictures
_MAX_COLOUR_BYTES = 3_000_000  # above this, a picture is sent in grey, which takes at most 1.3 MB
_CACHED_BYTES = 64 << 20
_KNOWN_FILES = 1000  # far more papers than are asked about at once


class PaperPictures:
    """A `seams.PagePictures`. The process that renders pages is started at the first picture. Thread-safe."""

    def __init__(self, open_pool: Callable[[], WorkerPool]) -> None:
        self._open_pool = open_pool
        self._pool: WorkerPool | None = None
        self._files: LRUCache[str, Path] = LRUCache(_KNOWN_FILES)
        self._lock = threading.Lock()
        self._cache: LRUCache[tuple[str, int, Box], bytes] = LRUCache(_CACHED_BYTES, getsizeof=len)

    def add(self, paper_sha256: str, location: str) -> None:
        """A paper's file. One with a URL gives no pictures: its copy on disk is deleted once it is parsed."""
        if paper_sha256 and location and not is_url(location):
            with self._lock:
                self._files[paper_sha256] = Path(location)

    def seen(self, papers: Iterable[tuple[PaperFile, Paper]]) -> Iterator[tuple[PaperFile, Paper]]:
        """The same papers, whose pages can then be shown."""
        for file, paper in papers:
            self.add(paper.sha256, file.location)
            yield file, paper

    def picture(self, paper_sha256: str, page: int, box: Box) -> bytes:
        key = (paper_sha256, page, box)
        with self._lock:
            path = self._files.get(paper_sha256)
            if path is None:
                return b""
            if key not in self._cache:
                png = self._render(path, page, box) if path.is_file() and sha256_of(path) == paper_sha256 else b""
                if not png:  # the file may come back
                    return b""
                self._cache[key] = png
            return self._cache[key]

    def _render(self, path: Path, page: int, box: Box) -> bytes:
        self._pool = self._pool or self._open_pool()
        longest = max(box[2] - box[0], box[3] - box[1], 1.0)
        scale = min(_SCALE, _LONGEST_SIDE / longest)
        png = self._pool.render(path, page, scale=scale, clip=box).png
        return png if len(png) <= _MAX_COLOUR_BYTES else self._pool.render(path, page, scale=scale, clip=box, grey=True).png

    def close(self) -> None:
        """Stop the process that renders pages. A later picture starts another."""
        with self._lock:
            if self._pool:
                self._pool.close()
                self._pool = None
