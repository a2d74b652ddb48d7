"""A run as its report: rows, agreement and page pictures into one file, and a folder beside it if there are many pages."""

import base64
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.evaluation.raters import Ratings, group, pairs
from methodlens.papers import WorkerPool
from methodlens.records import PaperEntry
from methodlens.reports.corpus import CorpusBuilder
from methodlens.reports.files import replacing
from methodlens.reports.report import Agreement, PairFigures, Report, ReportPage, writing
from methodlens.runs import board
from methodlens.runs.ledger import Ledger, Run
from methodlens.runs.pages import PageWanted, pictures, where_papers_are
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


def write(ledger: Ledger, run: Run, path: Path, *, options: PageOptions, watch: Watch | None = None) -> Written:
    with writing(path) as out:
        corpus = CorpusBuilder(out.keep_paper)
        cells = 0
        for row in board.rows(ledger, run):
            corpus.add(row)
            cells += 1
        corpus.finish()
        missing: list[str] = []
        drawn = 0
        with watch(_wanted(corpus)) if watch and options.pool else nullcontext(lambda _: None) as tell:
            for page in _pages(ledger, run, corpus, path, options, missing):
                out.keep_page(page)
                drawn += bool(page.source)
                tell(page)
        parsers = tuple(dict.fromkeys(parser for _, parser in ledger.entries(run)))
        about = Report(
            title=f"What {len(corpus.papers)} papers report",
            version=__version__,
            question_set=run.question_set,
            parsers=parsers,
            agreement=_agreement(corpus),
            steadiness=_steadiness(ledger, run),
            notes=tuple(missing),
        )
        out.finish(about, corpus)
    return Written(path, len(corpus.papers), cells, drawn, path.stat().st_size, tuple(missing))


def _wanted(corpus: CorpusBuilder) -> int:
    return sum(map(len, corpus.pages.values()))


def _pages(
    ledger: Ledger, run: Run, corpus: CorpusBuilder, path: Path, options: PageOptions, missing: list[str]
) -> Iterator[ReportPage]:
    if options.pool is None:
        missing.append("Page pictures were left out of this report (--no-pages).")
        return
    entries = [(entry, parser) for entry, parser in ledger.entries(run) if corpus.pages.get((entry.name, entry.sha256))]
    found = where_papers_are(run, [entry for entry, _ in entries])
    if lost := [entry.name for entry, _ in entries if entry.name not in found]:
        names = ", ".join(lost[:5]) + (", ..." if len(lost) > 5 else "")
        missing.append(
            f"{len(lost)} papers are no longer where they were read, or have changed, and have no page pictures: {names}"
        )
    embedded = options.one_file or _wanted(corpus) <= _MOST_EMBEDDED
    folder = path.parent / PAGES
    for entry, parser in entries:
        if entry.name not in found:
            continue
        paper = ledger.paper(entry.sha256, parser)
        sizes = {page.number: (page.width, page.height) for page in paper.pages} if paper else {}
        key = corpus.key((entry.name, entry.sha256))
        wanted = [PageWanted(found[entry.name], entry.sha256, page) for page in sorted(corpus.pages[entry.name, entry.sha256])]
        known = {page: folder / _name(entry, page.page) for page in wanted}
        todo = [page for page in wanted if embedded or not known[page].is_file()]
        fresh = {one.wanted: one for one in pictures(todo, options.pool, workers=options.workers)}
        for page in wanted:
            picture = fresh.get(page)
            if picture is None or (picture.png and not embedded):
                if picture:
                    with replacing(known[page]) as draft:
                        draft.write_bytes(picture.png)
                source = f"{PAGES}/{known[page].name}"
            else:
                source = f"data:image/png;base64,{base64.b64encode(picture.png).decode()}" if picture.png else ""
            yield ReportPage(key, page.page, sizes.get(page.page, (0.0, 0.0)), source, picture.reason if picture else "")


def _name(entry: PaperEntry, page: int) -> str:
    return f"{entry.sha256[:16]}-{page}.png"


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
