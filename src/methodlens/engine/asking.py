"""Ask questions without a ledger: of one paper, or of many files that are read in parallel."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from methodlens.engine.execute import Task, ask, look_up, read_paper, select_context
from methodlens.papers import FetchError, PaperFile, sha256_of
from methodlens.papers.parsers import Parsers
from methodlens.records import Answer, Cell, Paper, PaperStatus, Question, Status, Verdict
from methodlens.seams import Reader, Retriever
from methodlens.settings import RetrievalSettings

_AHEAD = 2  # papers read ahead per worker, so that memory does not grow with the folder


def answer_cells(
    paper: Paper, questions: Sequence[Question], readers: Sequence[Reader], retriever: Retriever, settings: RetrievalSettings
) -> Iterator[tuple[Question, list[Cell]]]:
    """Each question with the cell of each reader. The paper is indexed once."""
    for question, ranking in look_up(paper, questions, retriever, settings):
        cells: list[Cell] = []
        for reader in readers:
            hits, shown = select_context(reader.info, ranking, settings)
            cells.append(ask(paper, question, reader, hits, shown=shown))
        yield question, cells


def read_files(
    files: Sequence[PaperFile], parsers: Parsers, *, max_file_mb: int, workers: int
) -> Iterator[tuple[PaperFile, Paper]]:
    """The papers in the order of the files; one that cannot be read has a status and a reason."""

    def read(file: PaperFile) -> Paper:
        try:
            return read_paper(Task(file.location, file.name), parsers, max_file_mb=max_file_mb)[0]
        except FetchError as err:
            return Paper(sha256_of(file.path), parsers.fingerprint, PaperStatus.CRASHED, str(err))

    pool = ThreadPoolExecutor(max(1, workers), thread_name_prefix="paper")
    try:
        size = _AHEAD * max(1, workers)
        for start in range(0, len(files), size):
            batch = files[start : start + size]
            yield from zip(batch, pool.map(read, batch), strict=True)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def unreadable_cell(paper: Paper, question: Question, reader: Reader) -> Cell:
    verdict = Verdict(Status.UNREADABLE, f"{paper.status.value}: {paper.reason}")
    return Cell("", paper.sha256, question.id, reader.info.name, reader.info.model, verdict, Answer(""))
