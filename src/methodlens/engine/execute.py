"""One paper, from PDF to cells: read it, find the passages, ask the readers, judge the answers.

Nothing here writes: the driver stores the result.
"""

import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from methodlens.errors import MethodlensError, ReaderAbandoned, ReaderFailed
from methodlens.ledger.keys import cell_key, digest
from methodlens.ledger.packing import build_decoders, compress
from methodlens.ledger.paper_results import CellRecord, KnownPaper, PaperResult, pack_hits, record_of
from methodlens.papers import FetchError, PaperFile, cut, local_copy, sha256_of, text_digest
from methodlens.papers.files import printable_name
from methodlens.papers.parsers import Parsers
from methodlens.papers.remote_files import is_url
from methodlens.records import Answer, Cell, Hit, Paper, PaperEntry, PaperStatus, Question, ReaderInfo, Status, Verdict
from methodlens.retrieval import limit
from methodlens.seams import GroupReader, Reader, Retriever
from methodlens.settings import PaperLimits, RetrievalSettings
from methodlens.verdicts import is_silent, judge, paper_flags, separate_speculation

UNREAD_FLAG = "unread_pages"
_MAX_QUOTED = 160
MAX_UNREAD = 0.1
"""The share of pages that may be unread, such as a full-page figure, in a paper that is said not to report something."""


class Task(Struct, frozen=True):
    """A paper to do. `sha256` is empty if the driver did not read the file; `known` is what the ledger has on it."""

    location: str
    name: str
    sha256: str = ""
    known: KnownPaper | None = None


build_decoders(Task)


class Head(Protocol):
    """Answers a cell of a deferred reader if no call is needed, otherwise returns None: see `cascade.Head`."""

    def cell(self, paper: Paper, question: Question, hits: tuple[Hit, ...], *, shown: int) -> Cell | None: ...


@runtime_checkable
class CompositeReader(Protocol):
    """A Reader that is made of others, and gives a whole cell: see `cascade.Cascade`."""

    def compose(
        self, paper: Paper, question: Question, hits: tuple[Hit, ...], *, shown: int, ask: Callable[..., Cell]
    ) -> Cell: ...


class Stages(NamedTuple):
    """The parts that a paper goes through."""

    parsers: Parsers
    retriever: Retriever
    readers: Sequence[Reader]
    deferred: Sequence[ReaderInfo]
    """Readers that the driver asks: remote ones, and objects of its process. Their cells are returned as due."""
    questions: Sequence[Question]
    retrieval: RetrievalSettings
    max_file_mb: int = PaperLimits().max_file_mb
    heads: Mapping[str, "Head"] = MappingProxyType({})
    """By the name of a deferred reader: what may answer its cell without a call."""

    @property
    def all_readers(self) -> list[ReaderInfo]:
        return [*(reader.info for reader in self.readers), *self.deferred]


def execute(task: Task, stages: Stages, *, abandoned: Callable[[], bool] = lambda: False) -> PaperResult:
    """The paper and its cells. Whatever breaks on this paper becomes its status; a MethodlensError concerns all papers.

    Raises ReaderAbandoned before the next cell once `abandoned` returns true.
    """
    try:
        return _execute(task, stages, abandoned)
    except MethodlensError:
        raise
    except Exception as err:
        reason = f"methodlens failed on it ({err!r:.200}); please report this, with the paper if you may share it"
        return _unreadable(task, stages, reason)


