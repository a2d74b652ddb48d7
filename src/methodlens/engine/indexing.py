"""Adds papers to a search index on disk; only new files are read."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

from methodlens.engine.execute import Task, read_paper
from methodlens.ledger.store import Ledger
from methodlens.papers import PaperFile, sha256_of, split
from methodlens.papers.parsers import Parsers
from methodlens.records import Hit, Paper, PaperStatus, Question
from methodlens.retrieval.corpus_index import CorpusIndex


class Indexed(NamedTuple):
    """The result of one file. `known`: the index had it already; `reason`: why it cannot be searched."""

    file: PaperFile
    sha256: str
    known: bool
    reason: str = ""


class SearchHit(NamedTuple):
    paper: str
    paper_sha256: str
    hit: Hit


class SearchResults(NamedTuple):
    """`skipped` says which papers could not be searched and why; `indexed` counts the papers that were new to the index."""

    hits: tuple[SearchHit, ...]
    skipped: tuple[str, ...]
    indexed: int


def search(question: Question, corpus: CorpusIndex, indexed: Iterable[Indexed], *, top: int) -> SearchResults:
    """The best passages of the papers that `build` yields."""
    names: dict[str, str] = {}
    skipped: list[str] = []
    new = 0
    for result in indexed:
        if result.reason:
            skipped.append(f"{result.file.name}: not searched: {result.reason}")
        else:
            names.setdefault(result.sha256, result.file.name)
            new += not result.known
    hits = corpus.search(question, list(names), top=top)
    return SearchResults(tuple(SearchHit(names[sha256], sha256, hit) for sha256, hit in hits), tuple(skipped), new)


def build(
    files: Sequence[PaperFile],
    corpus: CorpusIndex,
    parsers: Parsers,
    ledger: Ledger | None,
    *,
    passage_chars: int,
    workers: int,
    keep_papers: bool = True,
) -> Iterator[Indexed]:
    """Yields each file as it is indexed. The text of papers that a run has read comes from its ledger.

    With `keep_papers`, the ledger keeps the text of the others.
    """
    made_by = f"{parsers.fingerprint} {passage_chars}"
    todo: list[PaperFile] = []
    for file in files:
        sha256 = sha256_of(file.path)
        if sha256 and corpus.has(sha256, made_by):
            yield Indexed(file, sha256, known=True)
        else:
            todo.append(file)
    pool = ThreadPoolExecutor(max(1, workers), thread_name_prefix="paper")
    try:
        reading = {pool.submit(_read, file, parsers, ledger): file for file in todo}
        for future in as_completed(reading):
            paper, known = future.result()
            if ledger and keep_papers and not known:
                ledger.keep_paper(paper)
            if paper.status is PaperStatus.OK:
                corpus.keep(paper.sha256, made_by, split(paper, size=passage_chars))
                yield Indexed(reading[future], paper.sha256, known=False)
            else:
                yield Indexed(reading[future], paper.sha256, known=False, reason=f"{paper.status.value}: {paper.reason}")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _read(file: PaperFile, parsers: Parsers, ledger: Ledger | None) -> tuple[Paper, bool]:
    sha256 = sha256_of(file.path)
    known = ledger.known(sha256, parsers.fingerprint) if ledger and sha256 else None
    return read_paper(Task(file.location, file.name, sha256, known), parsers)
