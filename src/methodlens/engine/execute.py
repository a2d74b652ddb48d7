"""One paper, straight through: read it, find the passages, ask every reader, judge the answers.

This is the whole story on one page. Nothing here writes: each step comes out as an event, and the driver keeps it.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from methodlens.errors import ReaderAbandoned, ReaderFailed
from methodlens.ledger.keys import cell_key, digest
from methodlens.papers import FetchError, Metadata, PaperFile, Sidecars, local_copy, sha256_of, split, text_digest
from methodlens.papers.remote_files import is_url
from methodlens.records import Answer, Cell, Hit, Paper, PaperEntry, PaperStatus, Question, Status, Verdict
from methodlens.retrieval import limit
from methodlens.seams import Parser, Reader, Retriever
from methodlens.settings import PaperLimits, RetrievalSettings
from methodlens.verdicts import is_silent, judge, paper_flags, separate_speculation


class Memory(Protocol):
    """What was done before; the ledger is one."""

    def paper(self, sha256: str, parser: str) -> Paper | None: ...
    def cell(self, key: str, paper: Paper) -> Cell | None: ...


class PaperRead(NamedTuple):
    entry: PaperEntry
    paper: Paper
    known: bool


class CellDone(NamedTuple):
    entry: PaperEntry
    cell: Cell
    known: bool


class CellDue(NamedTuple):
    """A cell whose reader asks someone else: the driver says when, and books the call first."""

    entry: PaperEntry
    paper: Paper
    question: Question
    reader: Reader
    hits: tuple[Hit, ...]
    shown: int
    key: str

    def ask(self) -> CellDone:
        return CellDone(self.entry, ask(self.paper, self.question, self.reader, self.hits, shown=self.shown), known=False)


Step = PaperRead | CellDone | CellDue


class Stages(NamedTuple):
    """Who does what in this run."""

    parser: Parser
    retriever: Retriever
    readers: Sequence[Reader]
    questions: Sequence[Question]
    retrieval: RetrievalSettings
    sidecars: Sequence[Sidecars] = ()
    """What a .bib, .ris or manifest.csv beside the papers says about them."""
    max_file_mb: int = PaperLimits().max_file_mb
    """A larger file is not fetched from elsewhere."""


def work(file: PaperFile, stages: Stages, memory: Memory) -> Iterator[Step]:
    """The paper, then its cells, each as soon as it is there or due. What memory holds is not done again."""
    try:
        with local_copy(file, max_mb=stages.max_file_mb) as path:
            paper, known = read_paper(path, stages.parser, memory)
    except FetchError as err:
        paper, known = lost_paper(file, stages.parser.fingerprint, PaperStatus.CRASHED, str(err)), False
    entry = entry_of(file.name, paper, stages.sidecars)
    yield PaperRead(entry, paper, known)
    if paper.status is not PaperStatus.OK:
        yield from unread(entry, paper, stages.questions, stages.readers)
        return
    for question, ranking in look_up(paper, stages.questions, stages.retriever, stages.retrieval):
        for reader in stages.readers:
            hits, shown = shown_to(reader, ranking, stages.retrieval)
            key = cell_key(paper, question, reader.info, hits[:shown])
            due = CellDue(entry, paper, question, reader, hits, shown, key)
            if cell := memory.cell(due.key, paper):
                yield CellDone(entry, cell, known=True)
            else:
                yield due if reader.info.remote else due.ask()


def read_paper(path: Path, parser: Parser, memory: Memory) -> tuple[Paper, bool]:
    sha256 = sha256_of(path)
    if sha256 and (paper := memory.paper(sha256, parser.fingerprint)):
        return paper, True
    paper = parser.parse(path)
    return (paper if paper.sha256 else replace(paper, sha256=sha256)), False


def look_up(
    paper: Paper, questions: Sequence[Question], retriever: Retriever, settings: RetrievalSettings
) -> Iterator[tuple[Question, Sequence[Hit]]]:
    """Each question with its passages, best first."""
    index = retriever.index(split(paper, size=settings.passage_chars))
    for question in questions:
        yield question, index.rank(question)


def shown_to(reader: Reader, ranking: Sequence[Hit], settings: RetrievalSettings) -> tuple[tuple[Hit, ...], int]:
    """What is kept of a ranking, and how many of the first hits this reader is given."""
    own = reader.info.context_chars
    return limit(ranking, shown_chars=settings.shown_chars if own is None else own, kept_chars=settings.kept_chars)


def ask(paper: Paper, question: Question, reader: Reader, hits: tuple[Hit, ...], *, shown: int) -> Cell:
    started, context = time.perf_counter(), hits[:shown]
    try:
        answer = reader.read(question, paper, context)
        verdict = decide(answer, question=question.text, context=[hit.passage.text for hit in context])
        if verdict.status is Status.NOT_REPORTED and answer.p_reported is None:
            answer = separate_speculation(answer)
    except ReaderAbandoned:
        raise
    except ReaderFailed as err:
        answer, verdict = Answer("", usage=err.usage), Verdict(Status.FAILED, str(err))
    return Cell(
        key=cell_key(paper, question, reader.info, context),
        paper_sha256=paper.sha256,
        question=question.id,
        reader=reader.info.name,
        model=reader.info.model,
        verdict=verdict,
        answer=answer,
        hits=hits,
        shown=shown,
        seconds=time.perf_counter() - started,
    )


def decide(answer: Answer, *, question: str = "", context: Sequence[str] = ()) -> Verdict:
    """A model's own no counts; its yes has to be held by its quotes like any other; where it was not asked, the rules decide."""
    if answer.said is False:
        return Verdict(Status.NOT_REPORTED, "the model says so")
    if answer.said and is_silent(answer.text):
        return Verdict(Status.WITHHELD, "the model says yes, its answer that nothing is said")
    return judge(replace(answer, p_reported=1.0) if answer.said else answer, question=question, context=context)


