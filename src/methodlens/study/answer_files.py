"""Load a study from its records file or from the published folders. Unreadable parts become defects, not errors."""

import csv
import io
import lzma
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from methodlens.errors import StudyError, TranscriptError
from methodlens.study.dataset import Defect, DefectKind, Study, StudyAnswer, StudyCell
from methodlens.study.label_tables import add_label_tables
from methodlens.transcripts import parse

_RECORDS = ("records.jsonl.xz", "records.jsonl")
_ANSWER_FILE = re.compile(r"Publication_(?P<paper>.+?)_(?P<question>CQ\d+)\.txt")
_FIX = "use a folder with one folder of Publication_<id>_CQ<n>.txt files per model, or records.jsonl.xz"
_MAX_LINE_BYTES = 50_000_000


class _Record(Struct):
    paper: str
    question: str
    context: str = ""
    answers: dict[str, str | None] = {}
    reported: dict[str, bool | str | None] = {}
    human: dict[str, bool | None] | None = None


def load_study(path: Path) -> Study:
    """From a folder in the published layout or a records file, with the label tables in the same folder."""
    if not path.exists():
        raise StudyError(f"{path} does not exist", _FIX)
    folder = path if path.is_dir() else path.parent
    records = path if path.is_file() else next((folder / name for name in _RECORDS if (folder / name).is_file()), None)
    study = _from_records(records) if records else _from_folders(folder)
    if not study.cells:
        reason = f" ({study.defects[0].detail})" if study.defects else ""
        raise StudyError(f"{path} has no answers{reason}", _FIX)
    study.models = _models(study)
    _fill_gaps(study)
    add_label_tables(study, folder)
    return study


def _models(study: Study) -> tuple[str, ...]:
    return tuple(dict.fromkeys(model for cells in study.cells.values() for cell in cells.values() for model in cell.answers))


def _fill_gaps(study: Study) -> None:
    """Every model was asked every question about every paper: missing answers are added as empty ones, to be counted."""
    questions = dict.fromkeys(question for cells in study.cells.values() for question in cells)
    order = sorted(questions, key=lambda question: int(re.sub(r"\D", "", question) or 0))
    for paper, cells in study.cells.items():
        study.cells[paper] = {question: cells.get(question, StudyCell()) for question in order}
        for question, cell in study.cells[paper].items():
            cell.answers = {model: cell.answers.get(model, StudyAnswer()) for model in study.models}
            if not cell.context.strip():
                study.defects.append(Defect(DefectKind.NO_CONTEXT, paper, question))


# --- records --------------------------------------------------------------------------------------------------------


def _from_records(path: Path) -> Study:
    study = Study({}, (), [])
    decoder = msgspec.json.Decoder(_Record)
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            record = decoder.decode(line)
        except msgspec.DecodeError as err:
            study.defects.append(Defect(DefectKind.BAD_RECORD, detail=f"{path.name}, line {number}: {err}"))
            continue
        cells = study.cells.setdefault(record.paper, {})
        if record.question in cells:
            study.defects.append(Defect(DefectKind.DUPLICATE, record.paper, record.question, detail=f"line {number} is ignored"))
            continue
        cells[record.question] = StudyCell(record.context, _answers(record))
    return study


def _answers(record: _Record) -> dict[str, StudyAnswer]:
    human = record.human or {}
    return {
        model: StudyAnswer(record.answers.get(model), _label_word(record.reported.get(model)), human.get(model))
        for model in dict.fromkeys([*record.answers, *record.reported, *human])
    }


def _label_word(label: bool | str | None) -> str | None:
    return label if isinstance(label, str) or label is None else "Yes" if label else "No"


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            while line := file.readline(_MAX_LINE_BYTES):
                yield line
    except (OSError, lzma.LZMAError, EOFError) as err:
        raise StudyError(f"{path} cannot be read ({err})", "copy it again: it may be truncated") from err


# --- folders --------------------------------------------------------------------------------------------------------


def _from_folders(folder: Path) -> Study:
    study = Study({}, (), [])
    for path in sorted(folder.rglob("Publication_*_CQ*.txt")):
        if name := _ANSWER_FILE.fullmatch(path.name):
            cells = study.cells.setdefault(_paper_name(name["paper"]), {})
            _add_answer(cells.setdefault(name["question"], StudyCell()), path, study.defects)
    models = _models(study)
    for path in sorted(folder.rglob("*.csv")):
        _add_labels(study, path, models)
    return study


def _add_answer(cell: StudyCell, path: Path, defects: list[Defect]) -> None:
    """A raw file is a transcript with the context; a processed file contains only the answer, and takes precedence."""
    model = path.parent.name
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as err:
        defects.append(Defect(DefectKind.BAD_RECORD, model=model, detail=f"{path}: {err.strerror}"))
        return
    answer = cell.answers.setdefault(model, StudyAnswer())
    try:
        transcript = parse(text, source=path.name)
    except TranscriptError:
        answer.text = text
        return
    cell.context = cell.context or "\n\n".join(transcript.passages)
    if answer.text is None:
        answer.text = transcript.answer


def _add_labels(study: Study, path: Path, models: Sequence[str]) -> None:
    """A yes/no table is named after its model and has the columns UID, CQ1, CQ2, ..."""
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig", errors="replace"), newline="")))
    except (OSError, csv.Error) as err:
        study.defects.append(Defect(DefectKind.BAD_RECORD, detail=f"{path.name}: {err}"))
        return
    columns = [name for name in rows[0] if name and re.fullmatch(r"\s*CQ\d+\s*", name)] if rows else []
    if not columns or "UID" not in rows[0]:
        return
    study.also += (path.name,)
    similar = (name for name in sorted(models) if _same_model(name, path.stem))
    model = path.stem if path.stem in models else next(similar, path.stem)
    for row in rows:
        paper = _paper_name(str(row["UID"] or "").strip())
        if paper not in study.cells:
            study.defects.append(Defect(DefectKind.UNKNOWN_PAPER, paper, model=model, detail=path.name))
            continue
        for column in columns:
            cell = study.cells[paper].setdefault(column.strip(), StudyCell())
            cell.answers.setdefault(model, StudyAnswer()).label = row[column]


def _same_model(folder: str, stem: str) -> bool:
    first, second = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (folder, stem))
    return first == second or (min(len(first), len(second)) > 4 and (first.startswith(second) or second.startswith(first)))


def _paper_name(uid: str) -> str:
    return uid if uid.lower().endswith(".pdf") else f"{uid}.pdf"
