"""Adds papers or questions to a run: its cells are carried over, and only new ones are asked."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from methodlens.engine.plan import Plan, run_id, sidecars_of
from methodlens.ledger.repeats import with_repeats
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import PaperFile, locate_all, parser_fingerprint
from methodlens.papers.files import printable_name
from methodlens.records import Question
from methodlens.seams import Reader
from methodlens.settings import Settings


def with_papers(ledger: Ledger, run: Run, folder: Path, papers: Sequence[PaperFile]) -> Run:
    """The run over its sources and `folder`, as `methodlens run SOURCES FOLDER` would make it."""
    sources = tuple(dict.fromkeys((*run.sources, printable_name(folder.resolve()))))
    count = len(_names(ledger, run, papers))
    return replace(run, id=run_id(sources, run.questions, run.readers), sources=sources, papers=count)


def with_question(run: Run, question: Question) -> Run:
    questions = (*run.questions, question)
    return replace(run, id=run_id(run.sources, questions, run.readers), questions=questions)


def plan_addition(
    ledger: Ledger,
    old: Run,
    new: Run,
    readers: Sequence[Reader],
    *,
    settings: Settings,
    papers: Sequence[PaperFile] | None = None,
    portable: Iterable[str] = (),
) -> Plan:
    """The part of `new` that `old` lacks. `papers` are the new papers; None means all papers, for a new question.

    A paper whose file is gone is planned without a location: the ledger has its text.
    """
    names = _names(ledger, old, papers or ())
    asked = {question.id for question in old.questions}
    questions = new.questions if papers is not None else tuple(each for each in new.questions if each.id not in asked)
    if papers is None:
        files = locate_all(new.sources)
        papers = [files.get(name) or PaperFile("", name) for name in names]
    return Plan(
        new,
        tuple(papers),
        with_repeats(readers, new.repeat),
        questions,
        names,
        parser_fingerprint(settings.reading),
        portable=frozenset(portable),
        sidecars=sidecars_of(new.sources),
        max_file_mb=settings.papers.max_file_mb,
    )


def _names(ledger: Ledger, run: Run, more: Sequence[PaperFile]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ledger.names(run), *(paper.name for paper in more))))
