"""The tables of a study other than its answers: the deep-learning gate, the human categories, the questions."""

from pathlib import Path

from methodlens.errors import LabelsError
from methodlens.evaluation.labels import parse_labels
from methodlens.evaluation.paper_catalog import PaperCatalog
from methodlens.evaluation.table_files import TableRow, read_table
from methodlens.evaluation.vocabulary import LabelWords, load_mapping, normalise
from methodlens.records import CellRef, PaperEntry, Question
from methodlens.settings import EvaluationSettings
from methodlens.study.dataset import Defect, DefectKind, Study

_GATE_COLUMNS = ("uses_deep_learning", "dl_method_availability")
_PAPER_COLUMNS = ("paper", "uid")


def add_label_tables(study: Study, folder: Path) -> None:
    """Tables are recognised by their columns, not by their file names; all others are ignored."""
    for path in sorted(folder.glob("*.csv")):
        try:
            rows = read_table(path)
        except LabelsError:
            continue
        columns = {normalise(name): name for name in rows[0].values}
        gate = next((columns[name] for name in _GATE_COLUMNS if name in columns), None)
        paper = next((columns[name] for name in _PAPER_COLUMNS if name in columns), None)
        if gate and paper:
            _add_gate(study, rows, paper, gate)
        elif not _add_categories(study, rows):
            continue
        study.also += (path.name,)
    questions = folder / "questions.txt"
    if questions.is_file():
        study.questions = tuple(line.strip() for line in questions.read_text(encoding="utf-8-sig").splitlines() if line.strip())
        study.also += (questions.name,)


def _add_gate(study: Study, rows: list[TableRow], paper: str, gate: str) -> None:
    catalog, words = _catalog(study), LabelWords(EvaluationSettings())
    passed: dict[str, bool] = {}
    for row in rows:
        name = catalog.paper(str(row.values[paper]))
        if name is None:
            study.defects.append(Defect(DefectKind.UNKNOWN_PAPER, str(row.values[paper]), detail=row.where))
            continue
        status = words.status(row.values[gate]) if words.knows(row.values[gate]) else None
        if status is None or status.reported is None:
            study.defects.append(Defect(DefectKind.ODD_LABEL, name, detail=f"{row.where}: {row.values[gate]!r}"))
        else:
            passed[name] = status.reported
    study.defects += [Defect(DefectKind.NO_GATE, name) for name in study.cells if name not in passed]
    study.gate = passed


def _add_categories(study: Study, rows: list[TableRow]) -> bool:
    """Returns False if the table has no known category."""
    mapping = load_mapping("study-categories")
    if not any(mapping.question(name) for name in rows[0].values if name):
        return False
    labels = parse_labels(rows, _catalog(study), LabelWords(EvaluationSettings()), mapping=mapping)
    for problem in labels.problems:
        kind = {"unknown paper": DefectKind.UNKNOWN_PAPER, "odd label": DefectKind.ODD_LABEL}.get(problem.kind)
        if kind:
            study.defects.append(Defect(kind, detail=f"{problem.where}: {problem.what}"))
    study.categories = {
        CellRef(label.paper, label.question): label.status.reported
        for label in labels.labels
        if label.status.reported is not None
    }
    return True


def _catalog(study: Study) -> PaperCatalog:
    questions = dict.fromkeys(question for cells in study.cells.values() for question in cells)
    return PaperCatalog([PaperEntry(name, "") for name in study.cells], [Question(question, question) for question in questions])
