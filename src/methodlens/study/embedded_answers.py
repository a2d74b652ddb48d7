"""Answer the study's questions with the embedded reader, from the contexts that the study's models were given."""

from collections.abc import Callable

from msgspec.structs import replace

from methodlens.engine.execute import ask
from methodlens.ledger.keys import digest
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import from_text, split
from methodlens.records import Cell, Paper, Question
from methodlens.retrieval import LexicalRetriever
from methodlens.seams import Reader, Retriever
from methodlens.settings import RetrievalSettings


def embedded_run(study: Run, reader: Reader) -> Run:
    """A separate run, so that the reader takes no part in the study's vote."""
    return replace(
        study,
        id=digest(["ours", study.id, reader.info.name, reader.info.fingerprint]),
        readers=(reader.info.name,),
        question_set=f"{study.question_set}-ours",
    )


def answer_contexts(
    study: Run,
    ledger: Ledger,
    *,
    reader: Reader,
    settings: RetrievalSettings,
    watch: Callable[[str], None] = lambda _: None,
) -> Run:
    """Answer every cell from its context, paper by paper. Papers that are fully answered are skipped."""
    run, retriever = embedded_run(study, reader), LexicalRetriever()
    ledger.begin(run, tuple(ledger.names(study)))
    for entry, parser in ledger.entries(study):
        paper = ledger.paper(entry.sha256, parser)
        if paper and len(ledger.cells(run, entry, parser)) < len(run.questions):
            contexts = {cell.question: cell.hits[0].passage.text for cell in ledger.cells(study, entry, parser) if cell.hits}
            cells = [_answer(contexts.get(question.id, ""), question, reader, retriever, settings) for question in run.questions]
            ledger.keep_result(run.id, result_of(entry, paper, [_attach(cell, paper) for cell in cells]))
        watch(entry.name)
    ledger.end(run.id)
    return run


def _answer(context: str, question: Question, reader: Reader, retriever: Retriever, settings: RetrievalSettings) -> Cell:
    paper = from_text(context.split("\n\n"))
    ranked = retriever.index(split(paper, size=settings.passage_chars)).rank(question)
    return ask(paper, question, reader, tuple(ranked), shown=len(ranked))  # the models were given the whole context


def _attach(cell: Cell, paper: Paper) -> Cell:
    """Without its hits: they are spans of the context, which is not a paper in the ledger. Quotes are stored as text."""
    return replace(cell, paper_sha256=paper.sha256, key=digest([cell.key, paper.sha256]), hits=(), shown=0)
