"""A question set, and what makes one unusable."""

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
    """Refuses an empty set, an empty question, an id unfit for file names, and anything asked twice."""
    if not questions:
        raise QuestionsError(f"{source}, line 1: no questions", "write one question a line, or [[question]] tables in a .toml")
    by_id: dict[str, int] = {}
    by_text: dict[str, int] = {}
    for question, line in zip(questions, lines, strict=True):
        where = f"{source}, line {line}"
        if not _ID.fullmatch(question.id):
            fix = "use 1 to 64 letters, digits, '_', '.' and '-'"
            raise QuestionsError(f"{where}: {question.id!r} cannot be an id", fix)
        text = normalised(question.text)
        if not text:
            raise QuestionsError(f"{where}: question {question.id} has no text", "write the question, or remove it")
        # ids become file names and anchors, and some systems take cq1 and CQ1 for the same
        for value, seen, what in ((question.id.lower(), by_id, f"the id {question.id}"), (text, by_text, "the question")):
            if value in seen:
                raise QuestionsError(f"{where}: {what} stands on line {seen[value]} already", "remove or change one of the two")
            seen[value] = line


def normalised(text: str) -> str:
    """Two questions are the same when they differ in case, spaces and marks only."""
    return " ".join(re.findall(r"\w+", text.lower()))
