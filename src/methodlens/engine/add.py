"""Adds papers or questions to a run: its cells are carried over, and only new ones are asked."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from methodlens.engine.pair_choice import PairChoice
from methodlens.engine.plan import Plan, run_id, sidecars_of
from methodlens.engine.supplement_pairs import Supplements, pair_supplements, without_supplements
from methodlens.ledger.repeats import with_repeats
from methodlens.ledger.store import Ledger, Run
from methodlens.papers import PaperFile, list_files, locate_all, parser_fingerprint
from methodlens.papers.files import printable_name
from methodlens.papers.forms.recognition import is_found
from methodlens.records import Question
from methodlens.seams import Reader
from methodlens.settings import Settings


class Addition(NamedTuple):
    """Papers to add to a run, and supplements by the names of their papers, which are among the added or in the run."""

    papers: tuple[PaperFile, ...]
    supplements: Supplements


def pair_addition(ledger: Ledger, run: Run, folder: Path, files: Sequence[PaperFile]) -> Addition:
    """Tell papers from supplements among new files of `folder`, by their names as `methodlens run` does."""
    in_run = set(ledger.names(run))
    beside = [file for file in list_files([folder]) if file.name in in_run]
    candidates = tuple({file.name: file for file in (*beside, *files)}.values())
    pairs = pair_supplements(candidates, PairChoice(), sidecars_of([str(folder)]))
    new = {
        main: tuple(each for each in found if each.file in files and each.file.name not in in_run)
        for main, found in pairs.items()
    }
    supplements = {main: found for main, found in new.items() if found}
    return Addition(tuple(without_supplements(files, supplements)), supplements)


def with_papers(ledger: Ledger, run: Run, folder: Path, files: Sequence[PaperFile]) -> Run:
    """The run over its sources and `folder`, as `methodlens run SOURCES FOLDER` would make it. Files that a search of the folder
    leaves out, such as plain text, are sources themselves."""
    named = (file.path for file in files if not is_found(file.location))
    sources = tuple(dict.fromkeys((*run.sources, *(printable_name(path.resolve()) for path in (folder, *named)))))
    count = len(_names(ledger, run, pair_addition(ledger, run, folder, files).papers))
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
        is_addition=True,
    )


def _names(ledger: Ledger, run: Run, more: Sequence[PaperFile]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ledger.names(run), *(paper.name for paper in more))))
