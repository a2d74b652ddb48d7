"""Import a study into the ledger: models become readers, and the text of a paper is the contexts retrieved from it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from methodlens._version import __version__
from methodlens.ledger.annotations import HUMAN_ON, PUBLISHED
from methodlens.ledger.keys import digest
from methodlens.ledger.paper_results import result_of
from methodlens.ledger.store import Ledger, Run
from methodlens.records import Annotation, Answer, Cell, CellRef, Hit, Paper, PaperEntry, Passage, Question, Status
from methodlens.study.dataset import CATEGORIES, PARSER, QUESTION_SET, Defect, Study
from methodlens.study.defects import StudyVerdict, judge_answer
from methodlens.verdicts import NO_DL

_ANNOTATED_AT = "2025"
"""The year of publication: with a constant date, a second import adds no annotations."""


class ImportResult(Struct, frozen=True):
    run: Run
    defects: tuple[Defect, ...]
    statuses: dict[Status, int]


def create_run(study: Study, source: Path, questions: Sequence[Question]) -> Run:
    """`questions` provide titles and queries; the wording is the study's, if it has it."""
    ids = list(next(iter(study.cells.values())))
    by_id = {question.id: question for question in questions}
    wording = dict(zip(by_id, study.questions, strict=False))
    asked = (by_id.get(name, Question(name, name)) for name in ids)
    path = str(source.resolve())
    return Run(
        id=digest(["study", path, ids, study.models]),
        sources=(path,),
        questions=tuple(replace(question, text=wording.get(question.id, question.text)) for question in asked),
        readers=study.models,
        papers=len(study.cells),
        question_set=QUESTION_SET,
        version=__version__,
    )


def import_study(study: Study, run: Run, ledger: Ledger, *, watch: Callable[[str], None] = lambda _: None) -> ImportResult:
    """One transaction per paper. `watch` is called with the name of each imported paper."""
    defects = list(study.defects)
    statuses = dict.fromkeys(Status, 0)
    ledger.begin(run, tuple(study.cells))
    for name, study_cells in study.cells.items():
        paper, spans = _paper(name, {question: cell.context for question, cell in study_cells.items()})
        verdicts = {
            (question, model): judge_answer(answer, paper=name, question=question, model=model)
            for question, cell in study_cells.items()
            for model, answer in cell.answers.items()
        }
        cells = [_cell(paper, spans[question], question, model, verdict) for (question, model), verdict in verdicts.items()]
        flags = (NO_DL,) if study.gate.get(name) is False else ()
        ledger.keep_result(run.id, result_of(PaperEntry(name, paper.sha256, flags=flags), paper, cells))
        ledger.keep_annotations(_annotations(name, paper, study, verdicts))
        for verdict in verdicts.values():
            defects += verdict.defects
            statuses[verdict.verdict.status] += 1
        watch(name)
    ledger.end(run.id)
    return ImportResult(run, tuple(defects), {status: count for status, count in statuses.items() if count})


def _paper(name: str, contexts: dict[str, str]) -> tuple[Paper, dict[str, tuple[int, int]]]:
    """The text is the distinct contexts; also returns the span of each question's context."""
    starts: dict[str, int] = {}
    text = ""
    for context in contexts.values():
        if context not in starts:
            starts[context] = len(text)
            text += context + "\n\n"
    spans = {question: (starts[context], starts[context] + len(context)) for question, context in contexts.items()}
    # The hash includes the name: two papers may have the same contexts but different labels.
    return Paper(sha256=digest([name, text]), parser=PARSER, title=name, text=text or "\n"), spans


def _cell(paper: Paper, span: tuple[int, int], question: str, model: str, judged: StudyVerdict) -> Cell:
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


def _annotations(name: str, paper: Paper, study: Study, verdicts: dict[tuple[str, str], StudyVerdict]) -> Iterator[Annotation]:
    """The published label of each answer, human judgements of the answers, and human categories of the paper."""
    for (question, model), verdict in verdicts.items():
        for annotator, label in (
            (f"{PUBLISHED}{model}", verdict.published),
            (f"{HUMAN_ON}{model}", study.cells[name][question].answers[model].human),
        ):
            if label is not None:
                yield _annotation(paper, question, annotator, label)
        category = study.categories.get(CellRef(name, question))
        if category is not None and model == study.models[0]:
            yield _annotation(paper, question, CATEGORIES, category)


def _annotation(paper: Paper, question: str, annotator: str, reported: bool) -> Annotation:
    status = Status.REPORTED if reported else Status.NOT_REPORTED
    return Annotation(paper.sha256, question, annotator, status, _ANNOTATED_AT)
