"""The study's files, in either of the shapes they come in, as one Study. What cannot be read is a defect, not an end."""

import csv
import io
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from methodlens.errors import StudyError, TranscriptError
from methodlens.study.beside import read_beside
from methodlens.study.nouns import Defect, DefectKind, Study, StudyAnswer, StudyCell
from methodlens.transcripts import parse

_RECORDS = ("records.jsonl.xz", "records.jsonl")
_NAME = re.compile(r"Publication_(?P<paper>.+?)_(?P<question>CQ\d+)\.txt")
_EXPECTED = "a folder of Publication_<id>_CQ<n>.txt files for each model, or records.jsonl.xz"
_LONGEST = 50_000_000


class _Record(Struct):
    paper: str
    question: str
    context: str = ""
    answers: dict[str, str | None] = {}
    reported: dict[str, bool | str | None] = {}
    human: dict[str, bool | None] | None = None


def read_study(path: Path) -> Study:
    """A folder in the published layout, or the file of records, with the tables that lie beside it."""
    if not path.exists():
        raise StudyError(f"{path} is not there", f"name {_EXPECTED}")
    folder = path if path.is_dir() else path.parent
    records = path if path.is_file() else next((folder / name for name in _RECORDS if (folder / name).is_file()), None)
    study = _from_records(records) if records else _from_folders(folder)
    if not study.cells:
        why = f" ({study.defects[0].detail})" if study.defects else ""
        raise StudyError(f"there are no answers in {path}{why}", f"name {_EXPECTED}")
    study.models = tuple(dict.fromkeys(m for cells in study.cells.values() for cell in cells.values() for m in cell.answers))
    _complete(study)
    read_beside(study, folder)
    return study


def _complete(study: Study) -> None:
    """Every paper was asked every question by every model: what is not there is missing, and counted."""
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
            study.defects.append(Defect(DefectKind.TWICE, record.paper, record.question, detail=f"line {number} is left out"))
            continue
        cells[record.question] = StudyCell(record.context, _answers(record))
    return study


def _answers(record: _Record) -> dict[str, StudyAnswer]:
    human = record.human or {}
    return {
        model: StudyAnswer(record.answers.get(model), _word(record.reported.get(model)), human.get(model))
        for model in dict.fromkeys([*record.answers, *record.reported, *human])
    }


def _word(label: bool | str | None) -> str | None:
    return label if isinstance(label, str) or label is None else "Yes" if label else "No"


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            while line := file.readline(_LONGEST):
                yield line
    except (OSError, lzma.LZMAError, EOFError) as err:
        raise StudyError(f"{path} cannot be read ({err})", "copy it again: it may have been cut off") from err


# --- folders --------------------------------------------------------------------------------------------------------


def _from_folders(folder: Path) -> Study:
    study = Study({}, (), [])
    for path in sorted(folder.rglob("Publication_*_CQ*.txt")):
        name = _NAME.fullmatch(path.name)
        if name:
            cells = study.cells.setdefault(_paper(name["paper"]), {})
            _take(cells.setdefault(name["question"], StudyCell()), path, study.defects)
    models = {model for cells in study.cells.values() for cell in cells.values() for model in cell.answers}
    for path in sorted(folder.rglob("*.csv")):
        _take_labels(study, path, models)
    return study


def _take(cell: StudyCell, path: Path, defects: list[Defect]) -> None:
    """A raw file is a whole transcript and gives the context too; the processed one beside it has the last word."""
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


def _take_labels(study: Study, path: Path, models: set[str]) -> None:
    """A yes/no table is named after its model, and has UID, CQ1, CQ2, ..."""
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig", errors="replace"), newline="")))
    except (OSError, csv.Error) as err:
        study.defects.append(Defect(DefectKind.BAD_RECORD, detail=f"{path.name}: {err}"))
        return
    columns = [name for name in rows[0] if name and re.fullmatch(r"\s*CQ\d+\s*", name)] if rows else []
    if not columns or "UID" not in rows[0]:
        return
    study.also += (path.name,)
    model = path.stem if path.stem in models else next((name for name in sorted(models) if _same(name, path.stem)), path.stem)
    for row in rows:
        paper = _paper(str(row["UID"] or "").strip())
        if paper not in study.cells:
            study.defects.append(Defect(DefectKind.UNKNOWN_PAPER, paper, model=model, detail=path.name))
            continue
        for column in columns:
            cell = study.cells[paper].setdefault(column.strip(), StudyCell())
            cell.answers.setdefault(model, StudyAnswer()).label = row[column]


def _same(folder: str, stem: str) -> bool:
    plain = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (folder, stem))
    first, second = plain
    return first == second or (min(len(first), len(second)) > 4 and (first.startswith(second) or second.startswith(first)))


def _paper(identity: str) -> str:
    return identity if identity.lower().endswith(".pdf") else f"{identity}.pdf"
