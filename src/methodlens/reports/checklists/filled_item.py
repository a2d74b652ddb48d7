"""One item of a checklist, filled in from a cell."""

from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from methodlens.questions import QuestionSet, available, is_calibrated
from methodlens.records import Question, Row, Status
from methodlens.reports.formats.export_rows import pages_of
from methodlens.text.printable import one_line

_LONGEST_QUOTE = 400
REPORTED_WORDS = {Status.REPORTED: "yes", Status.NOT_REPORTED: "no"}
UNCLEAR = "unclear"
OWN_QUESTIONS = QuestionSet("questions", "Questions", "", ())
"""Stands for the checklist if the questions are a user's own."""
_NOT_FOUND = "Not found in the paper."
NOT_CALIBRATED = "**Not calibrated**: how often such answers are right was not measured for these questions."


class FilledItem(Struct, frozen=True):
    """`reported` is yes, no or unclear; `pages` are those of the quotes, or of the closest passage if it is unclear."""

    question: Question
    reported: str
    pages: tuple[int, ...]
    answer: str
    quote: str
    reason: str
    calibrated: bool

    @property
    def item(self) -> str:
        return self.question.item or self.question.id

    @property
    def title(self) -> str:
        return one_line(self.question.title or self.question.text)

    @property
    def page_list(self) -> str:
        return ", ".join(map(str, self.pages))


def filled_item(row: Row) -> FilledItem:
    status, answer = row.cell.verdict.status, row.cell.answer
    reported = REPORTED_WORDS.get(status, UNCLEAR)
    pages = sorted({page for evidence in answer.evidence for page in pages_of(evidence)})
    if reported == UNCLEAR and not pages:
        pages = [hit.passage.page for hit in row.cell.hits[:1] if hit.passage.page]
    return FilledItem(
        row.question,
        reported,
        tuple(pages),
        one_line(answer.text),
        shorten(answer.evidence[0].quote, _LONGEST_QUOTE) if answer.evidence else "",
        one_line(row.cell.verdict.reason),
        is_calibrated(row.question),
    )


def full_answer(item: FilledItem) -> str:
    """The answer if the paper reports it; else that it was not found, or why it is unclear and where to look."""
    if item.reported == "yes":
        return item.answer
    if item.reported == "no":
        return _NOT_FOUND
    closest = f" The closest passage is on p. {item.page_list}." if item.pages else ""
    return f"Unclear{f' ({item.reason})' if item.reason else ''}.{closest}"


def checklist_of(rows: Iterable[Row]) -> QuestionSet | None:
    """The set, shipped or of a plugin, that the questions come from; None for a user's own."""
    return _set_with(frozenset(row.question.id for row in rows))


@lru_cache(maxsize=16)  # a run asks every paper the same
def _set_with(ids: frozenset[str]) -> QuestionSet | None:
    return next((found for found in available() if ids <= {question.id for question in found.questions}), None)


def shorten(text: str, longest: int) -> str:
    """One line, cut at a space."""
    line = one_line(text)
    return line if len(line) <= longest else line[: longest - 1].rsplit(" ", 1)[0] + "…"
