"""A run as its report: rows, agreement and page pictures into one file, and a folder beside it if there are many pages."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.evaluation.raters import Ratings, group, pairs
from methodlens.papers import WorkerPool
from methodlens.records import PaperEntry
from methodlens.reports.corpus import CorpusBuilder
from methodlens.reports.report import Agreement, PairFigures, Report, ReportPage, writing
from methodlens.runs import accounts, board
from methodlens.runs.ledger import Ledger, Run
from methodlens.runs.pages import PageWanted, PictureStore, pictures, where_papers_are
from methodlens.runs.stability import lines as stability_lines
from methodlens.runs.stability import stability

PAGES = "report-pages"
_MOST_EMBEDDED = 80
"""Pages at about 75 kB: a file of 8 MB can still be mailed; beyond that they lie beside it."""

Watch = Callable[[int], AbstractContextManager[Callable[[object], None]]]
"""Told how many pages there will be, then of each."""


class PageOptions(NamedTuple):
    """Without a pool there are no pictures."""

    pool: WorkerPool | None = None
    workers: int = 1
    one_file: bool = False


class Written(NamedTuple):
    path: Path
    papers: int
    cells: int
    pages: int
    bytes: int
    notes: tuple[str, ...]


class _PaperPages(NamedTuple):
    """The pages of a paper that quotes stand on, with the sizes of all its pages. No path: it is not what was read any more."""

    key: str
    entry: PaperEntry
    path: Path | None
    pages: tuple[int, ...]
    sizes: dict[int, tuple[float, float]]


def write(ledger: Ledger, run: Run, path: Path, *, options: PageOptions, watch: Watch | None = None) -> Written:
    with writing(path) as out:
        corpus = CorpusBuilder(out.keep_paper)
        cells = 0
        for row in board.rows(ledger, run):
            corpus.add(row)
            cells += 1
        corpus.finish()
        papers = _papers(ledger, run, corpus) if options.pool else []
        wanted = sum(len(paper.pages) for paper in papers if paper.path)
        store = PictureStore(path.parent / PAGES, inside=options.one_file or wanted <= _MOST_EMBEDDED)
        drawn = 0
        with watch(wanted) if watch and options.pool else nullcontext(lambda _: None) as tell:
            for page in _pages(papers, store, options):
                out.keep_page(page)
                drawn += bool(page.source)
                tell(page)
        notes = _notes(papers, options)
        about = Report(
            title=f"What {len(corpus.papers)} paper{'s report' if len(corpus.papers) != 1 else ' reports'}",
            version=__version__,
            question_set=run.question_set,
            parsers=tuple(dict.fromkeys(parser for _, parser in ledger.entries(run))),
            agreement=_agreement(corpus),
            steadiness=_steadiness(ledger, run),
            accounts=tuple(accounts.table(accounts.by_reader(ledger, run))),
            notes=notes,
        )
        out.finish(about, corpus)
    return Written(path, len(corpus.papers), cells, drawn, path.stat().st_size, notes)


def _papers(ledger: Ledger, run: Run, corpus: CorpusBuilder) -> list[_PaperPages]:
    quoted = {of: tuple(sorted(pages)) for of, pages in corpus.pages.items() if pages}
    entries = [(entry, parser) for entry, parser in ledger.entries(run) if (entry.name, entry.sha256) in quoted]
    paths = where_papers_are(run, [entry for entry, _ in entries])
    found = []
    for entry, parser in entries:
        paper, of = ledger.paper(entry.sha256, parser), (entry.name, entry.sha256)
        sizes = {page.number: (page.width, page.height) for page in paper.pages} if paper else {}
        found.append(_PaperPages(corpus.key(of), entry, paths.get(entry.name), quoted[of], sizes))
    return found


def _pages(papers: Sequence[_PaperPages], store: PictureStore, options: PageOptions) -> Iterator[ReportPage]:
    for paper in papers:
        if options.pool is None or paper.path is None:
            continue
        wanted = [PageWanted(paper.path, paper.entry.sha256, page) for page in paper.pages]
        kept = {page: source for page in wanted if (source := store.source(page))}
        fresh = pictures([page for page in wanted if page not in kept], options.pool, workers=options.workers)
        reasons = {}
        for picture in fresh:
            kept[picture.wanted], reasons[picture.wanted] = store.keep(picture), picture.reason
        for page in wanted:
            size = paper.sizes.get(page.page, (0.0, 0.0))
            yield ReportPage(paper.key, page.page, size, kept[page], reasons.get(page, ""))


def _notes(papers: Sequence[_PaperPages], options: PageOptions) -> tuple[str, ...]:
    if options.pool is None:
        return ("Page pictures were left out of this report (--no-pages).",)
    lost = [paper.entry.name for paper in papers if paper.path is None]
    if not lost:
        return ()
    names = ", ".join(lost[:5]) + (", ..." if len(lost) > 5 else "")
    return (
        f"No page pictures of {names}: no longer where {'it was' if len(lost) == 1 else 'they were'} read, or changed since.",
    )


def _steadiness(ledger: Ledger, run: Run) -> tuple[str, ...]:
    """What readers said when they were asked again. Who was asked once always says the same, else it had been asked more."""
    if run.repeat < 2:
        return ()
    found = [replace(one, deterministic=one.asked < 2) for one in stability(ledger, run)]
    return tuple(stability_lines(found, run.repeat))


def _agreement(corpus: CorpusBuilder) -> Agreement | None:
    """Of the readers with each other, on the cells that they decided; the vote is made of them and left out."""
    readers = [reader for reader in corpus.readers if reader != board.VOTE]
    if len(readers) < 2:
        return None
    ratings: Ratings = {
        reader: {
            (f"{name}\0{sha}", question): status.reported
            for (name, sha), statuses in corpus.statuses(reader).items()
            for question, status in statuses.items()
            if status.reported is not None
        }
        for reader in readers
    }
    found = group(ratings)
    each = tuple(PairFigures(one.first, one.second, one.n, one.agreement, one.kappa, one.ac1) for one in pairs(ratings))
    return Agreement(tuple(readers), each, found.fleiss_kappa, found.complete, found.alpha)
