"""A run as its report: rows, agreement and page pictures into one file or several, and a folder of pictures beside them."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.evaluation.raters import Pattern, group_from_counts, pairwise_from_counts
from methodlens.evaluation.stability import stability, stability_lines
from methodlens.ledger import accounts
from methodlens.ledger import rows as board
from methodlens.ledger.ledger import Ledger, Run
from methodlens.papers import WorkerPool
from methodlens.records import Row
from methodlens.reports.html.page_images import Illustrator
from methodlens.reports.html.report_part import ReportPart
from methodlens.reports.html.report_template import Agreement, PairFigures, ReportDetails, ReportPage
from methodlens.reports.html.report_writer import report_writer
from methodlens.settings import ReportSettings

Tell = Callable[[object], None]
Watch = Callable[[int], AbstractContextManager[Tell]]
"""Told how many papers there are, then of each."""


class ReportOptions(NamedTuple):
    """Without a pool there are no pictures."""

    pool: WorkerPool | None = None
    workers: int = 1
    one_file: bool = False
    """All papers and all pictures, however big."""
    papers_per_file: int = ReportSettings().papers_per_file
    most_embedded: int = 80
    """Pages at about 75 kB: a file of 8 MB can still be mailed; if a file has more, they lie beside it."""


class WrittenReport(NamedTuple):
    path: Path
    papers: int
    cells: int
    pages: int
    bytes: int
    notes: tuple[str, ...]
    parts: int = 1
    """How many files: report.html, report-2.html, ..."""


def write(ledger: Ledger, run: Run, path: Path, *, options: ReportOptions, watch: Watch | None = None) -> WrittenReport:
    """Papers are read one at a time; what grows with the corpus stays on disk (`reports.writing`)."""
    parsers = Counter(parser for _, parser in ledger.entries(run))
    decisions = _Decisions(run)
    with watch(parsers.total()) if watch else nullcontext(lambda _: None) as tell:
        drawing = _Drawing(ledger, run, path, options, tuple(parsers), tell)
        per_file = sys.maxsize if options.one_file else options.papers_per_file
        with report_writer(path, papers_per_file=per_file, draw=drawing.of_part) as out:
            for row in board.rows(ledger, run):
                out.add(row)
                decisions.add(row)
            out.end()
            count = out.figures.papers
            about = ReportDetails(
                title=f"What {count:,} paper{'s report' if count != 1 else ' reports'}",
                version=__version__,
                question_set=run.question_set,
                parsers=tuple(parsers),
                agreement=decisions.agreement(),
                steadiness=_steadiness(ledger, run),
                accounts=tuple(accounts.table(accounts.by_reader(ledger, run))),
                notes=drawing.notes,
            )
            files = out.finish(about)
            cells = out.figures.cells
    drawing.tidy()
    notes = (*about.notes, *_split_note(count, per_file, files))
    return WrittenReport(path, count, cells, drawing.drawn, sum(file.stat().st_size for file in files), notes, len(files))


def pages_folder(path: Path) -> Path:
    """
    >>> pages_folder(Path("out/report.html")).name
    'report-pages'
    """
    return path.with_name(f"{path.stem}-pages")


def _split_note(papers: int, per_file: int, files: tuple[Path, ...]) -> tuple[str, ...]:
    if len(files) == 1:
        return ()
    more = f"{files[1].name}" if len(files) == 2 else f"{len(files) - 1} more ({files[1].name} to {files[-1].name})"
    return (f"{papers:,} papers: {files[0].name} and {more}, {per_file:,} papers each (report.papers_per_file)",)


class _Drawing:
    """The pages of each part, when its papers are known, and what to say of those that could not be drawn."""

    def __init__(
        self, ledger: Ledger, run: Run, path: Path, options: ReportOptions, parsers: tuple[str, ...], tell: Tell
    ) -> None:
        self._ledger, self._options, self._parsers, self._tell = ledger, options, parsers, tell
        pool = options.pool
        self._illustrator = Illustrator(run, pages_folder(path), pool, workers=options.workers) if pool else None
        self.drawn = 0

    def of_part(self, part: ReportPart) -> Iterator[ReportPage]:
        few = sum(map(len, part.quoted)) <= self._options.most_embedded
        for paper, key, pages in zip(part.papers, part.keys, part.quoted, strict=True):
            if self._illustrator and pages:
                shown = list(self._illustrator.pages(paper, pages, inside=few or self._options.one_file))
                sizes = self._sizes(paper.sha256) if shown else {}
                for page in shown:
                    self.drawn += bool(page.source)
                    yield ReportPage(key, page.page, sizes.get(page.page, (0.0, 0.0)), page.source, page.reason)
            self._tell(paper)

    def _sizes(self, sha256: str) -> dict[int, tuple[float, float]]:
        """Of all pages of a paper: the same, whichever parser read it."""
        found = (paper for parser in self._parsers if (paper := self._ledger.paper(sha256, parser)))
        return {page.number: (page.width, page.height) for paper in found for page in paper.pages}

    @property
    def notes(self) -> tuple[str, ...]:
        if self._illustrator is None:
            return ("Page pictures were left out of this report (--no-pages).",)
        return (self._illustrator.note,) if self._illustrator.note else ()

    def tidy(self) -> None:
        """Without pictures nothing is known of those that lie there from before: they stay, not to be drawn again."""
        if self._illustrator:
            self._illustrator.tidy()


def _steadiness(ledger: Ledger, run: Run) -> tuple[str, ...]:
    """What readers said when they were asked again. Who was asked once always says the same, else it had been asked more."""
    if run.repeat < 2:
        return ()
    found = [replace(one, deterministic=one.asked < 2) for one in stability(ledger, run)]
    return tuple(stability_lines(found, run.repeat))


class _Decisions:
    """How often the readers decided cells in each way; the vote is made of them and left out."""

    def __init__(self, run: Run) -> None:
        self._readers = run.readers
        self._answered: set[str] = set()
        self._cell: tuple[str, str, str] | None = None
        self._said: dict[str, bool | None] = {}
        self._patterns: Counter[Pattern] = Counter()

    def add(self, row: Row) -> None:
        """The rows of one paper and question come one after the other."""
        if row.votes is not None:
            return
        cell = (row.paper.name, row.paper.sha256, row.question.id)
        if cell != self._cell:
            self._count()
            self._cell = cell
        self._answered.add(row.cell.reader)
        self._said[row.cell.reader] = row.cell.verdict.status.reported

    def _count(self) -> None:
        if self._said:
            self._patterns[tuple(map(self._said.get, self._readers))] += 1
        self._said = {}

    def agreement(self) -> Agreement | None:
        """On the cells that they decided. A reader that has no cell yet is none of them."""
        self._count()
        readers = tuple(reader for reader in self._readers if reader in self._answered)
        if len(readers) < 2:
            return None
        places = [self._readers.index(reader) for reader in readers]
        counted: Counter[Pattern] = Counter()
        for pattern, times in self._patterns.items():
            counted[tuple(pattern[place] for place in places)] += times
        found = group_from_counts(readers, counted)
        each = tuple(
            PairFigures(one.first, one.second, one.n, one.agreement, one.kappa, one.ac1)
            for one in pairwise_from_counts(readers, counted)
        )
        return Agreement(readers, each, found.fleiss_kappa, found.complete, found.alpha)