def _execute(task: Task, stages: Stages, abandoned: Callable[[], bool]) -> PaperResult:
    try:
        paper, is_known = read_paper(task, stages.parsers, max_file_mb=stages.max_file_mb)
    except FetchError as err:
        return _unreadable(task, stages, str(err))
    entry, text = entry_of(task.name, paper), None if is_known else compress(paper)
    if paper.status is not PaperStatus.OK:
        return PaperResult(entry, paper.parser, text, tuple(unreadable_cells(paper, stages.questions, stages.all_readers)))
    decided = task.known.cells if task.known else {}
    here = {reader.info: reader for reader in stages.readers}
    answered, known, due = [], [], []
    for question, ranking in look_up(paper, stages.questions, stages.retriever, stages.retrieval):
        for info in stages.all_readers:
            if abandoned():
                raise ReaderAbandoned(f"{task.name} is abandoned", "rerun to resume")
            hits, shown = select_context(info, ranking, stages.retrieval)
            key = cell_key(paper, question, info, hits[:shown])
            if key in decided:
                known.append(CellRecord(key, question.id, info.name, Verdict(decided[key])))
            elif info in here:
                answered.append(record_of(ask(paper, question, here[info], hits, shown=shown)))
            elif (head := stages.heads.get(info.name)) and (cell := head.cell(paper, question, hits, shown=shown)):
                answered.append(record_of(cell))
            else:
                due.append(CellRecord(key, question.id, info.name, passages=pack_hits(hits, shown)))
    return PaperResult(entry, paper.parser, text, tuple(answered), tuple(known), tuple(due))


def read_paper(task: Task, parsers: Parsers, *, max_file_mb: int = PaperLimits().max_file_mb) -> tuple[Paper, bool]:
    """The paper, and whether the ledger has it. If the file is gone, the ledger's text is used."""
    known = task.known
    if not task.location:
        if known is None:
            raise FetchError("its file is gone, and the ledger has no text of it; put the file back and rerun")
        return known.paper(), True
    with local_copy(PaperFile(task.location, task.name), max_mb=max_file_mb) as path:
        sha256 = task.sha256 or sha256_of(path)
        if known and (known.sha256, known.parser) == (sha256, parsers.fingerprint_for(path)):
            paper = known.paper()
            if paper.text or paper.status is not PaperStatus.OK:  # 0.1.0 kept papers that were ok without any text
                return paper, True
        paper = parsers.parse(path)
    return (paper if paper.sha256 else replace(paper, sha256=sha256)), False


def look_up(
    paper: Paper, questions: Sequence[Question], retriever: Retriever, settings: RetrievalSettings
) -> Iterator[tuple[Question, Sequence[Hit]]]:
    """Each question with its passages, best first."""
    index = retriever.index(cut(paper, settings))
    for question in questions:
        yield question, index.rank(question)


def select_context(reader: ReaderInfo, ranking: Sequence[Hit], settings: RetrievalSettings) -> tuple[tuple[Hit, ...], int]:
    """The hits to keep, and how many of the first ones this reader is given."""
    shown_chars = settings.shown_chars if reader.context_chars is None else reader.context_chars
    return limit(ranking, shown_chars=shown_chars, kept_chars=settings.kept_chars, shown_passages=settings.shown_passages)


def ask(paper: Paper, question: Question, reader: Reader, hits: tuple[Hit, ...], *, shown: int) -> Cell:
    """The cell. `shown` of the hits are the reader's context."""
    if isinstance(reader, CompositeReader):
        return reader.compose(paper, question, hits, shown=shown, ask=ask)
    started = time.perf_counter()
    answer: Answer | ReaderFailed
    try:
        answer = reader.read(question, paper, hits[:shown])
    except ReaderAbandoned:
        raise
    except ReaderFailed as err:
        answer = err
    asked = AskedCell(paper, question, hits, shown)
    return cell_of(asked, reader.info, answer, seconds=time.perf_counter() - started)


def ask_group(
    paper: Paper, questions: Sequence[Question], reader: GroupReader, contexts: Sequence[tuple[tuple[Hit, ...], int]]
) -> list[Cell]:
    """The cells of one call, in the order of the questions. Each context is the hits and how many of them are shown."""
    started = time.perf_counter()
    answers = reader.read_group(questions, paper, [hits[:shown] for hits, shown in contexts])
    seconds = (time.perf_counter() - started) / max(1, len(questions))
    asked = (AskedCell(paper, question, *context) for question, context in zip(questions, contexts, strict=True))
    return [cell_of(one, reader.info, answer, seconds=seconds) for one, answer in zip(asked, answers, strict=True)]


class AskedCell(NamedTuple):
    """A question to a paper. `shown` of the hits, counted from the first, were given to the reader."""

    paper: Paper
    question: Question
    hits: tuple[Hit, ...]
    shown: int


