"""Writes a report: papers are spooled to disk as they come; the files are made when all papers are known.

All files are finished before the first is renamed. Later parts are renamed first and `report.html`, which links to them, last,
so a kill leaves only complete files. A page that is opened from a file of another report shows a warning.
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
from methodlens.reports.html.page_images import ReportImage
from methodlens.reports.html.part_builder import PartBuilder
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_split import ReportSplit, part_path, part_ranges, refuse_to_overwrite, remove_leftovers
from methodlens.reports.html.report_template import ReportDetails, data_block, render_part
from methodlens.reports.html.run_summary import RunTotals
from methodlens.reports.html.script_data import overview, table_data
from methodlens.reports.output_files import atomic_path, output_errors, scratch_folder
from methodlens.text.printable import encodable, one_line

DrawPages = Callable[[ReportPart], Iterable[tuple[str, ReportImage]]]
"""The page images of a part with the key of their paper, those of one paper consecutively."""


class _SpooledPart(NamedTuple):
    """A part on disk: the data blocks of its papers as they will be in its file, and the part itself."""

    blocks: Path
    part: Path
    image_files: bool
    papers: int
    ends: tuple[tuple[str, str], tuple[str, str]]
    """Name and key of its first and last paper."""


class ReportWriter:
    """Call `add` for each row, then `end`, then `finish`. Rows of a paper must be consecutive."""

    def __init__(self, path: Path, folder: Path, papers_per_file: int, draw_pages: DrawPages) -> None:
        self._path, self._folder, self._papers_per_file, self._draw_pages = path, folder, papers_per_file, draw_pages
        self._builder = PartBuilder(lambda key, cells: self._write_block(f"paper-{key}", cells))
        self._parts: list[_SpooledPart] = []
        self._spool: IO[bytes] | None = None
        self._stamp = hashlib.sha256()

    @property
    def totals(self) -> RunTotals:
        return self._builder.totals

    def add(self, row: Row) -> None:
        if len(self._builder.part.papers) >= self._papers_per_file and self._builder.is_new(row.paper):
            self._close_part()
        self._builder.add(row)

    def end(self) -> None:
        """Close the last part and draw its pages. A report without papers has one part too."""
        if self._builder.part.papers or not self._parts:
            self._close_part()

    def _close_part(self) -> None:
        part = self._builder.take_part()
        image_files = self._write_images(self._draw_pages(part))
        with output_errors(self._path):
            spool, self._spool = self._open_spool(), None
            spool.close()
            stored = self._folder / f"{len(self._parts) + 1}.part"
            stored.write_bytes(msgspec.json.encode(encodable(msgspec.to_builtins(part))))
        papers = [(paper.name, key) for paper, key in zip(part.papers, part.keys, strict=True)] or [("", "")]
        self._parts.append(_SpooledPart(Path(spool.name), stored, image_files, len(part.papers), (papers[0], papers[-1])))

    def _write_images(self, images: Iterable[tuple[str, ReportImage]]) -> bool:
        """Whether some of them are separate files."""
        image_files = False
        for key, keyed_images in groupby(images, key=lambda keyed: keyed[0]):
            pages: dict[str, Any] = {}
            for _, image in keyed_images:
                image_files |= bool(image.source) and not image.source.startswith("data:")
                shown = {"size": image.size, "source": image.source, "reason": one_line(image.reason)}
                pages[str(image.page)] = shown | ({"text": image.text} if image.text else {})
            self._write_block(f"pages-{key}", pages)
        return image_files

    def _write_block(self, id: str, value: object) -> None:
        block = data_block(id, value)
        self._stamp.update(block)
        with output_errors(self._path):
            self._open_spool().write(block)

    def _open_spool(self) -> IO[bytes]:
        if self._spool is None:
            self._spool = (self._folder / f"{len(self._parts) + 1}.blocks").open("wb")
        return self._spool

    def close(self) -> None:
        if self._spool:
            self._spool.close()

    def finish(self, details: ReportDetails) -> tuple[Path, ...]:
        """Write the files of the report, and return them in order."""
        refuse_to_overwrite(self._path, len(self._parts))
        files = tuple(part_path(self._path, number) for number in range(1, len(self._parts) + 1))
        with ExitStack() as drafts:  # closed in reverse order: the first file is renamed last
            for file, spooled, split in zip(files, self._parts, self._splits(), strict=True):
                self._write_part(drafts.enter_context(atomic_path(file)), spooled, details, split)
        with output_errors(self._path):
            remove_leftovers(self._path, len(files))
        return files

    def _splits(self) -> Iterator[ReportSplit | None]:
        if len(self._parts) == 1:
            yield None
            return
        ranges = part_ranges(self._path, ((spooled.papers, *spooled.ends) for spooled in self._parts))
        stamp = self._stamp.hexdigest()[:8]
        yield from (ReportSplit(part, ranges, stamp) for part in ranges)

    def _write_part(self, draft: Path, spooled: _SpooledPart, details: ReportDetails, split: ReportSplit | None) -> None:
        part = msgspec.json.decode(spooled.part.read_bytes(), type=ReportPart)
        before, after = render_part(part, self.totals, details, split=split, image_files=spooled.image_files)
        with draft.open("wb") as out, spooled.blocks.open("rb") as blocks:
            out.write(before.encode("utf-8", "replace"))
            shutil.copyfileobj(blocks, out, 1 << 20)
            out.write(data_block("overview", overview(part, self.totals, split)))
            out.write(data_block("wide-cells", table_data(part, self.totals)))
            out.write(data_block("figure-tables", _figure_tables(details, split)))
            out.write(after.encode("utf-8", "replace"))
        spooled.blocks.unlink()  # free disk space for the next part


def _figure_tables(details: ReportDetails, split: ReportSplit | None) -> dict[str, str]:
    """Only the first part has the figures."""
    is_first = split is None or split.part.number == 1
    return {figure.name: figure.csv for figure in details.figures.drawn} if is_first else {}


@contextmanager
def report_writer(path: Path, *, papers_per_file: int = 500, draw_pages: DrawPages = lambda part: ()) -> Iterator[ReportWriter]:
    """A writer that leaves `path` unchanged until `finish`. `draw_pages` is called when the papers of a part are known."""
    with scratch_folder(path) as folder:
        writer = ReportWriter(path, folder, papers_per_file, draw_pages)
        try:
            yield writer
        finally:
            writer.close()
