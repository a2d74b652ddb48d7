"""Run the published study again with other models: its settings, its model slots, and the files it wrote."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from methodlens.errors import SettingsError
from methodlens.ledger.store import Ledger, Run
from methodlens.questions import QuestionSet
from methodlens.records import Cell, PaperEntry, Question, Status
from methodlens.reports.formats.csv_tables import encode_lines
from methodlens.reports.output_files import atomic_path, slug, with_hash
from methodlens.settings import ChatServer, Settings
from methodlens.transcripts import render_reply

TRANSCRIPTS = "Original_not_processed"
LABELS = "binary_responses"
_NUMBERED = re.compile(r"(?:CQ|Q)(\d+)")


def published_defaults() -> Mapping[str, Any]:
    """The settings of the published study, as a tree for `settings.load`."""
    return tomllib.loads(files("methodlens.study").joinpath("like_published.toml").read_text(encoding="utf-8"))


def with_slots(settings: Settings) -> tuple[Settings, tuple[str, ...]]:
    """The settings with the study's prompt in every slot that sets none, and the names of the slots' readers."""
    slots = settings.study.slots
    missing = [name for name in slots if name not in settings.readers]
    if missing or not slots:
        problem = f"no model for {', '.join(missing)}" if slots else "study.slots is empty"
        tables = ", ".join(f'[readers."{name}"]' for name in missing)
        fix = f"add {tables} to the settings file" if missing else "name the tables [readers.NAME] of your models"
        raise SettingsError(f"the study cannot be run: {problem}", f"{fix}, or set study.slots to the tables you have")
    plain = ChatServer().prompt
    readers = {
        name: replace(table, prompt=settings.study.prompt) if name in slots and table.prompt == plain else table
        for name, table in settings.readers.items()
    }
    names = tuple(f"{'llama' if readers[slot].gguf else 'chat'}:{slot}" for slot in slots)
    return replace(settings, readers=readers), names


def slot_of(reader: str) -> str:
    """
    >>> slot_of("chat:gemma-2-9b")
    'gemma-2-9b'
    """
    return reader.partition(":")[2] or reader


def numbered_as_published(questions: QuestionSet) -> QuestionSet:
    """Questions from a text file are Q1, Q2, ...; the study's are CQ1, CQ2, ..."""
    renamed = tuple(replace(question, id=published_id(question.id)) for question in questions.questions)
    return replace(questions, questions=renamed)


def published_id(question: str) -> str:
    number = _NUMBERED.fullmatch(question)
    return f"CQ{number[1]}" if number else question


def own_verdict(cell: Cell) -> bool | None:
    """What the study counted: the model's own yes or no on its answer, whether or not its quotes are found."""
    if cell.verdict.status in (Status.FAILED, Status.UNREADABLE):
        return None
    return cell.verdict.status.reported if cell.answer.says_reported is None else cell.answer.says_reported


def write_study_files(ledger: Ledger, run: Run, folder: Path) -> int:
    """The raw transcripts and the yes/no tables, one folder and one table per model; returns how many transcripts.

    The layout is the study's, so `methodlens study import` reads it.
    """
    questions = {question.id: question for question in run.questions}
    labels: dict[str, list[Sequence[str]]] = {reader: [] for reader in run.readers}
    taken: set[str] = set()
    written = 0
    for entry, parser in ledger.entries(run):
        cells = ledger.cells(run, entry, parser)
        uid = _uid(entry, taken)
        for reader in run.readers:
            own = {cell.question: cell for cell in cells if cell.reader == reader}
            labels[reader].append(_label_row(uid, own, questions))
            for cell in own.values():
                if cell.verdict.status is not Status.UNREADABLE:
                    _write_transcript(cell, questions[cell.question], folder / TRANSCRIPTS / slug(slot_of(reader)), uid)
                    written += 1
    for reader, rows in labels.items():
        head = ["UID", *map(published_id, questions)]
        write_csv([head, *rows], folder / LABELS / f"{slug(slot_of(reader))}.csv")
    return written


def _uid(entry: PaperEntry, taken: set[str]) -> str:
    """The name of the paper as part of a file name; papers whose names become equal get part of their hash."""
    stem = entry.name[:-4] if entry.name.lower().endswith(".pdf") else entry.name
    uid = slug(stem)
    if uid.lower() in taken:
        uid = with_hash(uid, f"{entry.name}\0{entry.sha256}")
    taken.add(uid.lower())
    return f"{uid}.pdf"


def _label_row(uid: str, own: Mapping[str, Cell], questions: Iterable[str]) -> list[str]:
    words = {True: "Yes", False: "No", None: ""}
    return [uid, *(words[own_verdict(own[question])] if question in own else "" for question in questions)]


def _write_transcript(cell: Cell, question: Question, folder: Path, uid: str) -> None:
    passages = [hit.passage.text for hit in cell.context]
    text = render_reply(question.text, passages, cell.answer.raw or cell.answer.text)
    with atomic_path(folder / f"Publication_{uid}_{published_id(question.id)}.txt") as draft:
        draft.write_bytes(text.encode("utf-8", "replace"))  # a lone surrogate cannot be encoded


def write_csv(lines: Iterable[Sequence[str | float | None]], path: Path) -> None:
    """A table that no spreadsheet takes for formulas, written completely or not at all."""
    with atomic_path(path) as draft:
        draft.write_bytes(b"".join(encode_lines(lines)))
