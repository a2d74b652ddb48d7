"""Writes the report of a run: rows, agreement of the readers and page images, to one or more HTML files."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.evaluation.stability import stability, stability_lines
from methodlens.ledger import accounts
from methodlens.ledger.final_words import rows_of_export
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import WorkerPool
from methodlens.records import Paper
from methodlens.reports.figures.corpus_counts import CorpusCounts
from methodlens.reports.figures.report_figures import report_figures
from methodlens.reports.figures.rows_with_annotations import rows_with_annotations
from methodlens.reports.html.page_images import PageIllustrator, ReportImage
from methodlens.reports.html.paper_text import paper_text
from methodlens.reports.html.report_part import TEXT, ReportPart
from methodlens.reports.html.report_template import ReportDetails
from methodlens.reports.html.report_writer import report_writer
from methodlens.reports.reader_decisions import ReaderDecisions
from methodlens.settings import ReportSettings

Advance = Callable[[object], None]
Watch = Callable[[int], AbstractContextManager[Advance]]
"""Shows progress: takes the number of papers, and is then called for each."""


class ReportOptions(NamedTuple):
    """Without a pool there are no page images."""

    pool: WorkerPool | None = None
    workers: int = 1
    one_file: bool = False
    """Put all papers and images into one file of any size."""
    papers_per_file: int = ReportSettings().papers_per_file
    most_embedded: int = 80
    """Images per file, about 75 kB each: a file of 8 MB can still be mailed. More are stored in a folder."""


class WrittenReport(NamedTuple):
    path: Path
    papers: int
    cells: int
    pages: int
    bytes: int
    notes: tuple[str, ...]
    parts: int = 1
    """The number of files: report.html, report-2.html, ..."""


def write(ledger: Ledger, run: Run, path: Path, *, options: ReportOptions, watch: Watch | None = None) -> WrittenReport:
    """Papers are read one by one; data that grows with the corpus is stored on disk."""
    parsers = Counter(parser for _, parser in ledger.entries(run))
    decisions, counts = ReaderDecisions(run.readers), CorpusCounts(run.questions, run.papers)
    with watch(parsers.total()) if watch else nullcontext(lambda _: None) as advance:
        images = _PartImages(ledger, run, path, options, tuple(parsers), advance)
        per_file = sys.maxsize if options.one_file else options.papers_per_file
        with report_writer(path, papers_per_file=per_file, draw_pages=images.of_part) as writer:
            for rows, annotations in rows_with_annotations(ledger, rows_of_export(ledger, run)):
                counts.add(rows, annotations)
                for row in rows:
                    writer.add(row)
                    decisions.add(row)
            writer.end()
            totals = writer.totals
            agreement, pairs = decisions.agreement()
            details = ReportDetails(
                title=f"What {totals.papers:,} paper{'s report' if totals.papers != 1 else ' reports'}",
                version=__version__,
                question_set=run.question_set,
                parsers=tuple(parsers),
                agreement=agreement,
                pairs=pairs,
                stability=_stability(ledger, run),
                accounts=tuple(accounts.table(accounts.by_reader(ledger, run))),
                notes=images.notes,
                review=counts.review,
                figures=report_figures(counts, run),
            )
            files = writer.finish(details)
    images.remove_unused()
    notes = (*details.notes, *_split_note(totals.papers, per_file, files))
    size = sum(file.stat().st_size for file in files)
    return WrittenReport(path, totals.papers, totals.cells, images.count, size, notes, len(files))


def images_folder(path: Path) -> Path:
    """
    >>> images_folder(Path("out/report.html")).name
    'report-pages'
    """
    return path.with_name(f"{path.stem}-pages")


def _split_note(papers: int, per_file: int, files: tuple[Path, ...]) -> tuple[str, ...]:
    if len(files) == 1:
        return ()
    more = f"{files[1].name}" if len(files) == 2 else f"{len(files) - 1} more ({files[1].name} to {files[-1].name})"
    return (f"{papers:,} papers: {files[0].name} and {more}, {per_file:,} papers each (report.papers_per_file)",)


class _PartImages:
    """Draws the quoted pages of each part. `count` is the number of images in the report."""

    def __init__(
        self, ledger: Ledger, run: Run, path: Path, options: ReportOptions, parsers: tuple[str, ...], advance: Advance
    ) -> None:
        self._ledger, self._options, self._parsers, self._advance = ledger, options, parsers, advance
        pool = options.pool
        self._illustrator = PageIllustrator(run, images_folder(path), pool, workers=options.workers) if pool else None
        self.count = 0

    def of_part(self, part: ReportPart) -> Iterator[tuple[str, ReportImage]]:
        embed = self._options.one_file or sum(map(len, part.quoted_pages)) <= self._options.most_embedded
        for paper, key, quoted in zip(part.papers, part.keys, part.quoted_pages, strict=True):
            pages = [page for page in quoted if page != TEXT]
            if TEXT in quoted and (read := self._paper(paper.sha256)):
                yield key, ReportImage(TEXT, "", text=paper_text(read))
            if self._illustrator and pages:
                images = list(self._illustrator.images(paper, pages, embed=embed))
                sizes = self._page_sizes(paper.sha256) if images else {}
                for image in images:
                    self.count += bool(image.source)
                    yield key, image._replace(size=sizes.get(image.page, (0.0, 0.0)))
            self._advance(paper)

    def _paper(self, sha256: str) -> Paper | None:
        """As one of the run's parsers read it."""
        return next((paper for parser in self._parsers if (paper := self._ledger.paper(sha256, parser))), None)

    def _page_sizes(self, sha256: str) -> dict[int, tuple[float, float]]:
        """Page sizes do not depend on the parser, so any parse of the paper will do."""
        papers = (paper for parser in self._parsers if (paper := self._ledger.paper(sha256, parser)))
        return {page.number: (page.width, page.height) for paper in papers for page in paper.pages}

    @property
    def notes(self) -> tuple[str, ...]:
        if self._illustrator is None:
            return ("This report was written without page images (--no-pages).",)
        return (self._illustrator.note,) if self._illustrator.note else ()

    def remove_unused(self) -> None:
        """A report without images keeps those of an earlier one, so that they need not be drawn again."""
        if self._illustrator:
            self._illustrator.remove_unused()


def _stability(ledger: Ledger, run: Run) -> tuple[str, ...]:
    """Only deterministic readers are asked just once in a run with repeats."""
    if run.repeat < 2:
        return ()
    results = [replace(result, deterministic=result.asked < 2) for result in stability(ledger, run)]
    return tuple(stability_lines(results, run.repeat))
