"""A folder of papers into an index on disk: read what is new, leave what stands there."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

from methodlens.engine.execute import read_paper
from methodlens.ledger.ledger import Ledger
from methodlens.papers import PaperFile, sha256_of, split
from methodlens.records import Paper, PaperStatus
from methodlens.retrieval.corpus_index import CorpusIndex
from methodlens.seams import Parser


class Indexed(NamedTuple):
    """What became of one file. `reason` says why a paper is not searched; `known` that it stood in the index already."""

    file: PaperFile
    sha256: str
    known: bool
    reason: str = ""


class NoLedger:
    """For a folder without a run: nothing is remembered."""

    def paper(self, sha256: str, parser: str) -> Paper | None:
        return None

    def cell(self, key: str, paper: Paper) -> None:
        return None


def build(
    files: Sequence[PaperFile], corpus: CorpusIndex, parser: Parser, ledger: Ledger | None, *, passage_chars: int, workers: int
) -> Iterator[Indexed]:
    """Each file as soon as it is in. Papers that a run of the same folder has read are taken from its ledger."""
    made_by = f"{parser.fingerprint} {passage_chars}"
    todo: list[PaperFile] = []
    for file in files:
        sha256 = sha256_of(file.path)
        if sha256 and corpus.has(sha256, made_by):
            yield Indexed(file, sha256, known=True)
        else:
            todo.append(file)
    memory = ledger or NoLedger()
    pool = ThreadPoolExecutor(max(1, workers), thread_name_prefix="paper")
    try:
        reading = {pool.submit(read_paper, file.path, parser, memory): file for file in todo}
        for done in as_completed(reading):
            paper, known = done.result()
            if ledger and not known:
                ledger.keep_paper(paper)
            if paper.status is PaperStatus.OK:
                corpus.keep(paper.sha256, made_by, split(paper, size=passage_chars))
                yield Indexed(reading[done], paper.sha256, known=False)
            else:
                yield Indexed(reading[done], paper.sha256, known=False, reason=f"{paper.status.value}: {paper.reason}")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
