"""A run with more papers or more questions: what stands is carried over, and only what is new is asked."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from methodlens.engine import driver
from methodlens.engine.budget import Budget
from methodlens.engine.engine import LocalEngine
from methodlens.engine.execute import Stages
from methodlens.engine.plan import Plan, run_id
from methodlens.ledger.ledger import Ledger, Run
from methodlens.ledger.repeats import asked_again
from methodlens.papers import PaperFile, locate_all, read_sidecars
from methodlens.records import Question
from methodlens.seams import Parser, Reader, Retriever
from methodlens.settings import Settings


def with_papers(ledger: Ledger, run: Run, folder: Path, papers: Sequence[PaperFile]) -> Run:
    """The run over the same sources and `folder`, as `methodlens run SOURCES FOLDER` would have it."""
    sources = tuple(dict.fromkeys((*run.sources, str(folder.resolve()))))
    many = len(_names(ledger, run, papers))
    return replace(run, id=run_id(sources, run.questions, run.readers), sources=sources, papers=many)


def with_question(run: Run, question: Question) -> Run:
    questions = (*run.questions, question)
    return replace(run, id=run_id(run.sources, questions, run.readers), questions=questions)


class Tools:
    """What does the work, and what it may spend: made when it is first needed, since models take a moment to load."""

    def __init__(
        self,
        parser: Parser,
        retriever: Retriever,
        readers: Sequence[Reader],
        settings: Settings,
        *,
        budget: Budget | None = None,
    ) -> None:
        self.parser, self.retriever, self.readers, self.settings = parser, retriever, readers, settings
        self.budget = budget


def grow(
    ledger: Ledger,
    old: Run,
    new: Run,
    tools: Tools,
    *,
    papers: Sequence[PaperFile] | None = None,
    watch: Callable[[driver.Event], None] = lambda _: None,
) -> driver.Summary:
    """Do what `new` has and `old` has not. `papers` are the new ones; None means all of the run, for a new question."""
    known = {question.id for question in old.questions}
    questions = new.questions if papers is not None else tuple(one for one in new.questions if one.id not in known)
    where = locate_all(new.sources)
    names = _names(ledger, old, papers or ())
    todo = tuple(papers) if papers is not None else tuple(where[name] for name in names if name in where)
    sidecars = tuple(read_sidecars(Path(source)) for source in new.sources if Path(source).is_dir())
    settings = tools.settings
    readers = asked_again(tools.readers, new.repeat)
    stages = Stages(tools.parser, tools.retriever, readers, questions, settings.retrieval, sidecars)
    ledger.carry_over(old, new)
    engine = LocalEngine(stages, ledger, at_once=settings.worker_count)
    return driver.run(Plan(new, todo, readers, sidecars, names), engine, ledger, budget=tools.budget, watch=watch)


def _names(ledger: Ledger, run: Run, more: Sequence[PaperFile]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ledger.names(run), *(paper.name for paper in more))))
