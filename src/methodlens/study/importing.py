"""A study into the ledger: each model a reader of its own, each paper the contexts its search retrieved."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.ledger.annotations import HUMAN_ON, PUBLISHED
from methodlens.ledger.keys import digest
from methodlens.ledger.ledger import Ledger, Run
from methodlens.records import Annotation, Answer, Cell, Hit, Paper, PaperEntry, Passage, Question, Status
from methodlens.study.defects import Judged, judge_answer
from methodlens.study.nouns import CATEGORIES, NO_DL, PARSER, QUESTION_SET, Defect, Study

_AT = "2025"
"""When the study's labels were given: the year of its publication, so that importing twice keeps them once."""


class Imported(Struct, frozen=True):
    run: Run
    defects: tuple[Defect, ...]
    statuses: dict[Status, int]


def run_of(study: Study, source: Path, questions: Sequence[Question]) -> Run:
    """`questions` lends each its title and query; the words are the study's own where it has them."""
    ids = list(next(iter(study.cells.values())))
    known = {question.id: question for question in questions}
    words = dict(zip((question.id for question in questions), study.questions, strict=False)) if study.questions else {}
    lent = (known.get(name, Question(name, name)) for name in ids)
    asked = tuple(replace(question, text=words.get(question.id, question.text)) for question in lent)
    where = str(source.resolve())
    return Run(
        id=digest(["study", where, ids, study.models]),
        sources=(where,),
        questions=asked,
        readers=study.models,
        papers=len(study.cells),
        question_set=QUESTION_SET,
        version=__version__,
    )


def keep(study: Study, run: Run, ledger: Ledger, *, watch: Callable[[str], None] = lambda _: None) -> Imported:
    """One transaction a paper. `watch` is told the name of each paper that is kept."""
    defects = list(study.defects)
    statuses = dict.fromkeys(Status, 0)
    ledger.begin(run, tuple(study.cells))
    for name, cells in study.cells.items():
        paper, spans = _paper(name, {question: cell.context for question, cell in cells.items()})
        judged = {
            (question, model): judge_answer(given, paper=name, question=question, model=model)
            for question, cell in cells.items()
            for model, given in cell.answers.items()
        }
        made = [_cell(paper, spans[question], question, model, one) for (question, model), one in judged.items()]
        ledger.keep_all(run.id, _entry(name, paper, study), paper, made)
        ledger.keep_annotations(_annotations(name, paper, study, judged))
        for one in judged.values():
            defects += one.defects
            statuses[one.verdict.status] += 1
        watch(name)
    ledger.end(run.id)
    return Imported(run, tuple(defects), {status: many for status, many in statuses.items() if many})


def _paper(name: str, contexts: dict[str, str]) -> tuple[Paper, dict[str, tuple[int, int]]]:
    """Its text is the contexts, each once, and where in it the context of each question stands."""
    places: dict[str, int] = {}
    text = ""
    for context in contexts.values():
        if context not in places:
            places[context] = len(text)
            text += context + "\n\n"
    spans = {question: (places[context], places[context] + len(context)) for question, context in contexts.items()}
    # the name is part of it: two papers of a study may well have the same contexts, and yet have labels of their own
    return Paper(sha256=digest([name, text]), parser=PARSER, title=name, text=text or "\n"), spans


def _entry(name: str, paper: Paper, study: Study) -> PaperEntry:
    return PaperEntry(name, paper.sha256, flags=(NO_DL,) if study.gate.get(name) is False else ())


def _cell(paper: Paper, span: tuple[int, int], question: str, model: str, judged: Judged) -> Cell:
    start, end = span
    hits = (Hit(Passage(start, end, 1, "context", paper.text[start:end]), 1.0),) if end > start else ()
    return Cell(
        key=digest([paper.sha256, question, model, judged.text, judged.raw, judged.published, judged.verdict]),
        paper_sha256=paper.sha256,
        question=question,
        reader=model,
        model=model,
        verdict=judged.verdict,
        answer=Answer(judged.text, raw=judged.raw),
        hits=hits,
        shown=len(hits),
    )


def _annotations(name: str, paper: Paper, study: Study, judged: dict[tuple[str, str], Judged]) -> Iterator[Annotation]:
    """What the study counted for each answer, what a person said of it, and what people said of the paper."""
    for (question, model), one in judged.items():
        for annotator, said in (
            (f"{PUBLISHED}{model}", one.published),
            (f"{HUMAN_ON}{model}", study.cells[name][question].answers[model].human),
        ):
            if said is not None:
                yield _annotation(paper, question, annotator, said)
        if (name, question) in study.categories and model == study.models[0]:
            yield _annotation(paper, question, CATEGORIES, study.categories[(name, question)])


def _annotation(paper: Paper, question: str, annotator: str, said: bool) -> Annotation:
    return Annotation(paper.sha256, question, annotator, Status.REPORTED if said else Status.NOT_REPORTED, _AT)