def cell_of(asked: AskedCell, reader: ReaderInfo, answer: Answer | ReaderFailed, *, seconds: float) -> Cell:
    """The cell with its verdict, whatever way the answer came."""
    paper, question, hits, shown = asked
    context = hits[:shown]
    if isinstance(answer, ReaderFailed):
        answer, verdict = Answer("", usage=answer.usage), Verdict(Status.FAILED, str(answer))
    else:
        verdict = decide(answer, question=question.text, context=[hit.passage.text for hit in context])
        verdict = withhold_if_contradicted(withhold_if_unread(verdict, paper), answer)
        if verdict.status is Status.NOT_REPORTED and answer.p_reported is None:
            answer = separate_speculation(answer)
    return Cell(
        key=cell_key(paper, question, reader, context),
        paper_sha256=paper.sha256,
        question=question.id,
        reader=reader.name,
        model=reader.model,
        verdict=verdict,
        answer=answer,
        hits=hits,
        shown=shown,
        seconds=seconds,
    )


def withhold_if_unread(verdict: Verdict, paper: Paper) -> Verdict:
    """ "Not reported" needs a paper that was read: what is missing may be on the pages that were not."""
    if verdict.status is Status.NOT_REPORTED and _is_partly_unread(paper):
        return Verdict(Status.WITHHELD, f"{len(paper.unread)} of {len(paper.pages)} pages could not be read")
    return verdict


def withhold_if_contradicted(verdict: Verdict, answer: Answer) -> Verdict:
    """A model that says "not reported" may have obeyed a sentence in the paper; or the embedded reader is wrong."""
    if verdict.status is Status.NOT_REPORTED and answer.contradiction:
        found = textwrap.shorten(answer.contradiction, _MAX_QUOTED, placeholder=" ...")
        return Verdict(Status.WITHHELD, f"the embedded reader found an answer: “{found}”")
    return verdict


def _is_partly_unread(paper: Paper) -> bool:
    return paper.status is PaperStatus.OK and len(paper.unread) > MAX_UNREAD * len(paper.pages)


def decide(answer: Answer, *, question: str = "", context: Sequence[str] = ()) -> Verdict:
    """A model's "no" counts; its "yes" needs support from its quotes; without either, the rules decide."""
    if answer.says_reported is False:
        return Verdict(Status.NOT_REPORTED, "the model says so")
    if answer.says_reported and is_silent(answer.text):
        return Verdict(Status.WITHHELD, "the model says yes, its answer that nothing is said")
    return judge(replace(answer, p_reported=1.0) if answer.says_reported else answer, question=question, context=context)


def _unreadable(task: Task, stages: Stages, reason: str) -> PaperResult:
    parser = stages.parsers.fingerprint
    return unreadable_result(task, parser, PaperStatus.CRASHED, reason, stages.questions, stages.all_readers)


def unreadable_result(
    task: Task, parser: str, status: PaperStatus, reason: str, questions: Sequence[Question], readers: Sequence[ReaderInfo]
) -> PaperResult:
    """For a paper that could not be read, identified by its content, or else by its location or name."""
    sha256 = task.sha256 or ("" if is_url(task.location) or not task.location else sha256_of(Path(task.location)))
    paper = Paper(sha256 or digest(printable_name(task.location or task.name)), parser, status, reason)
    cells = unreadable_cells(paper, questions, readers)
    return PaperResult(entry_of(task.name, paper), parser, None, tuple(cells))


def unreadable_cells(paper: Paper, questions: Sequence[Question], readers: Sequence[ReaderInfo]) -> Iterator[CellRecord]:
    """The cells of a paper that could not be read: no reader is asked."""
    verdict = Verdict(Status.UNREADABLE, f"{paper.status.value}: {paper.reason}")
    for question in questions:
        for reader in readers:
            key = digest([paper.sha256, paper.parser, paper.status, question.id, reader.name])
            yield record_of(Cell(key, paper.sha256, question.id, reader.name, reader.model, verdict, Answer("")))


def entry_of(name: str, paper: Paper) -> PaperEntry:
    return PaperEntry(
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
        flags=(*paper.flags, *paper_flags(paper), *([UNREAD_FLAG] if _is_partly_unread(paper) else [])),
    )
