"""A report is put together: papers are spooled to disk as they come, and when all of them are known, its files are made.

Every file is finished before the first takes its name; the last part is replaced first and `report.html`, which names the
others, last. A kill in between leaves whole files, and a file that is reached from one of another report_writer says so.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from methodlens.records import Row
from methodlens.reports.html.part_builder import PartBuilder
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_split import ReportSplit, part_path, ranges, refuse_strangers, remove_leftovers
from methodlens.reports.html.report_template import ReportDetails, ReportPage, render_part, safe_json
from methodlens.reports.html.run_totals import RunTotals
from methodlens.reports.html.script_data import overview
from methodlens.reports.output_files import atomic_path, output_errors, scratch_folder
from methodlens.text.printable import encodable, one_line

Draw = Callable[[ReportPart], Iterable[ReportPage]]
"""The pictures of a part's pages, those of one paper one after the other."""


class _Spooled(NamedTuple):
    """A part on disk: its papers' cells and pages as they will stand in its file, and the rest of what it knows."""

    blocks: Path
    part: Path
    beside: bool
    papers: int
    ends: tuple[tuple[str, str], tuple[str, str]]
    """Name and key of its first paper, and of its last."""


class ReportWriter:
    def __init__(self, path: Path, folder: Path, papers_per_file: int, draw: Draw) -> None:
        self._path, self._folder, self._most, self._draw = path, folder, papers_per_file, draw
        self._corpus = PartBuilder(lambda key, cells: self._block(f"paper-{key}", cells))
        self._done: list[_Spooled] = []
        self._spool: IO[bytes] | None = None
        self._stamp = hashlib.sha256()

    @property
    def figures(self) -> RunTotals:
        return self._corpus.figures

    def add(self, row: Row) -> None:
        """Rows of one paper come one after the other."""
        if len(self._corpus.part.papers) >= self._most and self._corpus.is_new(row.paper):
            self._close()
        self._corpus.add(row)

    def end(self) -> None:
        """There are no more rows: the last part is closed, and its pages are drawn. A report without papers has one part too."""
        if self._corpus.part.papers or not self._done:
            self._close()

    def _close(self) -> None:
        part = self._corpus.take_part()
        beside = self._keep_pages(self._draw(part))
        with output_errors(self._path):
            spool, self._spool = self._open(), None
            spool.close()
            kept = self._folder / f"{len(self._done) + 1}.part"
            kept.write_bytes(_encoded(part))
        known = [(paper.name, key) for paper, key in zip(part.papers, part.keys, strict=True)] or [("", "")]
        self._done.append(_Spooled(Path(spool.name), kept, beside, len(part.papers), (known[0], known[-1])))

    def _keep_pages(self, pages: Iterable[ReportPage]) -> bool:
        """Whether some of them are files beside the report."""
        beside = False
        for key, of_paper in groupby(pages, key=lambda page: page.paper_key):
            known: dict[str, Any] = {}
            for page in of_paper:
                beside |= bool(page.source) and not page.source.startswith("data:")
                known[str(page.page)] = {"size": page.size, "source": page.source, "reason": one_line(page.reason)}
            self._block(f"pages-{key}", known)
        return beside

    def _block(self, id: str, value: object) -> None:
        written = _block(id, value)
        self._stamp.update(written)
        with output_errors(self._path):
            self._open().write(written)

    def _open(self) -> IO[bytes]:
        if self._spool is None:
            self._spool = (self._folder / f"{len(self._done) + 1}.blocks").open("wb")
        return self._spool

    def close(self) -> None:
        if self._spool:
            self._spool.close()

    def finish(self, report: ReportDetails) -> tuple[Path, ...]:
        """The files of the report, the first first."""
        refuse_strangers(self._path, len(self._done))
        files = tuple(part_path(self._path, number) for number in range(1, len(self._done) + 1))
        with ExitStack() as drafts:  # left in reverse: the first file takes its name when all others have theirs
            for file, spooled, split in zip(files, self._done, self._splits(), strict=True):
                self._write(drafts.enter_context(atomic_path(file)), spooled, report, split)
        with output_errors(self._path):
            remove_leftovers(self._path, len(files))
        return files

    def _splits(self) -> Iterator[ReportSplit | None]:
        if len(self._done) == 1:
            yield None
            return
        found = ranges(self._path, ((spooled.papers, *spooled.ends) for spooled in self._done))
        stamp = self._stamp.hexdigest()[:8]
        yield from (ReportSplit(one, found, stamp) for one in found)

    def _write(self, draft: Path, spooled: _Spooled, report: ReportDetails, split: ReportSplit | None) -> None:
        part = msgspec.json.decode(spooled.part.read_bytes(), type=ReportPart)
        before, after = render_part(part, self.figures, report, split=split, image_files=spooled.beside)
        with draft.open("wb") as out, spooled.blocks.open("rb") as blocks:
            out.write(before.encode("utf-8", "replace"))
            shutil.copyfileobj(blocks, out, 1 << 20)
            out.write(_block("overview", overview(part, self.figures, split)))
            out.write(after.encode("utf-8", "replace"))
        spooled.blocks.unlink()  # its words are in the draft: room for the next


@contextmanager
def report_writer(path: Path, *, papers_per_file: int = 500, draw: Draw = lambda part: ()) -> Iterator[ReportWriter]:
    """Nothing is written to `path` until `finish`. `draw` is asked for the pictures of each part when its papers are known."""
    with scratch_folder(path) as folder:
        out = ReportWriter(path, folder, papers_per_file, draw)
        try:
            yield out
        finally:
            out.close()


def _block(id: str, value: object) -> bytes:
    # ids are ours: hexadecimal digits of a hash
    return f'<script type="application/json" id="{id}">'.encode() + safe_json(value) + b"</script>\n"


def _encoded(part: ReportPart) -> bytes:
    try:
        return msgspec.json.encode(part)
    except UnicodeEncodeError:  # half a character, in a name or a title
        return msgspec.json.encode(encodable(msgspec.to_builtins(part)))