def lost_paper(file: PaperFile, parser: str, status: PaperStatus, reason: str) -> Paper:
    """A paper that nobody could read to its end, known by its content, or by its place where that is all there is."""
    sha256 = "" if is_url(file.location) else sha256_of(file.path)
    return Paper(sha256 or digest(file.location), parser, status, reason)


def unread(entry: PaperEntry, paper: Paper, questions: Sequence[Question], readers: Sequence[Reader]) -> Iterator[CellDone]:
    """Every cell of a paper that could not be read."""
    for question in questions:
        for reader in readers:
            yield CellDone(entry, unreadable(paper, question, reader), known=False)


def unreadable(paper: Paper, question: Question, reader: Reader) -> Cell:
    """No reader is asked about a paper that could not be read; the cell says why."""
    verdict = Verdict(Status.UNREADABLE, f"{paper.status.value}: {paper.reason}")
    key = digest([paper.sha256, paper.parser, paper.status, question.id, reader.info.name])
    return Cell(key, paper.sha256, question.id, reader.info.name, reader.info.model, verdict, Answer(""))


def entry_of(name: str, paper: Paper, sidecars: Sequence[Sidecars] = ()) -> PaperEntry:
    entry = PaperEntry(
        name=name,
        sha256=paper.sha256,
        status=paper.status,
        reason=paper.reason,
        title=paper.title,
        authors=paper.authors,
        year=paper.year,
        doi=paper.doi,
        pages=len(paper.pages),
        text_sha256=text_digest(paper.text),
        hidden=paper.hidden,
        flags=(*paper.flags, *paper_flags(paper)),
    )
    return described(entry, sidecars)


def described(entry: PaperEntry, sidecars: Sequence[Sidecars]) -> PaperEntry:
    """The entry with what the files beside the papers say."""
    about = Metadata(entry.title, entry.authors, entry.year, entry.doi)
    for sidecar in sidecars:
        about = sidecar.lookup(entry.name, about)
    return replace(entry, title=about.title, authors=about.authors, year=about.year, doi=about.doi)
