"""The tables beside a study's answers: the deep-learning gate, the human categories, the questions."""

from pathlib import Path

from methodlens.errors import LabelsError
from methodlens.evaluation.catalog import PaperCatalog
from methodlens.evaluation.labels import parse_labels
from methodlens.evaluation.table_files import TableRow, read_table
from methodlens.evaluation.vocabulary import LabelWords, load_mapping, normalise
from methodlens.records import PaperEntry, Question
from methodlens.settings import EvaluationSettings
from methodlens.study.nouns import Defect, DefectKind, Study

_GATE = ("uses_deep_learning", "dl_method_availability")
_UID = ("paper", "uid")


def read_beside(study: Study, folder: Path) -> None:
    """Recognised by their columns, whatever they are called; what is none of these is left alone."""
    for path in sorted(folder.glob("*.csv")):
        try:
            rows = read_table(path)
        except LabelsError:
            continue
        columns = {normalise(name): name for name in rows[0].values}
        gate, paper = (next((columns[name] for name in names if name in columns), None) for names in (_GATE, _UID))
        if gate and paper:
            _gate(study, rows, paper, gate)
        elif not _categories(study, rows):
            continue
        study.also += (path.name,)
    questions = folder / "questions.txt"
    if questions.is_file():
        study.questions = tuple(line.strip() for line in questions.read_text(encoding="utf-8-sig").splitlines() if line.strip())
        study.also += (questions.name,)


def _gate(study: Study, rows: list[TableRow], paper: str, gate: str) -> None:
    known, words = _known(study), LabelWords(EvaluationSettings())
    found: dict[str, bool] = {}
    for row in rows:
        name = known.paper(str(row.values[paper]))
        if name is None:
            study.defects.append(Defect(DefectKind.UNKNOWN_PAPER, str(row.values[paper]), detail=row.where))
            continue
        status = words.status(row.values[gate]) if words.knows(row.values[gate]) else None
        if status is None or status.reported is None:
            study.defects.append(Defect(DefectKind.ODD_LABEL, name, detail=f"{row.where}: {row.values[gate]!r}"))
        else:
            found[name] = status.reported
    study.defects += [Defect(DefectKind.NO_GATE, name) for name in study.cells if name not in found]
    study.gate = found


def _categories(study: Study, rows: list[TableRow]) -> bool:
    mapping = load_mapping("study-categories")
    if not any(mapping.question(name) for name in rows[0].values if name):
        return False
    gold = parse_labels(rows, _known(study), LabelWords(EvaluationSettings()), mapping=mapping)
    for problem in gold.problems:
        kind = {"unknown paper": DefectKind.UNKNOWN_PAPER, "odd label": DefectKind.ODD_LABEL}.get(problem.kind)
        if kind:
            study.defects.append(Defect(kind, detail=f"{problem.where}: {problem.what}"))
    decided = ((label.paper, label.question, label.status.reported) for label in gold.labels)
    study.categories = {(paper, question): reported for paper, question, reported in decided if reported is not None}
    return True


def _known(study: Study) -> PaperCatalog:
    questions = dict.fromkeys(question for cells in study.cells.values() for question in cells)
    return PaperCatalog([PaperEntry(name, "") for name in study.cells], [Question(question, question) for question in questions])
