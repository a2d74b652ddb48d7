"""A question set, and the checks that every set must pass."""

import re
from enum import StrEnum

from msgspec import Struct

from methodlens.errors import QuestionsError
from methodlens.records import Question

_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class FormLayout(StrEnum):
    """How a checklist is filled in: a table with pages, questions answered [Yes] or [No], or named fields."""

    TABLE = "table"
    QUESTIONS = "questions"
    FIELDS = "fields"


class QuestionSet(Struct, frozen=True):
    """`source` is the publication that the questions come from, `licence` what they may be used under, `note` what a user of the
    set should know. `calibrated`: the embedded reader's probabilities for these questions were measured on labelled papers.
    `layout` is the shape of the filled-in form, and `location` what it calls the column for pages."""

    name: str
    title: str
    description: str
    questions: tuple[Question, ...]
    source: str = ""
    licence: str = ""
    note: str = ""
    calibrated: bool = False
    layout: FormLayout = FormLayout.TABLE
    location: str = "Page"


class NumberedSet(Struct, frozen=True):
    """A set as its file has it, unchecked, with the line on which each question begins."""

    question_set: QuestionSet
    lines: tuple[int, ...]
    source: str
    """The file, as error messages name it."""


def check(numbered: NumberedSet) -> QuestionSet:
    """The set. Refuses an empty set, an empty question, an id unfit for file names, and duplicates."""
    questions, source = numbered.question_set.questions, numbered.source
    if not questions:
        raise QuestionsError(f"{source}, line 1: no questions", "write one question per line, or [[question]] tables in a .toml")
    by_id: dict[str, int] = {}
    by_text: dict[str, int] = {}
    for question, line in zip(questions, numbered.lines, strict=True):
        where = f"{source}, line {line}"
        if not is_valid_id(question.id):
            fix = "use 1 to 64 letters, digits, '_', '.' and '-'"
            raise QuestionsError(f"{where}: {question.id!r} is not a valid id", fix)
        text = normalised(question.text)
        if not text:
            raise QuestionsError(f"{where}: question {question.id} has no text", "write the question, or remove it")
        # ids become file names and anchors, and some file systems do not tell cq1 from CQ1
        for value, seen, kind in ((question.id.lower(), by_id, f"id {question.id}"), (text, by_text, "question")):
            if value in seen:
                raise QuestionsError(f"{where}: the same {kind} is on line {seen[value]}", "remove or change one of the two")
            seen[value] = line
    return numbered.question_set


def is_valid_id(text: str) -> bool:
    return bool(_ID.fullmatch(text))


def normalised(text: str) -> str:
    """Questions that differ only in case, spaces and punctuation are equal in this form."""
    return " ".join(re.findall(r"\w+", text.lower()))
