"""A question set, and the checks that every set must pass."""

import re
from collections.abc import Sequence

from msgspec import Struct

from methodlens.errors import QuestionsError
from methodlens.records import Question

_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class QuestionSet(Struct, frozen=True):
    name: str
    title: str
    description: str
    questions: tuple[Question, ...]


def check(questions: Sequence[Question], *, lines: Sequence[int], source: str) -> None:
    """Refuse an empty set, an empty question, an id unfit for file names, and duplicates."""
    if not questions:
        raise QuestionsError(f"{source}, line 1: no questions", "write one question per line, or [[question]] tables in a .toml")
    by_id: dict[str, int] = {}
    by_text: dict[str, int] = {}
    for question, line in zip(questions, lines, strict=True):
        where = f"{source}, line {line}"
        if not _ID.fullmatch(question.id):
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


def normalised(text: str) -> str:
    """Questions that differ only in case, spaces and punctuation are equal in this form."""
    return " ".join(re.findall(r"\w+", text.lower()))
