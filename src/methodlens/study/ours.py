"""Our reader on the same contexts: what would it have said, given what the study's models were given?"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from methodlens.engine.execute import ask
from methodlens.ledger.keys import digest
from methodlens.ledger.ledger import Ledger, Run
from methodlens.papers import from_text, split
from methodlens.records import Cell, Paper, PaperEntry, Question
from methodlens.seams import Reader, Retriever
from methodlens.settings import RetrievalSettings


def run_of_ours(study: Run, reader: Reader) -> Run:
    """A run of its own beside the study's, so that the study's vote stays the study's."""
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
    retriever: Retriever,
    settings: RetrievalSettings,
    watch: Callable[[str], None] = lambda _: None,
) -> Run:
    """Answer every cell from its own context, paper by paper; papers that stand answered are not asked again."""
    run = run_of_ours(study, reader)
    ledger.begin(run, tuple(ledger.names(study)))
    for entry, parser in ledger.entries(study):
        done = ledger.cells(run, entry, parser)
        paper = ledger.paper(entry.sha256, parser)
        if paper and len(done) < len(run.questions):
            answered = list(_cells(paper, study, ledger, entry, reader, retriever, settings))
            ledger.keep_all(run.id, entry, paper, answered)
        watch(entry.name)
    ledger.end(run.id)
    return run


def _cells(
    paper: Paper,
    study: Run,
    ledger: Ledger,
    entry: PaperEntry,
    reader: Reader,
    retriever: Retriever,
    settings: RetrievalSettings,
) -> Iterator[Cell]:
    contexts = {cell.question: cell.hits[0].passage.text for cell in ledger.cells(study, entry, paper.parser) if cell.hits}
    for question in study.questions:
        cell = _answered(contexts.get(question.id, ""), question, reader, retriever, settings)
        # Its passages are spans of the context alone, which the ledger does not keep as a paper; its quotes stand as text
        yield replace(cell, paper_sha256=paper.sha256, key=digest([cell.key, paper.sha256]), hits=(), shown=0)


def _answered(context: str, question: Question, reader: Reader, retriever: Retriever, settings: RetrievalSettings) -> Cell:
    alone = from_text(context.split("\n\n"))
    ranked = retriever.index(split(alone, size=settings.passage_chars)).rank(question)
    return ask(alone, question, reader, tuple(ranked), shown=len(ranked))  # the models were shown all of it
